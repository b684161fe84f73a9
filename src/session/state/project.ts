// An event as the outside sees it: fields of the fold are left out, texts come back as the JSON they are. Pure.

import { RawJson } from '../../json/index.js';
import type { SessionEvent } from './events.js';

export interface ProjectedEvent {
  type: string;
  seq: number;
  turn: number;
  ts: number;
  observed?: boolean;
  [field: string]: unknown;
}

/** What is told of a session and is no entry of its journal: it has no seq. */
export interface Signal {
  type: 'session.rewound';
  seq?: undefined;
  [field: string]: unknown;
}

/** Payload fields whose strings are exact JSON texts. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  'session.opened': ['system', 'tools'],
  'session.message': ['text'],
  'session.system': ['text'],
  'session.tools': ['text'],
  'llm.request': ['passthrough'],
};

export function project(e: SessionEvent): ProjectedEvent {
  const out: ProjectedEvent = { type: e.type, seq: e.seq, turn: e.turn, ts: e.ts };
  if (e.observed) out.observed = true;
  const texts = TEXTS[e.type];
  for (const [key, value] of Object.entries(e.payload)) {
    // Two of them are part of the contract; every other underscore is ours.
    if (key.startsWith('_') && key !== '_schema_version' && key !== '_truncated') continue;
    if (value === undefined) continue;
    const raw = texts?.includes(key) && typeof value === 'string';
    out[raw && key === 'text' ? 'message' : key] = raw ? new RawJson(value) : value;
  }
  return out;
}
