// The entry of every shard: registers the task kinds and works off batches. Knows the pool's contract only.
import { workerData } from 'piscina';
import type { BatchMessage, BatchReply, ShardData } from '../src/pool/contract.js';
import { useTables } from '../src/pool/count-core.js';
import { runBatch } from '../src/pool/registry.js';
import '../src/pool/tasks.js';

const { arena, tables } = workerData as ShardData;
useTables(tables);

export default function work(message: BatchMessage): BatchReply {
  return runBatch(message, arena);
}
