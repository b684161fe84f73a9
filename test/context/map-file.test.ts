// Files of the map: one resolver, whole writes, and the order of reading.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readMap, readWhole, removeFile, writeWhole } from '../../src/context/map-file.js';
import { placesOf } from '../../src/context/places.js';

function folder(t: TestContext): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'curated-map-')));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

test('R-6 the name comes from the git root, so sub-folders and links find the same file', (t) => {
  const dir = folder(t);
  const repo = join(dir, 'my repo');
  mkdirSync(join(repo, '.git'), { recursive: true });
  mkdirSync(join(repo, 'a/b'), { recursive: true });
  symlinkSync(repo, join(dir, 'link'));
  const own = placesOf(dir, 'default', repo);
  const hash = createHash('sha1').update(repo).digest('hex').slice(0, 8);
  assert.equal(own.map, join(dir, 'context', `my-repo-${hash}.txt`));
  assert.equal(own.global, join(dir, 'context_l1.txt'));
  for (const way of [join(repo, 'a/b'), join(dir, 'link', 'a'), `${repo}/`])
    assert.equal(placesOf(dir, 'default', way).map, own.map);
});

test('R-8 another tenant has other files, the global one too', (t) => {
  const dir = folder(t);
  const [a, b] = ['default', 'other'].map((tenant) => placesOf(dir, tenant, dir));
  assert.notEqual(a!.map, b!.map);
  assert.notEqual(a!.global, b!.global);
  writeWhole(a!.global, 'secret of the first');
  assert.equal(readMap(b!).from, 'none');
});

test('R-5 R-7 writes replace all of it; project before global; an empty project file is the last word', (t) => {
  const dir = folder(t);
  const at = placesOf(dir, 'default', dir);
  assert.deepEqual(readMap(at), { text: '', writtenAt: 0, from: 'none' });
  writeWhole(at.global, 'global');
  assert.equal(readMap(at).text, 'global');
  writeWhole(at.map, 'x'.repeat(10_000));
  writeWhole(at.map, 'short');
  assert.equal(readFileSync(at.map, 'utf8'), 'short');
  assert.equal(readMap(at).text, 'short');
  writeWhole(at.map, '');
  assert.deepEqual([readMap(at).text, readMap(at).from], ['', 'project']);
  removeFile(at.map);
  assert.equal(readMap(at).from, 'global');
  assert.deepEqual(readdirSync(dirname(at.map)), [], 'no drafts are left');
  assert.ok(basename(at.map).endsWith('.txt'));
});

test('M-6 what cannot be read is not empty', (t) => {
  const dir = folder(t);
  assert.throws(() => readWhole(dir), { code: 'EISDIR' });
  assert.equal(readWhole(join(dir, 'none')), undefined);
});
