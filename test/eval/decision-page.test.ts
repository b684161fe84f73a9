// The page that explains a decision is the one that the code as it is would write.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { makePage, PAGE } from '../../bench/decision-page.js';

test('S-1 L1-10 doc/decisions.md tells a decision of a real run: made again, it is the same (npm run doc:decision)', async () => {
  const page = await makePage();
  assert.ok(readFileSync(PAGE, 'utf8') === page, 'the page is out of date: npm run doc:decision');
  assert.match(page, /"cache_invalidates": true/);
});
