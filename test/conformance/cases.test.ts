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

const RUNS_FOR_TIME = 5;
const TIMED = /^(time_ms_max|other_session_ms_max):/;

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
    let failures: string[] = [];
    // A bound in milliseconds says nothing about a run that something else on the machine held up: such a case, and only
    // such a one, is run again before it counts as failed.
    for (let run = 0; run < RUNS_FOR_TIME; run += 1) {
      const observation = await runCase(c);
      assert.equal(observation.steps.length, c.script?.length ?? 1);
      failures = evaluate(c, observation).map((f) => f.message);
      if (failures.length === 0 || !failures.every((f) => TIMED.test(f))) break;
    }
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
