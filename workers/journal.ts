// The journal's writer thread: owns the SQLite file, commits what arrived since the last commit as one transaction.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { packError } from '../src/journal/packed.js';
import { type Replayed, replayRedo } from '../src/journal/redo-replay.js';
import { type Batch, Runner } from '../src/journal/runner.js';
import { SqliteEngine, type SqliteOptions } from '../src/journal/sqlite-engine.js';

/** Quiet time after which the log is written back, in ms. */
const IDLE_MS = 100;

function serve(port: MessagePort, data: { path: string; options: SqliteOptions }): void {
  let engine: SqliteEngine;
  let redo: Replayed;
  try {
    engine = new SqliteEngine(data.path, data.options);
    redo = replayRedo(data.path, engine, engine.vault);
  } catch (e) {
    port.postMessage({ failed: packError(e) });
    return;
  }
  const runner = new Runner(engine, (reply) => port.postMessage(reply));
  let quiet: NodeJS.Timeout | undefined;
  const { notices, ...greeting } = engine.greeting;
  port.postMessage({ ready: true, ...greeting, notices: [...notices, ...redo.notices], redone: redo.last });
  port.on('message', (first: Batch) => {
    const batches = [first];
    // What arrived while the last transaction ran leaves with this one.
    for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port))
      batches.push(more.message);
    runner.take(batches);
    runner.idle(true);
    if (quiet) quiet.refresh();
    else {
      quiet = setTimeout(() => runner.idle(false), IDLE_MS);
      quiet.unref();
    }
  });
}

serve(parentPort!, workerData as { path: string; options: SqliteOptions });
