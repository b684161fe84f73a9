// Appending to a session's files: in order, with the folder made at the first time, and never a silent failure.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { append } from '../../src/service/working-folder.js';

function temporary(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'curated-folder-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('L5-9 what is appended stands behind what was there, in a file that its owner alone reads', async (t) => {
  const path = join(temporary(t), 'sessions', 'a', 'current.jsonl');
  const big = Buffer.alloc(3_000_000, 'x');
  for (const part of [Buffer.from('one\n'), big, Buffer.from('zwei äöü\n')]) await append(path, part);
  assert.equal(readFileSync(path, 'utf8'), `one\n${big}zwei äöü\n`);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('J-12 a file that cannot be opened or written is an error for its writer', async (t) => {
  const dir = temporary(t);
  const file = join(dir, 'taken');
  writeFileSync(file, '');
  await assert.rejects(append(join(file, 'current.jsonl'), Buffer.from('x')), { code: 'ENOTDIR' });
  await assert.rejects(append(dir, Buffer.from('x')), { code: 'EISDIR' });
});
