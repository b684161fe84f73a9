// The state of a session before any event.

import { CallIndex } from '../../curation/calls.js';
import { NO_PAUSES } from '../../economics/cold-odds.js';
import { specOf } from '../../providers/spec.js';
import { Thoughts } from '../mending/thoughts.js';
import { freshTopics } from '../topics/state.js';
import { Ledger } from './ledger.js';
import type { SessionState } from './state.js';
import { ToolList } from './tool-list.js';

/** The state before any event. */
export function freshState(): SessionState {
  return {
    status: 'fresh',
    seq: 0,
    hash: '',
    updatedAt: 0,
    format: 'anthropic',
    spec: specOf('anthropic'),
    model: '',
    config: {},
    own: {},
    epoch: 0,
    turn: 0,
    round: 0,
    messages: [],
    redacted: [],
    inBlocks: [],
    messageTokens: 0,
    calls: new CallIndex(),
    thoughts: new Thoughts(),
    ledger: new Ledger(),
    sent: { requests: 0, messages: 0, tokens: 0, at: 0, seq: 0 },
    boundary: false,
    edited: false,
    pending: new Set(),
    repaired: 0,
    frozen: new Set(),
    durable: { todos: [], manifest: '', decisions: [] },
    durableSeq: 0,
    durableStale: [],
    indexStale: [],
    dirtyFrom: Number.POSITIVE_INFINITY,
    dirtyObserved: Number.POSITIVE_INFINITY,
    ends: [],
    cacheSeen: false,
    pauses: NO_PAUSES,
    archives: new Map(),
    backups: [],
    recovering: false,
    overflowed: false,
    cycleOpen: false,
    summarisedAt: 0,
    keys: new Map(),
    undo: new Map(),
    pins: new Set(),
    held: [],
    topic: freshTopics(),
    toolList: new ToolList(),
    toolListObserved: new ToolList(),
    toolsAdded: new Map(),
    toolFacts: { seen: new Map(), invoked: new Map(), discovered: new Map() },
    turnBoundary: false,
    staticChanged: false,
    handles: new Map(),
    givenBy: new Set(),
    orphans: new Map(),
    envelopes: [],
    nativeCleared: 0,
    inputs: [],
    turnMessages: 0,
  };
}
