// Handlers of recall.*: search over what was said and filed, and the exact bytes behind a handle.

import { cut } from '../context/one-line.js';
import { fail } from '../errors.js';
import type { Params, Result } from '../protocol/index.js';
import { originalOf, recall } from '../session/commands/recall.js';
import type { Caller, Handlers, Rooms } from './context.js';

const DEFAULT_K = 10;
/** Hits that a budget of tokens may be filled with. */
const MOST_IN_BUDGET = 1000;
const SNIPPET = 300;
/** M-12: tokens of all snippets of a search by topic. */
const ON_DEMAND_TOKENS = 500;
type Hit = Result<'recall.search'>['hits'][number];

export const RECALL_CALLS: Handlers = {
  'recall.search': async (caller, p, rooms) => {
    const k = p.k ?? (p.max_tokens === undefined ? DEFAULT_K : MOST_IN_BUDGET);
    const said = await searchSaid(caller, p, k, rooms);
    const filed = searchFiled(caller, p, k, rooms);
    const hits = [...said, ...filed].sort((a, b) => b.score - a.score).slice(0, k);
    if (p.topic !== undefined) return { hits: withinBudget(hits, rooms) };
    return { hits: p.max_tokens === undefined ? hits : fitting(hits, p.max_tokens) };
  },

  'recall.get': async (caller, p, rooms) => {
    for await (const actor of rooms.registry.byHandle(caller.tenant, p.handle)) {
      const original = await actor.read('read', () => originalOf(actor.session, p.handle));
      if (original === undefined) continue;
      return recall(original, p, (text, max) => rooms.truncate(text, max, actor.session.encoding));
    }
    const other =
      (await rooms.recall?.original(caller.tenant, p.handle)) ??
      entryText(rooms.pantry?.entries.byHandle(caller.tenant, p.handle));
    if (other !== undefined) return recall(other, p, (text, max) => rooms.truncate(text, max, 'o200k_base'));
    return fail('UNKNOWN_HANDLE', `there is no handle ${JSON.stringify(p.handle)} for this token`);
  },
};

/** M-9: what a topic brings into a context has its limit, whatever was asked for. */
function withinBudget(hits: readonly Hit[], rooms: Rooms): Hit[] {
  let left = ON_DEMAND_TOKENS;
  return hits.filter((hit, i) => {
    left -= rooms.pantry?.tokens(hit.snippet) ?? hit.snippet.length / 4;
    return i === 0 || left >= 0;
  });
}

/** Hits whose originals fit together, best first. */
function fitting(hits: readonly Hit[], budget: number): Hit[] {
  let left = budget;
  return hits.filter((hit) => {
    if (hit.tokens > left) return false;
    left -= hit.tokens;
    return true;
  });
}

function entryText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : JSON.stringify(text);
}

/** Sessions: of one, of a project, or all of the tenant's. */
async function searchSaid(
  caller: Caller,
  p: Params<'recall.search'>,
  k: number,
  rooms: Rooms,
): Promise<Hit[]> {
  // Wings and rooms are what entries have.
  if (p.wing !== undefined || p.room !== undefined) return [];
  const { recall: feed, pantry } = rooms;
  if (feed === undefined) return fail('UNSUPPORTED', 'this daemon keeps no recall index');
  if (p.session !== undefined) await rooms.registry.known(caller.tenant, p.session);
  return feed.search(caller.tenant, {
    query: p.query,
    session: p.session,
    project: p.project === undefined ? undefined : (pantry?.root(caller.tenant, p.project) ?? p.project),
    tool: p.tool,
    topicWords: p.topic === undefined ? undefined : topicWords(caller, p.topic, p.project, rooms),
    k,
    budget: p.max_tokens,
  });
}

/** Entries of the project, or of all of the tenant's projects. */
function searchFiled(caller: Caller, p: Params<'recall.search'>, k: number, rooms: Rooms): Hit[] {
  const { pantry } = rooms;
  if (pantry === undefined || p.session !== undefined || p.tool !== undefined) return [];
  const query = p.topic === undefined ? p.query : `${p.query} ${p.topic}`;
  const hits = pantry.entries.search({
    tenant: caller.tenant,
    root: p.project === undefined ? undefined : pantry.root(caller.tenant, p.project),
    query,
    wing: p.wing,
    room: p.room,
    k,
  });
  return hits.map((h) => ({
    handle: h.handle,
    score: h.score,
    snippet: cut(h.text, SNIPPET),
    tokens: rooms.pantry!.tokens(h.text),
  }));
}

/** A topic's label and, where the project has such a topic, the words it is known by. */
function topicWords(caller: Caller, topic: string, project: string | undefined, rooms: Rooms): string {
  if (project === undefined || rooms.pantry === undefined) return topic;
  const { topics } = rooms.pantry.topics(caller.tenant, project, topic);
  return [topic, ...topics.slice(0, 3).flatMap((t) => t.terms ?? [])].join(' ');
}
