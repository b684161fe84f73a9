// A snapshot is a cache: with one, without one, or with one that is not taken, a session is the same to the last byte.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MemoryStore, references } from '../../src/journal/index.js';
import { foldState, resume } from '../../src/session/load.js';
import { Rendering } from '../../src/session/request/rendering.js';
import { requestJson, requestText } from '../../src/session/request/view.js';
import { bodyOf, stateHash } from '../../src/session/snapshot/body.js';
import { packed } from '../../src/session/snapshot/container.js';
import type { SessionState } from '../../src/session/state/state.js';
import { BenchDaemon } from '../session/bench-daemon.js';
import { converse } from './conversations.js';

const KEY = { tenant: 'default', session: 's' };
const STEPS = 20;

function requestOf(state: SessionState): string {
  const rendering = new Rendering();
  rendering.sync(state);
  return requestJson(requestText(state, rendering)).text;
}

async function copyOf(store: MemoryStore): Promise<MemoryStore> {
  const copy = new MemoryStore();
  const records = await store.read(KEY, 1, 100_000);
  const hashes = records.flatMap((r) => references(r.payload));
  const blobs = [...(await store.blobs(KEY, hashes))].map(([hash, bytes]) => ({ hash, bytes }));
  copy.append(KEY, 0, records, blobs);
  await copy.flush('os');
  return copy;
}

/** The next call of an agent, by a daemon that has to read the session first. */
async function nextAnswer(store: MemoryStore): Promise<string> {
  const d = new BenchDaemon({ store });
  const state = await foldState(store, KEY);
  const append = [{ role: 'user', content: 'and now?' }];
  try {
    return await d.callText('llm.prepare', { session: 's', ...(state.pending.size > 0 ? {} : { append }) });
  } catch (e) {
    return (e as Error).message;
  }
}

test('J-12 a snapshot at any seq and the events behind it give the state and the request of all events', async () => {
  let edited = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 2 ** 31 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (seed, share) => {
        const with_ = new MemoryStore();
        await converse(seed, STEPS, with_);
        const without = await copyOf(with_);
        const whole = await foldState(with_, KEY);
        const at = 1 + Math.floor(share * (whole.seq - 1));
        const before = await foldState(with_, KEY, at);
        with_.saveSnapshot(KEY, at, before.hash, await packed(bodyOf(before)));
        const { state, snapshot, refused } = await resume(with_, KEY);
        assert.deepEqual({ snapshot, refused }, { snapshot: at, refused: undefined });
        assert.equal(stateHash(state), stateHash(whole), `seed ${seed}, snapshot at ${at} of ${whole.seq}`);
        assert.equal(requestOf(state), requestOf(whole));
        assert.equal(await nextAnswer(with_), await nextAnswer(without), `seed ${seed}, snapshot at ${at}`);
        if (whole.ledger.size > 0) edited += 1;
      },
    ),
    { numRuns: 24 },
  );
  assert.ok(edited > 4, 'hardly a conversation had decisions to keep');
});
