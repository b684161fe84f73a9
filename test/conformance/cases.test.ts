// Every failure case through the adapter against the real daemon: the shared ones (where they are there) and our own.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import runCase from './adapter.js';
import { evaluate } from './evaluate.js';
import { loadCases, OWN_CASES, ROOT, SHARED_CASES } from './load-cases.js';
import type { Case } from './types.js';
import { WAITING } from './waiting.js';

const DAEMON = join(ROOT, 'dist/src/main.js');

function caseTest(c: Case): void {
  const reason = WAITING[c.id];
  const number = /^\d+/.exec(c.id)?.[0];
  const title = `${number === undefined ? '' : `K${number} `}${c.id}`;
  test(reason === undefined ? title : `${title} (waits: ${reason})`, async (t) => {
    if (!existsSync(DAEMON)) {
      t.skip('the daemon is not built');
      return;
    }
    const observation = await runCase(c);
    assert.equal(observation.steps.length, c.script?.length ?? 1);
    const failures = evaluate(c, observation).map((f) => f.message);
    if (reason === undefined) assert.deepEqual(failures, []);
    else assert.notDeepEqual(failures, [], `${c.id} passes now: take it off the list in waiting.ts`);
  });
}

for (const c of loadCases(OWN_CASES) ?? []) caseTest(c);

const shared = loadCases(SHARED_CASES);
if (shared === undefined) {
  test('shared failure cases', (t) => t.skip(`no folder ${SHARED_CASES}: the shared cases do not run`));
} else for (const c of shared) caseTest(c);

test('waiting list: it names only cases that exist', (t) => {
  if (shared === undefined) {
    t.skip(`no folder ${SHARED_CASES}`);
    return;
  }
  const known = new Set([...shared, ...(loadCases(OWN_CASES) ?? [])].map((c) => c.id));
  assert.deepEqual(
    Object.keys(WAITING).filter((id) => !known.has(id)),
    [],
  );
});
