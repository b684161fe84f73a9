// E-5: the same conversations under several arms, each held against off; the page is looked at by a browser where there is one.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { attach } from '../../native/index.js';
import { type ArmSpec, type ArmsReport, armOf, playArms, runArms } from '../../src/eval/arms/index.js';
import { armsHtml } from '../../src/eval/html/index.js';
import { EvalThreads } from '../../src/eval/threads.js';
import { roughTokens } from '../session/bench-daemon.js';

const NOW = Date.parse('2026-11-29T00:00:00Z');
const NAMES = ['off', 'observe', 'conservative', 'balanced', 'aggressive', 'native'];
const ARMS = NAMES.map((name) => armOf(name)!);

/** One user turn and `rounds` calls of a tool whose results have `words` words; each call names what the last result told. */
function conversation(id: string, rounds: number, words: number): string {
  const messages: unknown[] = [{ role: 'user', content: 'Follow the trail to its end.' }];
  for (let i = 0; i < rounds; i++) {
    messages.push({
      role: 'assistant',
      content: [{ type: 'tool_use', id: `t${i}`, name: 'Open', input: { target: `trail-stone-${id}-${i}` } }],
    });
    const text = Array.from({ length: words }, (_, w) => `word${(w * 7 + i) % 97}`).join(' ');
    messages.push({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: `t${i}`, content: `${text} next is trail-stone-${id}-${i + 1}` },
      ],
    });
  }
  messages.push({ role: 'assistant', content: 'The end.' });
  return JSON.stringify({ id, format: 'anthropic', model: 'claude-sonnet-4-5', messages, meta: {} });
}

async function files(t: TestContext): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'arms-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const lines = Array.from({ length: 6 }, (_, i) => conversation(`c${i}`, 70 + 5 * i, 1500 + 100 * i));
  await writeFile(join(dir, 'a.jsonl'), lines.slice(0, 3).join('\n'));
  await writeFile(join(dir, 'b.jsonl'), lines.slice(3).join('\n'));
  return [join(dir, 'a.jsonl'), join(dir, 'b.jsonl')];
}

const here = (paths: readonly string[], arms: readonly ArmSpec[]): Promise<ArmsReport> =>
  runArms(paths, {
    arms,
    seed: 1,
    now: NOW,
    play: (s, specs) => playArms(s, specs, { count: roughTokens, now: NOW }),
  });

const armIn = (r: ArmsReport, name: string) => r.arms.find((a) => a.preset === name)!;

test('E-5: every arm makes the same requests; off and observe lose nothing and save nothing', async (t) => {
  const r = await here(await files(t), ARMS);
  assert.deepEqual(
    r.arms.map((a) => a.preset),
    NAMES,
  );
  assert.equal(r.conversations, 6);
  const off = armIn(r, 'off').total;
  for (const arm of r.arms) {
    assert.equal(arm.total.requests, off.requests, arm.preset);
    assert.equal(arm.total.needles.needed, off.needles.needed, arm.preset);
    const depths = arm.total.depths.reduce((sum, d) => sum + d.needed, 0);
    assert.equal(depths, off.needles.needed, arm.preset);
  }
  assert.ok(off.needles.needed > 300);
  assert.equal(off.needles.kept, off.needles.needed);
  assert.equal(armIn(r, 'off').saved_cost, null);
  const observe = armIn(r, 'observe');
  // What is not cleared cannot be fetched again; off has the agent's own rate.
  assert.deepEqual(observe.total, { ...off, rereads: { of: 0, again: 0 } });
  assert.deepEqual(observe.saved_cost, { mean: 0, low: 0, high: 0, n: 6 });
  const balanced = armIn(r, 'balanced');
  assert.ok(balanced.saved_cost!.low > 0 && balanced.saved_cost!.high < 1);
  assert.ok(balanced.total.cleared > 0 && observe.total.cleared === 0);
});

test("E-5: the provider's own editing starts at its trigger, and its edge moves with every result", async (t) => {
  const small = await mkdtemp(join(tmpdir(), 'arms-'));
  t.after(() => rm(small, { recursive: true, force: true }));
  const file = join(small, 'small.jsonl');
  await writeFile(file, conversation('s', 20, 200));
  const quiet = armIn(await here([file], ARMS), 'native').total;
  assert.equal(quiet.cleared, 0);
  assert.equal(quiet.needles.kept, quiet.needles.needed);
  const large = await here(await files(t), ARMS);
  const native = armIn(large, 'native');
  assert.ok(native.total.cleared > 50, `${native.total.cleared}`);
  assert.ok(native.total.cache_breaks > native.conversations.length, 'more than one break a conversation');
  // What a call needs here is always in the newest result, which stays.
  assert.equal(native.total.needles.kept, native.total.needles.needed);
});

test('E-5: threads give what one thread gives; a configuration of its own is an arm like its preset', async (t) => {
  const paths = await files(t);
  const config: ArmSpec = { kind: 'config', name: 'mine', config: { curated: { preset: 'balanced' } } };
  const arms = [armOf('balanced')!, config];
  const tokenizer = attach();
  const threads = new EvalThreads(NOW, 2);
  t.after(async () => {
    tokenizer.dispose();
    await threads.close();
  });
  const count = (text: string): number => tokenizer.count(text, 'o200k_base');
  const one = await runArms(paths, {
    arms,
    seed: 1,
    now: NOW,
    play: (s, a) => playArms(s, a, { count, now: NOW }),
  });
  const many = await runArms(paths, {
    arms,
    seed: 1,
    now: NOW,
    ahead: threads.ahead,
    play: (s, a) => threads.playArms(s, a),
  });
  const timeless = (r: ArmsReport) => ({ ...r, arms: r.arms.map(({ latency: _, ...rest }) => rest) });
  assert.deepEqual(timeless(many), timeless(one));
  const [preset, mine] = timeless(one).arms;
  assert.deepEqual({ ...mine, preset: 'balanced' }, preset);
});

test('the page shows every arm in every plot, and takes no name for markup', async (t) => {
  const evil: ArmSpec = { kind: 'config', name: '<b>&"mine', config: { curated: { preset: 'balanced' } } };
  const r = await here(await files(t), [...ARMS, evil]);
  const html = armsHtml(r);
  assert.ok(!html.includes('<b>&"mine'));
  assert.ok(!/<script|https?:/.test(html));
  const plots = [...html.matchAll(/<svg[\s\S]*?<\/svg>/g)].map((m) => m[0]);
  // Saved, Pareto, retention, and one of each arm that made requests.
  assert.equal(plots.length, 3 + r.arms.length - 1);
  for (const plot of plots.slice(0, 3))
    for (const name of NAMES.slice(1)) assert.ok(plot.includes(`>${name}</text>`));
  assert.ok(plots.every((p) => !/NaN|undefined|Infinity/.test(p)));
  const browser = ['chromium', 'chromium-browser', 'google-chrome'].find(
    (name) => spawnSync(name, ['--version']).status === 0,
  );
  if (browser === undefined) return t.diagnostic('no browser here: the page was not opened in one');
  const dir = await mkdtemp(join(tmpdir(), 'page-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, 'arms.html');
  // The page tells by its title what the browser made of it.
  const probe = `<script>document.title = [document.querySelectorAll('svg').length, document.querySelectorAll('tbody tr').length,
    [...document.querySelectorAll('svg')].filter((s) => s.getBoundingClientRect().height < 20).length].join(' ');</script>`;
  await writeFile(file, html.replace('</body>', `${probe}</body>`));
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--dump-dom',
    `--user-data-dir=${dir}/profile`,
  ];
  const dom = execFileSync(browser, [...flags, `file://${file}`], {
    encoding: 'utf8',
    stdio: 'pipe',
    timeout: 60_000,
  });
  assert.match(dom, new RegExp(`<title>${plots.length} ${2 * r.arms.length} 0</title>`));
});
