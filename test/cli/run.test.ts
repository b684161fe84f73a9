// curated run and curated demo, from end to end.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { RunReport } from '../../src/eval/report.js';
import { curated, homeFor } from './command.js';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const SHARED = process.env['CURATED_SHARED'] ?? resolve(ROOT, '../shared');

function holds(report: RunReport): void {
  for (const c of report.conversations) {
    assert.deepEqual(c.breaches, [], c.id);
    assert.deepEqual(c.failures, [], c.id);
    assert.equal(c.recalls.exact, c.recalls.checked, `${c.id}: recalls`);
    assert.equal(c.replayed.identical, c.replayed.requests, `${c.id}: replay`);
    assert.equal(c.replayed.requests, c.requests, `${c.id}: every request is in the journal`);
  }
  assert.equal(report.ok, true);
}

test('run plays the recorded conversations: no violation, prefixes stand, recalls exact, replay identical', async (t) => {
  const folder = join(SHARED, 'data/transcripts');
  if (!existsSync(folder)) {
    t.skip(`no recorded conversations at ${folder}`);
    return;
  }
  const files = readdirSync(folder)
    .filter((f) => f.endsWith('.jsonl'))
    .map((f) => join(folder, f));
  const { stdout, stderr } = await curated(['run', '--json', '--preset', 'balanced', ...files], homeFor(t));
  assert.equal(stderr, '');
  const report = JSON.parse(stdout) as RunReport;
  assert.equal(report.conversations.length, 29);
  assert.deepEqual(report.skipped, []);
  holds(report);
  assert.ok(report.total.cleared.results > 0);
});

test('run on the bundled session saves tokens and money; with off and observe it changes nothing', async (t) => {
  const file = join(ROOT, 'demo/coding-session.jsonl');
  const reportOf = async (preset: string): Promise<RunReport> => {
    const { code, stdout, stderr } = await curated(['run', '--json', '--preset', preset, file], homeFor(t));
    assert.equal(code, 0, stderr + stdout);
    return JSON.parse(stdout) as RunReport;
  };
  const balanced = await reportOf('balanced');
  holds(balanced);
  assert.ok(balanced.total.tokens.curated < 0.6 * balanced.total.tokens.off);
  assert.ok(balanced.total.cost!.curated < balanced.total.cost!.off);
  for (const preset of ['off', 'observe']) {
    const same = await reportOf(preset);
    assert.equal(same.total.tokens.curated, same.total.tokens.off, preset);
    assert.equal(same.total.cost!.curated, same.total.cost!.off, preset);
    assert.equal(same.total.cleared.results, 0, preset);
  }
});

test('run tells which lines are no conversation, and plays the others', async (t) => {
  const home = homeFor(t);
  const file = join(home, 'mixed.jsonl');
  const good = {
    id: 'good',
    format: 'openai',
    messages: [
      { role: 'user', content: 'hi\u2028there' },
      { role: 'assistant', content: 'hello' },
    ],
  };
  writeFileSync(
    file,
    [
      '{"id": broken',
      '',
      JSON.stringify({ format: 'gemini', messages: [] }),
      JSON.stringify(good),
      '[]',
    ].join('\n'),
  );
  const { stdout } = await curated(['run', '--json', file], home);
  const report = JSON.parse(stdout) as RunReport;
  assert.deepEqual(
    report.skipped.map((s) => s.line),
    [1, 3, 5],
  );
  assert.deepEqual(
    report.conversations.map((c) => [c.id, c.model, c.requests]),
    [['good', 'gpt-5.4', 1]],
  );
  assert.equal((await curated(['run', join(home, 'none.jsonl')], home)).code, 2);
  // Nothing played is nothing checked: no pass.
  writeFileSync(file, '{"format":"gemini","messages":[]}\n');
  const nothing = await curated(['run', '--json', file], home);
  assert.equal(nothing.code, 2);
  assert.equal((JSON.parse(nothing.stdout) as RunReport).ok, false);
  assert.match(nothing.stderr, /no conversation in these files: .*mixed\.jsonl:1: /);
});

test('demo runs by itself and ends with a recall and a replay that hold', async (t) => {
  const { code, stdout, stderr } = await curated(['demo'], homeFor(t));
  assert.equal(code, 0, stdout + stderr);
  for (const expected of [
    /Turn 4/,
    /cleared \d+ results/,
    /loses the cache of \S+ tokens once, saves the price of \S+ input tokens a request: paid back after \d+ requests?/,
    /recall\.get \w+: .* the original bytes/,
    /rebuilt from the journal alone: all/,
    /no violation/,
  ])
    assert.match(stdout, expected);
});
