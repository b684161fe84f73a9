// What an agent may rely on when the daemon ends, by a signal or by a crash.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../src/client/index.js';
import { CuratedError } from '../../src/errors.js';
import { daemonProcess } from './daemon-process.js';

const OPEN = { format: 'openai-chat', model: 'gpt-5.4' } as const;
const me = { name: 'test', version: '1' };

test('F48 SIGTERM under load: drained under 5 s, exit 0, and no acknowledged turn is lost', async (t) => {
  const first = await daemonProcess(t);
  const client = await connect({ home: first.home, client: me, reconnect: false });
  const acknowledged = new Map<string, number>();
  let isLoaded = true;
  const lanes = Array.from({ length: 8 }, async (_, i) => {
    const session = await client.session({ ...OPEN, session: `load-${i}` });
    for (let n = 0; isLoaded; n++) {
      try {
        await session.prepare({ append: [{ role: 'user', content: `question ${n} ${'x'.repeat(1500)}` }] });
        await session.append([{ role: 'assistant', content: `answer ${n}` }]);
        const { turn } = await session.endTurn({});
        acknowledged.set(session.id, turn);
      } catch {
        // The daemon drains: whatever was not acknowledged may be gone.
        return;
      }
    }
  });
  while ([...acknowledged.values()].filter((turn) => turn >= 3).length < 8) await sleep(10);
  const { ms, code } = await first.end('SIGTERM');
  isLoaded = false;
  await Promise.all(lanes);
  await client.close();
  assert.equal(code, 0);
  assert.ok(ms < 5000, `the drain took ${Math.round(ms)} ms`);
  assert.equal(existsSync(join(first.home, 'run/daemon.json')), false);

  const second = await daemonProcess(t, first.home);
  const again = await connect({ home: second.home, client: me });
  for (const [id, turn] of acknowledged) {
    const opened = await again.session({ ...OPEN, session: id });
    // A turn number is that of the turn that ended; the stored session stands in the next one, or further.
    assert.ok(
      opened.opened.turn > turn,
      `${id} stands at turn ${opened.opened.turn}, turn ${turn} was acknowledged`,
    );
    const { messages } = await opened.messages({});
    assert.ok(messages.length >= 2 * (turn + 1));
    assert.equal((await opened.call('journal.replay', {})).identical, true);
  }
  await again.close();
  await second.end('SIGTERM');
});

test('F38 after a crash the same key gives the recorded answer with one effect, another body is refused', async (t) => {
  const first = await daemonProcess(t);
  const client = await connect({ home: first.home, client: me, reconnect: false });
  const session = await client.session({ ...OPEN, session: 'keys' });
  const messages = [{ role: 'user', content: 'once' }];
  const answer = await session.append(messages, { key: 'k1' });
  const prepared = await session.prepare({ key: 'k2' });
  await first.end('SIGKILL');
  await client.close();

  const second = await daemonProcess(t, first.home);
  const again = await connect({ home: second.home, client: me });
  const resumed = await again.session({ ...OPEN, session: 'keys' });
  assert.equal(resumed.opened.resumed, true);
  assert.deepEqual(await resumed.append(messages, { key: 'k1' }), answer);
  assert.equal((await resumed.prepare({ key: 'k2' })).hash, prepared.hash);
  assert.equal((await resumed.messages({})).messages.length, 1);
  await assert.rejects(
    resumed.append([{ role: 'user', content: 'twice' }], { key: 'k1' }),
    (e) => e instanceof CuratedError && e.kind === 'IDEMPOTENCY_CONFLICT',
  );
  await again.close();
  await second.end('SIGTERM');
});
