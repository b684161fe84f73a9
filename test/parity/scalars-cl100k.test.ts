import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareScalars } from './scalar-contexts.js';

test('F31 all 1,112,064 scalar values in 10 contexts count as the reference counts them (cl100k_base)', () => {
  assert.equal(compareScalars('cl100k_base'), 1_112_064);
});
