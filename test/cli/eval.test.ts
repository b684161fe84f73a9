// curated eval, promote and whatif from the command line: exit codes, files, a session that becomes a case.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connect } from '../../src/client/index.js';
import { curated, homeFor } from './command.js';

const LOGS = resolve(fileURLToPath(new URL('../../../test/fixtures/logs', import.meta.url)));

test('E-3 E-4 promote makes a case of a session; eval passes it, and fails it once it is broken', async (t) => {
  const home = homeFor(t);
  assert.equal((await curated(['start', '--detach', '--port', '0'], home)).code, 0);
  const client = await connect({ client: { name: 'test', version: '1' }, home });
  t.after(() => client.close());
  const session = await client.session({ session: 's1', format: 'anthropic', model: 'claude-sonnet-4-5' });
  const call = { type: 'tool_use', id: 't1', name: 'Read', input: { path: 'a' } };
  await session.prepare({ append: [{ role: 'user', content: 'go' }] });
  await session.append([{ role: 'assistant', content: [call] }]);
  const result = { type: 'tool_result', tool_use_id: 't1', content: 'line\n'.repeat(1000) };
  await session.prepare({ append: [{ role: 'user', content: [result] }] });
  await session.append([{ role: 'assistant', content: [{ type: 'text', text: 'done' }] }]);
  await session.endTurn({});
  const dir = join(home, 'cases', 'one');
  const promoted = await curated(['promote', 's1', dir, '--tag', 'smoke'], home);
  assert.equal(promoted.code, 0, promoted.stderr);
  assert.equal((await curated(['promote', 's1', dir], home)).code, 2);

  const out = join(home, 'out');
  const passed = await curated(['eval', '--data', join(home, 'cases'), '--tag', 'smoke', '--out', out], home);
  assert.equal(passed.code, 0, passed.stdout + passed.stderr);
  const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
  assert.deepEqual([report.schema_version, report.totals.passed, report.cases[0].requests], ['1', 1, 2]);
  assert.match(readFileSync(join(out, 'summary.txt'), 'utf8'), /1 of 1 cases passed/);

  writeFileSync(join(dir, 'assertions.yaml'), '- {kind: token_budget, max_input_tokens: 1}\n');
  const baseline = join(out, 'report.json');
  const failed = await curated(['eval', '--data', dir, '--baseline', baseline, '--json'], home);
  assert.equal(failed.code, 1);
  assert.match(JSON.parse(failed.stdout).regressions[0], /passed before, fails now/);

  const asked = await curated(['eval', '--inspect-mode'], home, JSON.stringify({ case: dir }));
  assert.equal(asked.code, 1);
  assert.equal(JSON.parse(asked.stdout).cases[0].passed, false);
  const wrong = await curated(['eval', '--inspect-mode'], home, '{"case": 5}');
  assert.equal(wrong.code, 1);
  assert.match(JSON.parse(wrong.stdout).error, /case/);
});

test('E-4 sample draws by name, takes what failed, and adds nothing twice', async (t) => {
  const home = homeFor(t);
  assert.equal((await curated(['start', '--detach', '--port', '0'], home)).code, 0);
  const client = await connect({ client: { name: 'test', version: '1' }, home });
  t.after(() => client.close());
  for (const name of ['good', '../bad']) {
    const session = await client.session({ session: name, format: 'anthropic', model: 'claude-sonnet-4-5' });
    await session.prepare({ append: [{ role: 'user', content: 'go' }] });
    // Nobody can go on from this error; it is journalled all the same.
    if (name !== 'good')
      await assert.rejects(
        client.call('llm.error', { session: name, error: { status: 500, message: 'overloaded' } } as never),
      );
  }
  const dir = join(home, 'cases');
  const sample = async (...args: string[]) => {
    const { code, stdout, stderr } = await curated(['sample', dir, '--json', ...args], home);
    assert.equal(code, 0, stderr);
    return (JSON.parse(stdout) as { added: { session: string; failures: string[] }[] }).added;
  };
  assert.deepEqual(await sample('--rate', '1'), [], 'both are in use');
  await client.close();
  // The daemon learns of the closed connection by itself.
  let failed = await sample('--rate', '0', '--failure-capture');
  for (let i = 0; i < 20 && failed.length === 0; i++)
    failed = await sample('--rate', '0', '--failure-capture');
  assert.deepEqual(
    failed.map((s) => [s.session, s.failures]),
    [['../bad', ['llm.error']]],
  );
  assert.deepEqual(await sample('--rate', '0', '--failure-capture'), []);
  assert.deepEqual(
    (await sample('--rate', '1')).map((s) => s.session),
    ['good'],
  );
  const run = await curated(['eval', '--data', dir, '--json'], home);
  const report = JSON.parse(run.stdout) as { cases: { name: string; passed: boolean }[] };
  assert.equal(report.cases.find((c) => c.name === 'good')!.passed, true);
  assert.equal(report.cases.length, 2);
  assert.equal((await curated(['sample', dir, '--rate', '2'], home)).code, 2);
});

test('E-5 eval compares presets on conversations, the same for the same seed', async (t) => {
  const home = homeFor(t);
  const html = join(home, 'report.html');
  const args = ['eval', '--data', join(LOGS, 'claude-code.jsonl'), '--presets', 'off,aggressive', '--json'];
  args.push('--html', html);
  const [a, b] = [await curated(args, home), await curated(args, home)];
  assert.equal(a.code, 0, a.stderr);
  const [one, two] = [JSON.parse(a.stdout), JSON.parse(b.stdout)];
  assert.deepEqual(
    one.arms.map((x: { preset: string }) => x.preset),
    ['off', 'aggressive'],
  );
  assert.deepEqual(one.arms[1].total, two.arms[1].total);
  assert.equal(one.arms[0].total.requests, 5);
  const page = readFileSync(html, 'utf8');
  assert.match(page, /<td>aggressive<\/td>/);
  assert.doesNotMatch(page, /(?:src|href)=|NaN|undefined|Infinity/);
  assert.equal((await curated(['eval', '--data', join(home, 'nowhere')], home)).code, 2);
  assert.equal((await curated(['eval', '--presets', 'bold'], home)).code, 2);
});

test('whatif needs no daemon; a folder gives all its logs, nothing there is exit 2', async (t) => {
  const home = homeFor(t);
  const { code, stdout, stderr } = await curated(['whatif', LOGS, '--json'], home);
  assert.equal(code, 0, stderr);
  const r = JSON.parse(stdout);
  assert.deepEqual([r.files, r.sessions, r.requests], [5, 8, 16]);
  assert.deepEqual(Object.keys(r.presets), ['off', 'conservative', 'balanced', 'aggressive']);
  assert.match((await curated(['whatif', LOGS], home)).stdout, /8 sessions, 16 requests in 5 files/);
  const nothing = await curated(['whatif', home], home);
  assert.equal(nothing.code, 2);
  assert.match(nothing.stderr, /~\/\.claude\/projects/);
  assert.equal(existsSync(join(home, 'data')), false);
});
