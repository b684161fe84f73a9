// Live pivots: a scripted agent with a scripted model at small tasks, and the comparison over planted outcomes.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { attempt } from '../../src/eval/live/attempt.js';
import { type LiveReport, livePivot } from '../../src/eval/live/pivot.js';
import { loadTasks, type Task } from '../../src/eval/live/task.js';
import { seeded } from '../../src/random.js';

const ROOT = resolve(fileURLToPath(new URL('../../..', import.meta.url)));
const AGENT = `${JSON.stringify(process.execPath)} ${JSON.stringify(join(ROOT, 'test/fixtures/agent/agent.mjs'))}`;

function folder(t: TestContext, files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), 'live-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

const TASK = 'name: find\nprompt: What is the word?\ncheck: grep -qx heron answer.txt\ntimeout_s: 60\n';
const filler = (i: number): string => `page ${i} of the notes, nothing to see here. `.repeat(2000);

test('an agent of one’s own works on tasks under two arms, and its success, tokens and cost are told', (t) => {
  const dir = folder(t, {
    'find/task.yaml': TASK,
    'find/files/a.md': 'the word is heron',
    ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`find/files/b${i}.md`, filler(i)])),
    'lost/task.yaml': 'name: lost\nprompt: What is the word?\ncheck: grep -qx crane answer.txt\n',
    'lost/files/a.md': 'the word is heron',
  });
  const main = join(ROOT, 'dist/src/main.js');
  const args = ['eval', '--agent', AGENT, '--data', dir, '--presets', 'off,balanced', '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    encoding: 'utf8',
    timeout: 120_000,
  });
  const report = JSON.parse(stdout) as LiveReport;
  const outcome = (task: string, arm: string) => report.trials.find((x) => x.task === task && x.arm === arm)!;
  assert.equal(report.trials.length, 4, stderr);
  for (const arm of ['off', 'balanced']) {
    assert.equal(outcome('find', arm).success, true, JSON.stringify(outcome('find', arm)));
    assert.equal(outcome('lost', arm).failure, 'check');
    assert.ok(outcome('lost', arm).cost! > 0);
  }
  assert.ok(outcome('find', 'balanced').tokens! < outcome('find', 'off').tokens! / 2);
  assert.deepEqual(
    report.arms.map((a) => [a.preset, a.attempts, a.successes]),
    [
      ['off', 2, 1],
      ['balanced', 2, 1],
    ],
  );
});

test('an agent that fails or hangs is a failed attempt; what it started ends with it', async (t) => {
  const [task] = loadTasks(folder(t, { 'x/task.yaml': TASK })).tasks;
  const of = (prompt: string, more: Partial<Task> = {}) => attempt({ ...task!, prompt, ...more }, AGENT, {});
  assert.equal((await of('fail')).failure, 'agent');
  const hung = await of('hang', { timeout_s: 1.5 });
  assert.equal(hung.failure, 'timeout');
  assert.ok(hung.seconds >= 1.4 && hung.seconds < 30, `${hung.seconds}`);
});

test('what is wrong with a task is told with its file', (t) => {
  const dir = folder(t, {
    'a/task.yaml': TASK,
    'b/task.yaml': TASK,
    'c/task.yaml': 'name: c\ncheck: ""\nretries: 3\n',
    'd/notes.txt': 'no task',
  });
  const { tasks, errors } = loadTasks(dir);
  assert.equal(tasks.length, 1);
  assert.equal(errors.length, 2);
  assert.match(errors[0]!, /b\/task\.yaml: there is a task named find already/);
  assert.match(errors[1]!, /c\/task\.yaml/);
});

function planted(
  rates: Record<string, number>,
  seed: number,
  o: { stopEarly?: boolean; trials?: number } = {},
) {
  const next = seeded(seed);
  const tasks = Array.from({ length: 20 }, (_, i) => ({
    name: `t${i}`,
    prompt: '',
    check: 'true',
    timeout_s: 1,
  }));
  return livePivot({
    tasks,
    arms: Object.keys(rates),
    trials: o.trials ?? 3,
    seed,
    margin: 0.1,
    stopEarly: o.stopEarly ?? false,
    run: async (_task, arm) => ({
      attempt: { success: next() < rates[arm]!, seconds: 1, output: '' },
      bills: [
        {
          session: 's',
          model: 'm',
          heldOut: false,
          requests: 1,
          tokens: arm === 'off' ? 1000 : 600 + Math.floor(next() * 10),
          output: 1,
          cost: arm === 'off' ? 1 : 0.7,
        },
      ],
    }),
  });
}

test('a planted loss of success is found, ends the run early where asked, and no loss is not found', async () => {
  const worse = await planted({ off: 0.9, bad: 0.2 }, 3);
  const bad = worse.arms[1]!.against!;
  assert.ok(bad.success.p < 0.001 && bad.difference!.high < 0 && !bad.non_inferior);
  assert.ok(Math.abs(bad.saved_tokens!.mean - 0.4) < 0.02);
  const early = await planted({ off: 0.9, bad: 0.2 }, 3, { stopEarly: true, trials: 10 });
  assert.equal(early.stopped_early, true);
  assert.equal(early.arms[1]!.against!.verdict, 'worse');
  assert.ok(early.trials.length < 2 * 20 * 10);
  let found = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const { success } = (await planted({ off: 0.7, same: 0.7 }, seed)).arms[1]!.against!;
    if (success.p < 0.05) found++;
  }
  assert.ok(found <= 7, `${found} of 40`);
});

test('arms are interleaved in another order each time, and every one makes every attempt', async () => {
  const order: string[] = [];
  const r = await livePivot({
    tasks: [{ name: 't', prompt: '', check: 'true', timeout_s: 1 }],
    arms: ['off', 'a', 'b'],
    trials: 30,
    seed: 1,
    margin: 0.1,
    stopEarly: false,
    run: async (_task, arm) => {
      order.push(arm);
      return { attempt: { success: true, seconds: 1, output: '' }, bills: [] };
    },
  });
  const firsts = new Set(order.filter((_, i) => i % 3 === 0));
  assert.equal(firsts.size, 3);
  for (let i = 0; i < order.length; i += 3) assert.equal(new Set(order.slice(i, i + 3)).size, 3);
  assert.ok(r.arms.every((a) => a.attempts === 30 && a.successes === 30));
  assert.equal(r.trials[0]!.tokens, null);
});
