// tools.discover: the tools of a class, for the model that asked, and the note that they are wanted. The list itself grows
// with the next request.

import type { ToolEntry } from '../../curation/tools/catalog.js';
import { rankTools } from '../../curation/tools/rank-tools.js';
import { CuratedError } from '../../errors.js';
import { RawJson } from '../../json/index.js';
import type { Params } from '../../protocol/methods.js';
import { PLUGIN_IDS } from '../../settings/index.js';
import type { Draft } from '../commit.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';

export interface Discovered {
  class: string;
  subclass?: string;
  tools: { name: string; description: string; parameters: RawJson; subclass?: string }[];
}

/** Tools that a search gives at most. */
const FOUND = 5;
const QUESTIONS = 3;

const NO_PARAMETERS = '{"type":"object","properties":{}}';

/** @throws UNSUPPORTED with `detail.reason` unknown_class or unknown_subclass, and what there is instead */
export function discover(session: Session, p: Params<'tools.discover'>, draft: Draft): Discovered {
  const found = find(session, p.class, p.subclass);
  draft.push(
    event('tools.discovered', {
      class: p.class,
      ...(p.subclass === undefined ? {} : { subclass: p.subclass }),
      tools: found.map((t) => t.key),
      reason: 'discover',
    }),
  );
  return {
    class: p.class,
    ...(p.subclass === undefined ? {} : { subclass: p.subclass }),
    tools: found.map((t) => ({
      name: t.name ?? t.key,
      description: t.description,
      parameters: new RawJson(t.parameters ?? NO_PARAMETERS),
      ...(t.subclass === undefined ? {} : { subclass: t.subclass }),
    })),
  };
}

function find(session: Session, wanted: string, subclass: string | undefined): ToolEntry[] {
  const { catalog } = session.state.toolList;
  const members = catalog.filter((t) => t.class === wanted);
  if (members.length === 0) return byName(session, wanted) ?? unknownClass(session, wanted);
  if (subclass === undefined) return members;
  const part = members.filter((t) => t.subclass === subclass);
  if (part.length > 0) return part;
  throw new CuratedError(
    'UNSUPPORTED',
    `the class ${JSON.stringify(wanted)} has no subclass ${JSON.stringify(subclass)}`,
    {
      path: '/subclass',
      detail: { reason: 'unknown_subclass', subclasses: distinct(members.map((t) => t.subclass)) },
    },
  );
}

/**
 * Where tools are hidden by use alone, most have no class: a tool's name does, or words about what it should do, as a
 * search (D-11: layer 2 works alone).
 */
function byName(session: Session, wanted: string): ToolEntry[] | undefined {
  const { catalog } = session.state.toolList;
  const { active } = session.settings;
  if (active.has(PLUGIN_IDS.progressive) || !active.has(PLUGIN_IDS.toolDefPruner)) return undefined;
  const named = catalog.filter((t) => t.key === wanted);
  const found = named.length > 0 ? named : rankTools(catalog, wanted, FOUND, newestQuestions(session));
  return found.length > 0 ? found : undefined;
}

function unknownClass(session: Session, wanted: string): never {
  const { catalog } = session.state.toolList;
  const near = rankTools(catalog, wanted, FOUND, newestQuestions(session));
  throw new CuratedError('UNSUPPORTED', `no tool has the class ${JSON.stringify(wanted)}`, {
    path: '/class',
    detail: {
      reason: 'unknown_class',
      classes: distinct(catalog.map((t) => t.class)),
      nearest: [...new Set(near.map((t) => t.class).filter((c) => c !== undefined))],
    },
  });
}

/** What the user asked last, oldest first: it says what the search is about. */
function newestQuestions(session: Session): string[] {
  const questions: string[] = [];
  const { messages } = session.state;
  for (let at = messages.length - 1; at >= 0 && questions.length < QUESTIONS; at -= 1) {
    const { role, ownText } = messages[at]!.reading;
    if (role === 'user' && ownText !== '') questions.unshift(ownText);
  }
  return questions;
}

function distinct(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((v) => v !== undefined))].sort();
}
