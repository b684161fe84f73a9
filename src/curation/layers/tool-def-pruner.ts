// Layer 2: definitions of tools that nobody uses leave the list, and come back when they are named, called, discovered
// or forced (REQUIREMENTS 5). Works on which tools are listed; never on a definition's text.

import { member } from '../../providers/values.js';
import type { ToolDefPrunerSettings } from '../../settings/types.js';
import { toolClaim } from '../claim.js';
import { planned } from '../decisions.js';
import { type AtOnce, type Built, type Candidate, type Layer, type LayerPlan, NOTHING } from '../layer.js';
import type { Survey } from '../survey.js';
import { listMayGrow, listMayShrink } from '../tools/legal.js';
import type { ToolSurvey } from '../tools/tool-survey.js';
import { ToolUse } from '../tools/tool-use.js';

const ID = 'nexus.memory.tool_def_pruner';

export class ToolDefPruner implements Layer {
  readonly name = 'tool_def_pruner';
  readonly id = ID;
  readonly invalidatesUnknown = true;
  readonly #use = new ToolUse();
  /** Main requests at the time when each tool became idle. */
  readonly #idleSince = new Map<string, number>();

  plan(survey: Survey): LayerPlan {
    const settings = survey.settings.plugins.toolDefPruner;
    const { tools } = survey;
    if (!settings.enabled || tools === undefined || tools.catalog.length === 0) return NOTHING;
    this.#use.sync(survey);
    const atOnce = this.#restored(survey, tools, settings);
    const candidate = this.#idle(survey, tools, settings, new Set(atOnce.flatMap((b) => b.show ?? [])));
    return { candidates: candidate === undefined ? [] : [candidate], atOnce };
  }

  /** Hidden tools that are wanted again. The list may grow at any time (P-7), where the provider's rules allow it. */
  #restored(survey: Survey, tools: ToolSurvey, settings: ToolDefPrunerSettings): AtOnce[] {
    const wanted: { key: string; reason: string }[] = [];
    for (const { key } of tools.catalog) {
      const turn = tools.pruned.get(key);
      if (turn === undefined) continue;
      const use = this.#use.last(survey, key);
      if (tools.chosen.includes(key)) wanted.push({ key, reason: 'tool_choice' });
      else if (use !== undefined && use.turn >= turn) wanted.push({ key, reason: use.reason });
      // The provider refuses a reference to a tool that is not listed (PV-A46).
      else if (this.#use.isDeclared(key)) wanted.push({ key, reason: 'discover' });
      else if (settings.neverPrune.includes(key)) wanted.push({ key, reason: 'never_prune' });
    }
    if (wanted.length === 0 && tools.listed.length === 0 && tools.mustList) {
      const hidden = tools.catalog.map((t) => t.key).filter((key) => tools.pruned.has(key));
      const key = this.#mostRecent(survey, tools, hidden);
      if (key !== undefined) wanted.push({ key, reason: 'tool_choice' });
    }
    const grows = listMayGrow(survey);
    return wanted
      .filter(({ key }) => grows || tools.deferred.has(key))
      .map(({ key, reason }) => ({
        ...built(survey, tools, key, this.#lastTurn(survey, tools, key), reason),
        ...place(survey, tools, key),
      }));
  }

  /** All idle tools as one candidate: the first of them pays the whole re-cache, so the others go with it. */
  #idle(
    survey: Survey,
    tools: ToolSurvey,
    settings: ToolDefPrunerSettings,
    returning: ReadonlySet<string>,
  ): Candidate | undefined {
    if (!listMayShrink(survey, tools)) return undefined;
    const listed = new Set(tools.listed);
    let idle = tools.catalog
      .filter(
        (t) =>
          listed.has(t.key) &&
          !t.pinned &&
          !tools.deferred.has(t.key) &&
          !returning.has(t.key) &&
          !tools.claimed.has(t.key),
      )
      .map((t) => t.key)
      .filter((key) => this.#isIdle(survey, tools, settings, key));
    const called = calledTools(survey);
    idle = idle.filter((key) => !called.has(key));
    const needsOne = called.size > 0 && returning.size === 0;
    // What was used last stays until what is left is a list that the provider takes.
    while ((needsOne && idle.length === tools.listed.length) || leavesOnlyDeferred(tools, idle)) {
      const kept = this.#mostRecent(survey, tools, idle);
      idle = idle.filter((key) => key !== kept);
    }
    for (const key of this.#idleSince.keys()) if (!idle.includes(key)) this.#idleSince.delete(key);
    if (idle.length === 0) return undefined;
    for (const key of idle) if (!this.#idleSince.has(key)) this.#idleSince.set(key, survey.requests);
    const frees = idle.reduce((sum, key) => sum + tools.tokens(key), 0);
    const waited = idle.reduce((sum, key) => sum + this.#idleSince.get(key)! * tools.tokens(key), 0);
    return {
      at: -1,
      frees,
      leaves: 0,
      since: Math.round(waited / Math.max(1, frees)),
      presend: false,
      build: () => idle.map((key) => built(survey, tools, key, this.#lastTurn(survey, tools, key))),
    };
  }

  #isIdle(survey: Survey, tools: ToolSurvey, settings: ToolDefPrunerSettings, key: string): boolean {
    if (settings.neverPrune.includes(key) || tools.chosen.includes(key)) return false;
    if (survey.isPinned(toolClaim(key))) return false;
    if (this.#use.isDeclared(key)) return false;
    return survey.turn - this.#lastTurn(survey, tools, key) >= settings.unusedTurnsThreshold;
  }

  /** Turn of the last use; of a tool that was never used, the turn it was first seen in. */
  #lastTurn(survey: Survey, tools: ToolSurvey, key: string): number {
    return this.#use.last(survey, key)?.turn ?? tools.seen.get(key) ?? survey.turn;
  }

  #mostRecent(survey: Survey, tools: ToolSurvey, keys: readonly string[]): string | undefined {
    // In one turn a use counts before a first sight.
    const turns = keys.map((key) => {
      const use = this.#use.last(survey, key);
      return use === undefined ? this.#lastTurn(survey, tools, key) : use.turn + 0.5;
    });
    return keys[turns.indexOf(Math.max(...turns))];
  }
}

/** Not all tools of a list are deferred (PV-A45): would the host's deferred ones stay alone? */
function leavesOnlyDeferred(tools: ToolSurvey, idle: readonly string[]): boolean {
  if (idle.length === 0) return false;
  const gone = new Set(idle);
  const entries = new Map(tools.catalog.map((t) => [t.key, t]));
  const stay = tools.listed.filter((key) => !gone.has(key));
  // A tool of ours stands in no catalogue.
  return stay.length > 0 && stay.every((key) => isDeferred(entries.get(key)?.text));
}

function isDeferred(text: string | undefined): boolean {
  return text?.includes('"defer_loading"') === true && member(JSON.parse(text), 'defer_loading') === true;
}

/** A deferred tool comes back by a message behind everything; any other changes the list before everything. */
function place(survey: Survey, tools: ToolSurvey, key: string): { at: number; presend: boolean } {
  if (tools.deferred.has(key)) return { at: survey.messages.length, presend: true };
  return { at: -1, presend: tools.sent === undefined || tools.sent.includes(key) };
}

/** Tools with calls in the request: their definitions stay (PROVIDERS 6, condition 11). */
function calledTools(survey: Survey): Set<string> {
  return new Set(survey.calls.calls.filter((c) => !survey.isDropped(c.at)).map((c) => c.tool));
}

function built(survey: Survey, tools: ToolSurvey, key: string, lastTurn: number, reason?: string): Built {
  const size = tools.catalog.find((t) => t.key === key)!.bytes;
  const sign = reason === undefined ? -1 : 1;
  const fields = {
    tool_id: key,
    last_used_turn: lastTurn,
    definition_size: size,
    tokens_delta: sign * tools.tokens(key),
    tokens_delta_estimate: sign * Math.trunc(size / 4),
    at_turn: survey.turn,
  };
  return {
    edits: [],
    section: { section_id: `${ID}/${key}`, kind: 'session', tokens_delta: fields.tokens_delta },
    ...(reason === undefined ? { hide: [key] } : { show: [key] }),
    event:
      reason === undefined
        ? planned('memory.tool_def_pruned', fields)
        : planned('memory.tool_def_restored', { ...fields, reason }),
  };
}
