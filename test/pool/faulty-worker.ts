// A shard's entry with the ways a worker dies, for the tests of supervision.
import { workerData } from 'piscina';
import type { BatchMessage, BatchReply, ShardData } from '../../src/pool/contract.js';
import { useTables } from '../../src/pool/count-core.js';
import { registerTask, runBatch } from '../../src/pool/registry.js';
import '../../src/pool/tasks.js';

declare module '../../src/pool/contract.js' {
  interface TaskMap {
    /** `once`: a shared cell that the first run sets; with it only the first run is fatal. */
    die: { payload: { how: 'exit' | 'memory' | 'loop' | 'trap'; once?: Int32Array }; result: string };
    sleep: { payload: number; result: number };
  }
}

registerTask('die', {
  run({ how, once }) {
    if (once !== undefined && Atomics.exchange(once, 0, 1) === 1) return 'lived';
    if (how === 'exit') process.exit(3);
    if (how === 'trap') throw Object.assign(new Error('unreachable'), { name: 'RuntimeError' });
    const hoard: unknown[] = [];
    for (;;) if (how === 'memory') hoard.push(Array.from({ length: 1000 }, (_, i) => ({ i })));
  },
});
registerTask('sleep', {
  run(ms) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    return ms;
  },
});

const { arena, tables } = workerData as ShardData;
useTables(tables);

export default function work(message: BatchMessage): BatchReply {
  return runBatch(message, arena);
}
