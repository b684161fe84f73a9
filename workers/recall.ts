// The thread that owns the recall index: takes calls in order, answers each, and tidies up when nobody asks.

import { parentPort, workerData } from 'node:worker_threads';
import { RecallIndex } from '../src/context/recall/index-file.js';
import type { IndexAnswer, IndexRequest } from '../src/context/recall/index-thread.js';
import { packError } from '../src/journal/packed.js';

/** Quiet time before tidying, and between its steps, in ms. */
const QUIET_MS = 1000;

const index = new RecallIndex((workerData as { path: string }).path);
let changed = false;
const quiet = setInterval(() => {
  if (!changed) return;
  try {
    changed = index.tidy();
  } catch {
    // The next call meets the same fault and tells it.
    changed = false;
  }
}, QUIET_MS);
quiet.unref();

parentPort!.on('message', ({ id, call, args }: IndexRequest) => {
  let answer: IndexAnswer;
  try {
    answer = { id, value: (index[call] as (...a: readonly unknown[]) => unknown)(...args) };
  } catch (e) {
    answer = { id, error: packError(e) };
  }
  changed ||= call === 'add' || call === 'erase';
  quiet.refresh();
  parentPort!.postMessage(answer);
});
