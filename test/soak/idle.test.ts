// A daemon that runs for a month on a laptop is idle most of that time: then the machine sleeps.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../src/client/index.js';
import { least } from '../support/least.js';
import { daemonProcess } from '../wire/daemon-process.js';

const WINDOW_MS = 2_000;
const MOST_A_SECOND = 15;

/** How often threads of the process have waited for something so far, and been woken for it. */
function wakeups(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).reduce((sum, task) => {
    const said = /^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`${tasks}/${task}/status`, 'utf8'));
    return sum + Number(said?.[1]);
  }, 0);
}

test('an idle daemon with an open session wakes a few times a second at most, all threads together', async (t) => {
  if (!existsSync('/proc/self/status')) {
    t.skip('counts what Linux tells under /proc');
    return;
  }
  const daemon = await daemonProcess(t);
  const client = await connect({ home: daemon.home, client: { name: 'idle', version: '1' } });
  t.after(() => client.close());
  const session = await client.session({ session: 's', format: 'anthropic', model: 'claude-sonnet-4-5' });
  await session.prepare({ append: [{ role: 'user', content: 'Find out why.' }] });
  const perSecond = await least(MOST_A_SECOND, async () => {
    const before = wakeups(daemon.pid);
    await sleep(WINDOW_MS);
    return ((wakeups(daemon.pid) - before) * 1000) / WINDOW_MS;
  });
  assert.ok(perSecond > 0, 'something was counted');
  assert.ok(perSecond <= MOST_A_SECOND, `${perSecond} wakeups a second`);
});
