// curated journal, bisect, diff, state, undo, forget: as a person would use them, with a daemon and without one.
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from '../../src/client/index.js';
import { curated, homeFor } from './command.js';

const BODY = 'a line of a file\n'.repeat(100);

async function played(home: string): Promise<void> {
  const client = await connect({ home, client: { name: 'test', version: '1' } });
  const session = await client.session({
    session: 's',
    format: 'anthropic',
    model: 'claude-haiku-4-5',
    config: {
      plugins: {
        active: ['nexus.memory.tool_result_clear'],
        'nexus.memory.tool_result_clear': { age_turns: 1 },
      },
    },
  });
  for (let n = 0; n < 3; n++) {
    await session.append([
      { role: 'user', content: `go ${n}` },
      { role: 'assistant', content: [{ type: 'tool_use', id: `t${n}`, name: 'Read', input: { n } }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `t${n}`, content: `walrus ${n}\n${BODY}` }],
      },
    ]);
    await session.prepare();
    await session.append([{ role: 'assistant', content: [{ type: 'text', text: 'done' }] }]);
    await session.endTurn();
  }
  await session.prepare({ append: [{ role: 'user', content: 'and?' }] });
  await client.close();
}

test('J-1 F46 the journal goes out, comes in, is verified and backed up by the command line, with a daemon and without', async (t) => {
  const home = homeFor(t);
  await curated(['start', '--port', '0', '--detach'], home);
  await played(home);
  const file = join(home, 's.jsonl');
  const out = await curated(['journal', 'export', 's', file], home);
  assert.match(out.stdout, /^s: \d+ events and \d+ texts in /);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const copy = await curated(['journal', 'import', file, '--as', 'copy', '--json'], home);
  assert.equal(JSON.parse(copy.stdout).session, 'copy');
  const twice = await curated(['journal', 'import', file, '--as', 'copy'], home);
  assert.match(twice.stderr, /exists already\nhint: curated journal import .* --as ANOTHER_ID/);
  const backup = JSON.parse(
    (await curated(['journal', 'backup', join(home, 'b.db'), '--json'], home)).stdout,
  );
  assert.deepEqual([backup.ok, backup.sessions], [true, 2]);
  assert.match((await curated(['forget', 'copy'], home)).stdout, /^copy: erased/);
  const online = await curated(['journal', 'verify', '--json'], home);
  await curated(['stop'], home);

  assert.deepEqual(
    JSON.parse((await curated(['journal', 'verify', '--json'], home)).stdout),
    JSON.parse(online.stdout),
  );
  assert.equal((await curated(['journal', 'export', 's'], home)).stdout, readFileSync(file, 'utf8'));
  const dumped = await curated(['journal', 'dump', 's', '--from', '1', '--to', '1', '--json'], home);
  const opened = JSON.parse(dumped.stdout) as Record<string, unknown>;
  assert.deepEqual([opened['seq'], opened['type'], opened['session']], [1, 'session.opened', 's']);
  writeFileSync(file, readFileSync(file, 'utf8').replace('go 1', 'go 9'));
  const bad = await curated(['journal', 'import', file, '--as', 'bad'], home);
  assert.equal(bad.code, 1);
  assert.match(bad.stderr, /line \d+ of the export does not match its hash/);
  const there = await curated(['journal', 'import', file], home);
  assert.match(there.stderr, /exists already\nhint: curated journal import .* --as ANOTHER_ID/);
});

test('J-10 bisect, diff, state and undo tell what was decided and take it back', async (t) => {
  const home = homeFor(t);
  await curated(['start', '--port', '0', '--detach'], home);
  await played(home);
  const bisected = await curated(['bisect', 's', 'walrus 0'], home);
  assert.match(
    bisected.stdout,
    /memory\.tool_result_cleared, layer tool_result_clear, reason age, tool Read/,
  );
  const seq = /curated undo s (\d+)/.exec(bisected.stdout)![1]!;
  const diff = await curated(['diff', 's', '--turn', '2'], home);
  assert.match(diff.stdout, /^- walrus 0$/m);
  assert.match(diff.stdout, /^\+ <tool_result /m);
  assert.doesNotMatch(diff.stdout, /\u001b/);
  assert.match((await curated(['undo', 's', seq], home)).stdout, /taken back: when the running turn ends/);
  assert.match((await curated(['state', 's', '--at', '1'], home)).stdout, /s at #1, turn 0\n {2}0 messages/);
});
