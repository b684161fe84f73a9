// Turns the daemon's events into those of the observation (README 5). Pure but for the session it reads.
import { joinPointer } from '../paths.js';
import { resultsOfMessage } from '../request.js';
import { arr, num, type ObservedEvent, str } from '../types.js';
import type { RawEvent } from './host.js';
import type { CaseSession } from './session.js';

export interface HandleGiven {
  handle: string;
  path: string;
}

/** Path in the session of what an event is about: by position where it says one, else by the call's id. */
export function pathOf(s: CaseSession, e: RawEvent, taken: ReadonlySet<string>): string | undefined {
  const at = num(e['message']);
  if (at !== undefined) {
    const index = s.stored[at];
    if (index === undefined) return undefined;
    return `${joinPointer([s.listKey, index])}${str(e['path']) ?? ''}`;
  }
  const id = str(e['tool_call_id']);
  if (id === undefined) return undefined;
  const candidates = s.live.flatMap((m, k) =>
    resultsOfMessage(m, s.stored[k]!)
      .filter((r) => r.id === id)
      .map((r) => `/${s.listKey}${r.path}`),
  );
  return candidates.find((p) => !taken.has(p)) ?? candidates.at(-1);
}

function positions(s: CaseSession, covers: unknown): [number, number] | undefined {
  const [from, to] = arr(covers).map(Number);
  if (from === undefined || to === undefined) return undefined;
  return [s.stored[from] ?? from, s.stored[to] ?? to];
}

function one(s: CaseSession, e: RawEvent, taken: Set<string>): ObservedEvent | undefined {
  switch (e.type) {
    case 'memory.tool_result_cleared': {
      const path = pathOf(s, e, taken);
      if (path === undefined) return undefined;
      taken.add(path);
      const kind = e['reason'] === 'shaped' ? 'shrunk' : 'cleared';
      return { kind, path, ...(str(e['handle']) === undefined ? {} : { handle: e['handle'] }) };
    }
    case 'session.repaired': {
      const path = pathOf(s, e, new Set());
      return {
        kind: 'repaired',
        what: String(e['what'] ?? e['rule']),
        ...(path === undefined ? {} : { path }),
        ...(str(e['tool_call_id']) === undefined ? {} : { id: e['tool_call_id'] }),
        ...(str(e['handle']) === undefined ? {} : { handle: e['handle'] }),
      };
    }
    case 'memory.compacted':
    case 'memory.summary_replaced': {
      const covers = positions(s, e['covers']);
      return covers === undefined ? undefined : { kind: 'compacted', covers };
    }
    case 'memory.compaction.failed':
      return { kind: 'rejected', reason: String(e['reason']) };
    case 'memory.irreducible':
      return {
        kind: 'irreducible',
        floor: Number(e['floor'] ?? e['irreducible']),
        needed: Number(e['needed'] ?? e['threshold']),
      };
    case 'session.diverged':
      return { kind: 'diverged', index: Number(e['index']) };
    case 'memory.tool_def_pruned':
      return { kind: 'tools_pruned', names: [String(e['tool_id'])] };
    case 'memory.tool_def_restored':
      return { kind: 'tools_restored', names: [String(e['tool_id'])] };
    case 'memory.topic_shift_detected': {
      const turn = Number(e['to_turn']);
      const userTurn = s.userTurnOf.get(Number(e['turn'])) ?? s.userTurnOf.get(turn) ?? turn;
      return { kind: 'topic_shift', user_turn: userTurn, signal: String(e['signal']), seq: e['seq'] };
    }
    case 'session.notice':
    case 'config.notice':
      return { kind: 'config_warning', key: String(e['path']) };
    case 'memory.diagnostic':
      return diagnostic(e);
    default:
      return undefined;
  }
}

/** Diagnostics carry what has no event of its own in PROTOCOL 7. */
function diagnostic(e: RawEvent): ObservedEvent | undefined {
  const what = String(e['what']);
  if (/irreducible/.test(what)) {
    return { kind: 'irreducible', floor: Number(e['floor']), needed: Number(e['needed'] ?? e['threshold']) };
  }
  if (/config|window|reserve/.test(what))
    return { kind: 'config_warning', key: String(e['path'] ?? e['key'] ?? what) };
  return { kind: 'skipped', reason: what };
}

/** The observed events of a step and the handles that it gave out. A retracted topic shift counts for nothing. */
export function mapEvents(
  s: CaseSession,
  raw: readonly RawEvent[],
  taken: Set<string>,
): { events: ObservedEvent[]; handles: HandleGiven[] } {
  const events: ObservedEvent[] = [];
  const handles: HandleGiven[] = [];
  const retracted = new Set(
    raw.filter((e) => e.type === 'memory.topic_shift_retracted').map((e) => Number(e['seq_of'])),
  );
  for (const e of raw) {
    if (e['observed'] === true || retracted.has(Number(e['seq']))) continue;
    const event = one(s, e, taken);
    if (event !== undefined) events.push(event);
    const handle = str(e['handle']);
    const path = event === undefined ? undefined : str(event['path']);
    if (handle !== undefined && path !== undefined) handles.push({ handle, path });
  }
  return { events, handles };
}
