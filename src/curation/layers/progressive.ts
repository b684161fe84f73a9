// Progressive discovery: tools of a class are listed once the class is discovered or one of them is used (REQUIREMENTS 9).
// Decides which tools are listed; their definitions stay as they are.

import type { ProgressiveSettings } from '../../settings/types.js';
import { planned } from '../decisions.js';
import { type AtOnce, type Built, type Candidate, type Layer, type LayerPlan, NOTHING } from '../layer.js';
import type { Survey } from '../survey.js';
import type { ToolEntry } from '../tools/catalog.js';
import { discoverTool } from '../tools/discover-tool.js';
import { listMayGrow, listMayShrink } from '../tools/legal.js';
import { ALWAYS_SHOWN, DISCOVER } from '../tools/tool-classes.js';
import type { ToolSurvey } from '../tools/tool-survey.js';
import { ToolUse } from '../tools/tool-use.js';

const ID = 'nexus.discovery.progressive';
/** Class in section ids of tools that have none. */
const CLASSLESS = '(classless)';

export class Progressive implements Layer {
  readonly name = 'progressive';
  readonly id = ID;
  readonly invalidatesUnknown = true;
  readonly #use = new ToolUse();
  #surplusSince: number | undefined;

  plan(survey: Survey): LayerPlan {
    const { tools } = survey;
    if (tools === undefined || tools.catalog.length === 0) return NOTHING;
    this.#use.sync(survey);
    const settings = survey.settings.plugins.progressive;
    const forced = chosenOf(tools);
    const last = lastUses(tools);
    const shown = new Set(
      tools.catalog
        .filter((t) => this.#use.isDeclared(t.key) || isShown(survey, tools, settings, forced, last, t))
        .map((t) => t.key),
    );
    const before = new Set(tools.sent ?? []);
    const listed = new Set(tools.listed);
    const own = needsOwn(tools) && shown.size < tools.catalog.length;
    const missing = tools.catalog.filter(
      (t) => shown.has(t.key) && !listed.has(t.key) && !tools.pruned.has(t.key),
    );
    const surplus = tools.catalog.filter(
      (t) => listed.has(t.key) && !shown.has(t.key) && !tools.deferred.has(t.key),
    );
    const stale = !own && needsOwn(tools) && listed.has(DISCOVER);
    const grow = listMayGrow(survey);
    const growing = grow ? missing.filter((t) => !tools.deferred.has(t.key)) : [];
    const atOnce: AtOnce[] = bySection(growing).map(([c, m]) => ({ ...show(tools, c, m), ...sent(tools) }));
    // What is declared as deferred is loaded by a message behind everything (PV-A46).
    const loaded = bySection(missing.filter((t) => tools.deferred.has(t.key)));
    const end = { at: survey.messages.length, presend: true };
    atOnce.push(...loaded.map(([c, m]) => ({ ...show(tools, c, m), ...end })));
    if (own && !listed.has(DISCOVER) && grow) atOnce.push({ ...addOwn(survey), ...sent(tools) });
    // What no request has listed yet is hidden for nothing.
    const unsent = bySection(surplus.filter((t) => !before.has(t.key)));
    atOnce.push(...unsent.map(([c, m]) => ({ ...hide(tools, c, m), at: -1, presend: true })));
    for (const { key } of surplus) tools.claimed.add(key);
    const waiting = surplus.filter((t) => before.has(t.key));
    const candidate = this.#surplus(survey, tools, waiting, stale);
    return {
      candidates: candidate === undefined ? [] : [candidate],
      atOnce,
      events: forced.map((reveal) => planned('tools.discovered', { ...reveal, reason: 'tool_choice' })),
    };
  }

  /** What is listed and should not be: one edit, at a turn's end, when it pays. */
  #surplus(
    survey: Survey,
    tools: ToolSurvey,
    surplus: readonly ToolEntry[],
    stale: boolean,
  ): Candidate | undefined {
    if ((surplus.length === 0 && !stale) || !listMayShrink(survey, tools)) {
      if (surplus.length === 0 && !stale) this.#surplusSince = undefined;
      return undefined;
    }
    this.#surplusSince ??= survey.requests;
    const keys = [...surplus.map((t) => t.key), ...(stale ? [DISCOVER] : [])];
    return {
      at: -1,
      frees: keys.reduce((sum, key) => sum + tools.tokens(key), 0),
      leaves: 0,
      since: this.#surplusSince,
      presend: false,
      build: () => [
        ...bySection(surplus).map(([c, members]) => hide(tools, c, members)),
        ...(stale ? [change(DISCOVER, -tools.tokens(DISCOVER), { hide: [DISCOVER] })] : []),
      ],
    };
  }
}

/** The host has no discover tool of its own. */
function needsOwn(tools: ToolSurvey): boolean {
  return !tools.catalog.some((t) => t.key === DISCOVER);
}

interface Reveal {
  class?: string;
  tools: string[];
}

/** Classes of hidden tools that tool_choice names (D-10); a name nobody knows, or one that is listed, changes nothing. */
function chosenOf(tools: ToolSurvey): Reveal[] {
  const listed = new Set(tools.listed);
  const reveals: Reveal[] = [];
  for (const entry of tools.catalog) {
    if (!tools.chosen.includes(entry.key) || listed.has(entry.key) || tools.pruned.has(entry.key)) continue;
    const members =
      entry.class === undefined ? [entry] : tools.catalog.filter((t) => t.class === entry.class);
    reveals.push({
      ...(entry.class === undefined ? {} : { class: entry.class }),
      tools: members.map((t) => t.key),
    });
  }
  return reveals;
}

function isShown(
  survey: Survey,
  tools: ToolSurvey,
  settings: ProgressiveSettings,
  forced: readonly Reveal[],
  last: ReadonlyMap<string, number>,
  entry: ToolEntry,
): boolean {
  const { key, class: own } = entry;
  if (settings.defaultDepth === 'full' || entry.pinned || key === DISCOVER) return true;
  if (settings.alwaysInclude.includes(key) || tools.chosen.includes(key)) return true;
  if (forced.some((r) => r.tools.includes(key))) return true;
  if (own === undefined && settings.classlessBehavior === 'include') return true;
  if (own !== undefined && (ALWAYS_SHOWN.includes(own) || settings.alwaysInclude.includes(own))) return true;
  return isRevealed(survey, tools, settings, last, entry);
}

function isRevealed(
  survey: Survey,
  tools: ToolSurvey,
  settings: ProgressiveSettings,
  last: ReadonlyMap<string, number>,
  entry: ToolEntry,
): boolean {
  const discovered = tools.discovered.get(entry.key);
  const invoked = tools.invoked.get(entry.key);
  if (settings.scope === 'session') return discovered !== undefined || invoked !== undefined;
  if (settings.scope === 'turn') return discovered === survey.turn || invoked === survey.turn;
  // Turns that ended without any use since the last one: counted by turns, so that no long tool loop hides a class.
  const since = survey.turn - 1 - settings.idlePruneTurns;
  if (invoked !== undefined && invoked >= since) return true;
  return discovered !== undefined && (last.get(entry.class ?? '') ?? discovered) >= since;
}

/** Turn of the newest discovery or call of any tool, by class. */
function lastUses(tools: ToolSurvey): Map<string, number> {
  const last = new Map<string, number>();
  for (const t of tools.catalog) {
    if (t.class === undefined) continue;
    const turn = Math.max(tools.discovered.get(t.key) ?? -1, tools.invoked.get(t.key) ?? -1);
    last.set(t.class, Math.max(turn, last.get(t.class) ?? -1));
  }
  return last;
}

function sent(tools: ToolSurvey): { at: number; presend: boolean } {
  return { at: -1, presend: tools.sent === undefined };
}

function bySection(entries: readonly ToolEntry[]): [string, ToolEntry[]][] {
  const sections = new Map<string, ToolEntry[]>();
  for (const entry of entries) {
    const name = entry.class ?? CLASSLESS;
    sections.set(name, [...(sections.get(name) ?? []), entry]);
  }
  return [...sections];
}

function show(tools: ToolSurvey, section: string, members: readonly ToolEntry[]): Built {
  const keys = members.map((t) => t.key);
  return change(section, tokensOf(tools, keys), { show: keys });
}

function hide(tools: ToolSurvey, section: string, members: readonly ToolEntry[]): Built {
  const keys = members.map((t) => t.key);
  return change(section, -tokensOf(tools, keys), { hide: keys });
}

function addOwn(survey: Survey): Built {
  const text = discoverTool(survey.spec.format);
  const tokens = survey.count(text);
  return change(DISCOVER, tokens, { own: { key: DISCOVER, text, tokens } });
}

function change(section: string, delta: number, fields: Pick<Built, 'show' | 'hide' | 'own'>): Built {
  return {
    edits: [],
    section: { section_id: `${ID}/${section}`, kind: 'session', tokens_delta: delta },
    ...fields,
  };
}

function tokensOf(tools: ToolSurvey, keys: readonly string[]): number {
  return keys.reduce((sum, key) => sum + tools.tokens(key), 0);
}
