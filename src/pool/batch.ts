// A batch: several calls as one message to a worker, and its reply given back to each of them.
import { CuratedError, type ErrorKind } from '../errors.js';
import { ArenaWriter, arenaNeed, exactBytes } from './arena.js';
import type { Call, CountCall, TaskCall } from './call.js';
import { type BatchMessage, type BatchReply, type CountRun, POOL_CONTRACT_VERSION } from './contract.js';

/** A message on its way, with what its reply needs to find its callers. */
export interface Batch {
  calls: Call[];
  message: BatchMessage;
  /** Wants the worker's counts, which stand in shared memory; called while the arena is still this batch's. */
  settle(reply: BatchReply): void;
}

function settleTask(call: TaskCall, outcome: BatchReply['outcomes'][number] | undefined): void {
  if (outcome === undefined) call.reject(new CuratedError('INTERNAL', 'the worker left a task unanswered'));
  else if (outcome.ok) call.resolve(outcome.value);
  else {
    const { kind, message, path, detail } = outcome;
    call.reject(new CuratedError(kind as ErrorKind, message, { path, detail }));
  }
}

/**
 * Writes the calls' texts into the shard's arena, or into a larger buffer if they do not fit.
 * @param larger gives a shared buffer of at least so many bytes.
 */
export function packBatch(
  calls: Call[],
  arena: SharedArrayBuffer,
  larger: (bytes: number) => SharedArrayBuffer,
): Batch {
  const counts = calls.filter((c): c is CountCall => c.type === 'count');
  const tasks = calls.filter((c): c is TaskCall => c.type === 'task');
  let texts = 0;
  let bytes = 0;
  for (const call of counts) {
    texts += call.texts.length;
    bytes += call.bytes;
  }
  const message: BatchMessage = {
    v: POOL_CONTRACT_VERSION,
    texts,
    runs: [],
    tasks: tasks.map(({ kind, payload }) => ({ kind, payload })),
  };
  if (texts === 0) {
    return { calls, message, settle: (reply) => settleAll(counts, undefined, tasks, reply) };
  }
  let buffer = arena;
  if (arenaNeed(texts, bytes) > arena.byteLength) {
    // The bound is three times too high for plain text: measuring it costs less than the pages it would take.
    bytes = 0;
    for (const call of counts) for (const text of call.texts) bytes += exactBytes(text);
    const need = arenaNeed(texts, bytes);
    if (need > arena.byteLength) {
      buffer = larger(need);
      message.own = buffer;
    }
  }
  const writer = new ArenaWriter(buffer, texts);
  let run: CountRun | undefined;
  let first = 0;
  for (const call of counts) {
    for (const text of call.texts) writer.push(text);
    if (run !== undefined && run.encoding === call.encoding) run.n += call.texts.length;
    else {
      run = { encoding: call.encoding, first, n: call.texts.length };
      message.runs.push(run);
    }
    first += call.texts.length;
  }
  return { calls, message, settle: (reply) => settleAll(counts, writer.view.counts, tasks, reply) };
}

function settleAll(
  counts: CountCall[],
  column: Uint32Array | undefined,
  tasks: TaskCall[],
  reply: BatchReply,
): void {
  let at = 0;
  for (const call of counts) {
    const n = call.texts.length;
    // A copy in memory of its own: the arena belongs to the next batch.
    const own = new Uint32Array(n);
    if (column !== undefined) own.set(column.subarray(at, at + n));
    call.resolve(own);
    at += n;
  }
  for (const [i, call] of tasks.entries()) settleTask(call, reply.outcomes[i]);
}
