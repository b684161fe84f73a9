// Names in running text: whole words only, in any script.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { namesIn } from '../../src/curation/tools/tool-use.js';

test('L2-7 a name is a whole word, with the joints that names have', () => {
  const names = (text: string) => [...namesIn(text)];
  assert.deepEqual(names('call `read_file`.'), ['call', 'read_file']);
  assert.ok(!names('pre-read_file, read_files, read_file-2').includes('read_file'));
  assert.ok(!names('réad_file').includes('ad_file'));
  assert.ok(names('请用read_file读取').includes('read_file'));
  assert.ok(names('read/write').includes('read'));
  assert.deepEqual(names('api.weather!'), ['api.weather']);
});

test('L2-7 runs do not depend on what stands elsewhere in the text', () => {
  const word = fc.stringMatching(/^[A-Za-z0-9_.:/ ,-]{0,40}$/);
  fc.assert(
    fc.property(word, (text) => {
      assert.deepEqual([...namesIn(`${text} é`)], [...namesIn(`${text} `), 'é']);
    }),
  );
});
