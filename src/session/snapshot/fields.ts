// How each field of the state crosses into JSON. The compiler refuses a field that is not named here, or by the wrong kind.

import type { SessionState } from '../state/state.js';

/** Fields with a form of their own (plain.ts). */
export type OwnForm =
  | 'spec'
  | 'system'
  | 'tools'
  | 'messages'
  | 'calls'
  | 'thoughts'
  | 'ledger'
  | 'topic'
  | 'toolList'
  | 'toolListObserved'
  | 'toolFacts';

/** `value`: JSON as it is. `point`: a position, Infinity where there is none. */
type Kind = 'value' | 'map' | 'set' | 'point';

type KindOf<T> =
  T extends ReadonlyMap<unknown, unknown>
    ? 'map'
    : T extends ReadonlySet<unknown>
      ? 'set'
      : 'value' | 'point';

type Kinds = {
  readonly [K in Exclude<keyof SessionState, OwnForm>]-?: KindOf<NonNullable<SessionState[K]>>;
};

const KINDS: Kinds = {
  status: 'value',
  seq: 'value',
  hash: 'value',
  updatedAt: 'value',
  format: 'value',
  model: 'value',
  contextWindow: 'value',
  maxOutputTokens: 'value',
  project: 'value',
  config: 'value',
  own: 'value',
  epoch: 'value',
  turn: 'value',
  round: 'value',
  redacted: 'value',
  inBlocks: 'value',
  messageTokens: 'value',
  sent: 'value',
  usage: 'value',
  cacheSeen: 'value',
  spent: 'value',
  pauses: 'value',
  fit: 'value',
  boundTo: 'value',
  boundary: 'value',
  edited: 'value',
  pending: 'set',
  repaired: 'value',
  frozen: 'set',
  durable: 'value',
  durableSeq: 'value',
  durablePlaced: 'value',
  durableStale: 'value',
  indexPlaced: 'value',
  indexStale: 'value',
  dirtyFrom: 'point',
  dirtyObserved: 'point',
  ends: 'value',
  summary: 'value',
  capped: 'value',
  backups: 'value',
  archives: 'map',
  recovering: 'value',
  overflowed: 'value',
  cycleOpen: 'value',
  cooldown: 'value',
  summarisedAt: 'value',
  keys: 'map',
  undo: 'map',
  pins: 'set',
  held: 'value',
  toolsAdded: 'map',
  turnBoundary: 'value',
  staticChanged: 'value',
  handles: 'map',
  givenBy: 'set',
  lastEdit: 'value',
  orphans: 'map',
  envelopes: 'value',
  nativeSent: 'value',
  nativeCleared: 'value',
  nativeReported: 'value',
  inputs: 'value',
  turnMessages: 'value',
};

const FIELDS = Object.entries(KINDS) as [keyof Kinds, Kind][];

export type Plain = Record<string, unknown>;

/** Fields that the state has, as JSON values. */
export function fieldsOf(state: SessionState): Plain {
  const out: Plain = {};
  for (const [name, kind] of FIELDS) {
    const value: unknown = state[name];
    if (value === undefined) continue;
    if (kind === 'map' || kind === 'set') out[name] = [...(value as Iterable<unknown>)];
    else if (kind === 'point') out[name] = value === Number.POSITIVE_INFINITY ? null : value;
    else out[name] = value;
  }
  return out;
}

/** Puts them into a fresh state; what `plain` does not say stays as it is there. */
export function setFields(state: SessionState, plain: Plain): void {
  const into = state as unknown as Plain;
  for (const [name, kind] of FIELDS) {
    const value = plain[name];
    if (value === undefined) continue;
    if (kind === 'map') into[name] = new Map(value as [unknown, unknown][]);
    else if (kind === 'set') into[name] = new Set(value as unknown[]);
    else if (kind === 'point') into[name] = value ?? Number.POSITIVE_INFINITY;
    else into[name] = value;
  }
}
