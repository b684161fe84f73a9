// The session as the script makes it: what arrived, what is live after each step (README 2). Knows no product.
import { listKey, listOf } from './request.js';
import { collectPixels, type PixelHints } from './tokens.js';
import { type Case, type Obj, objs, type ScriptStep, scriptOf } from './types.js';

/** One session after one step. `live` holds indexes into `arrived`. */
export interface Snapshot {
  base: Obj;
  key: 'messages' | 'input';
  arrived: readonly Obj[];
  live: readonly number[];
}

export interface World {
  /** The session that step `i` addresses, as it is after that step. */
  after(i: number): Snapshot;
  pixels: PixelHints;
}

export function sessionName(step: ScriptStep): string {
  return step.tenant === undefined && step.session === undefined
    ? ''
    : `${step.tenant ?? ''}/${step.session ?? ''}`;
}

function opened(request: Obj): Snapshot {
  const arrived = listOf(request);
  return { base: request, key: listKey(request), arrived, live: arrived.map((_, i) => i) };
}

function apply(s: Snapshot, step: ScriptStep): Snapshot {
  const from = s.arrived.length;
  const messages = objs(step.messages);
  const fresh = messages.map((_, i) => from + i);
  switch (step.op) {
    case 'append':
      return { ...s, arrived: [...s.arrived, ...messages], live: [...s.live, ...fresh] };
    case 'ingest':
      return { ...s, arrived: [...s.arrived, ...messages], live: fresh };
    case 'rewind':
      return { ...s, live: s.live.filter((i) => i <= Number(step['to_message'])) };
    case 'delete':
      return { ...s, live: [] };
    default:
      return s;
  }
}

export function worldOf(c: Case): World {
  const sessions = new Map<string, Snapshot>();
  const snapshots = scriptOf(c).map((step) => {
    const name = sessionName(step);
    const before = sessions.get(name);
    const next = before === undefined || step.op === 'open' ? opened(c.request) : before;
    const done = apply(next, step);
    sessions.set(name, done);
    return done;
  });
  return {
    after(i) {
      const s = snapshots[i];
      if (s === undefined) throw new RangeError(`the script has no step ${i}`);
      return s;
    },
    pixels: collectPixels([c.request, scriptOf(c)]),
  };
}

/** The whole session as one value that pointers of a case go into. */
export function sessionValue(s: Snapshot): Obj {
  return { ...s.base, [s.key]: s.arrived };
}

/** The request that a host without curation would send now. */
export function liveRequest(s: Snapshot): Obj {
  return { ...s.base, [s.key]: liveMessages(s) };
}

export function liveMessages(s: Snapshot): Obj[] {
  return s.live.map((i) => s.arrived[i]!);
}
