// L2 on mention: a text names topics of a project, and what is known of them comes with the answer. A topic nobody names costs
// a look at the words of one input.

import { mentioned } from '../context/mention.js';
import { type Known, ON_DEMAND_TOKENS, onDemand } from '../context/on-demand.js';
import type { Result } from '../protocol/index.js';
import type { SessionActor } from '../session/actor.js';
import type { Rooms } from './context.js';

export type Mentioned = Result<'context.mention'>;

/** Entries and passages that are looked at. */
const LOOKED_AT = 12;
/** Documents of a topic that are named. */
const DOCUMENTS = 8;

/** @param except a session whose own words are in view already */
export async function mention(
  tenant: string,
  project: string,
  text: string,
  rooms: Rooms,
  o: { maxTokens?: number | undefined; except?: string | undefined } = {},
): Promise<Mentioned> {
  const none = { topics: [], text: '', tokens: 0, entries: 0 };
  const { pantry, recall } = rooms;
  if (pantry === undefined) return none;
  const { topics, facts } = pantry.topics(tenant, project);
  const named = mentioned(text, topics);
  if (named.length === 0) return none;
  const words = named.flatMap((t) => [t.label, ...(t.terms ?? [])]).join(' ');
  const root = pantry.root(tenant, project);
  const documents: Known[] = named.flatMap((topic) => {
    const at = facts?.built?.topics.findIndex((t) => t.label === topic.label) ?? -1;
    const names = Object.entries(facts?.built?.documents ?? {})
      .filter(([, [, home]]) => home === at)
      .map(([id]) => id);
    const more = names.length > DOCUMENTS ? ` … (${names.length - DOCUMENTS} more)` : '';
    return names.length === 0
      ? []
      : [{ room: 'documents', text: `${topic.label}: ${names.slice(0, DOCUMENTS).join(', ')}${more}` }];
  });
  const filed = pantry.entries
    .search({ tenant, root, query: words, k: LOOKED_AT })
    .map((h) => ({ room: h.room ?? 'general', text: h.text, score: h.score }));
  const said = (
    (await recall?.search(tenant, { query: text, topicWords: words, project: root, k: LOOKED_AT })) ?? []
  )
    .filter((h) => h.session !== o.except)
    .map((h) => ({ room: h.tool ?? 'said', text: h.snippet, score: h.score }));
  const known = [...documents, ...[...filed, ...said].sort((a, b) => b.score - a.score)];
  const max = Math.min(o.maxTokens ?? ON_DEMAND_TOKENS, ON_DEMAND_TOKENS);
  return { topics: named.map((t) => t.label), ...onDemand(known, (t) => pantry.tokens(t), max) };
}

/** For a request that begins a turn: undefined when nothing is named or it cannot be had. */
export async function mentionedIn(
  tenant: string,
  actor: SessionActor,
  rooms: Rooms,
): Promise<Mentioned | undefined> {
  const { state } = actor.session;
  const last = state.messages.at(-1)?.reading;
  if (state.project === undefined) return undefined;
  if (last?.role !== 'user' || last.ownText.trim() === '') return undefined;
  try {
    const found = await mention(tenant, state.project, last.ownText, rooms, { except: actor.key.session });
    return found.entries === 0 ? undefined : found;
  } catch {
    // The request does not wait for what would only be nice to have; the index's own check says what is wrong.
    return undefined;
  }
}
