// Where the thresholds of precise lie: as high as recall allows, for sessions about code and for others.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Dialogue } from '../../src/topics/eval/data.js';
import { type Judged, score } from '../../src/topics/eval/metrics.js';
import { run } from '../../src/topics/eval/run.js';
import { ofKind, PARTS, withSurest } from '../../src/topics/eval/surest.js';
import type { Rule } from '../../src/topics/rule.js';
import { WEIGHTS } from '../../src/topics/weights.js';

const PLAIN = [
  ['How long do I roast a chicken?', 'Roast the chicken for eighty minutes.'],
  ['Which trains go to Vienna on Sunday?', 'Trains to Vienna leave on Sunday at eight and at noon.'],
  ['Why are my tomato leaves yellow?', 'Yellow tomato leaves mean too much water or too little light.'],
  ['Who painted the ceiling of the chapel?', 'Michelangelo painted the ceiling of the chapel.'],
  ['How do I knit a scarf?', 'Knit each row of the scarf, then turn it.'],
  ['Is a mortgage cheaper than rent?', 'A mortgage is cheaper than rent after about ten years.'],
] as const;
const CODE = [
  ['Why does ledger.go drop a column?', 'parseRow in ledger.go stops at the tab.'],
  ['Add a flag --dryrun to deploy.sh', 'deploy.sh reads --dryrun and prints what it would do.'],
  ['The menu in menu.tsx flickers', 'renderMenu in menu.tsx mounts it twice.'],
  ['Write a test for auth_token', 'auth_token expires in auth_test.py as it should.'],
  ['Rename fetchUser to loadUser', 'loadUser is renamed in user_store.ts.'],
  ['Speed up build.gradle', 'build.gradle caches what compileAll makes.'],
] as const;

/** One dialogue for each pair of neighbours: two exchanges about the first matter, two about the second. */
function dialogues(matters: readonly (readonly [string, string])[]): Dialogue[] {
  return matters.map(([input, reply], i) => {
    const [next, answer] = matters[(i + 1) % matters.length]!;
    const exchange = (input: string, reply: string, shift: boolean) => ({ input, reply, shift });
    return {
      id: `d${i}`,
      exchanges: [
        exchange(input, reply, false),
        exchange(`${input} Tell me more.`, reply, false),
        exchange(next, answer, true),
        exchange(`${next} Tell me more.`, answer, false),
      ],
    };
  });
}

const plain = dialogues(PLAIN);
const code = dialogues(CODE);
const judges = (set: readonly Dialogue[]) => [set.map((dialogue, i) => ({ dialogue, part: i % PARTS }))];
const trials = Array.from({ length: PARTS }, () => WEIGHTS);
const recallOf = (set: readonly Dialogue[], rule: Rule): number =>
  score(run(new Map([['set', set]]), rule, 'precise').end.get('set') as Judged[]).recall;

test('each threshold of precise is the highest that leaves half of the shifts of its kind', () => {
  const { precise } = withSurest(WEIGHTS, trials, { plain: judges(plain), code: judges(code) });
  const at = (end: number, gate: number): Rule => ({
    ...WEIGHTS,
    precise: { ...precise, end, gate: { ...precise.gate, threshold: gate } },
  });
  const { end } = precise;
  const { threshold } = precise.gate;
  assert.ok(recallOf(plain, at(end, threshold)) >= 0.5);
  assert.ok(end >= 0.97 || recallOf(plain, at(end + 0.01, threshold)) < 0.51, `${end}`);
  assert.ok(recallOf(code, at(end, threshold)) >= 0.5);
  assert.ok(threshold >= 0.97 || recallOf(code, at(end, threshold + 0.01)) < 0.51, `${threshold}`);
});

test('dialogues are told apart by what their last exchange tells; a set with few of a kind is left out', () => {
  const told = (about: (i: number) => boolean) =>
    plain.flatMap((_, dialogue) => [
      { dialogue, aboutCode: !about(dialogue) },
      { dialogue, aboutCode: about(dialogue) },
    ]);
  const rows = [told((i) => i === 0), told(() => true)];
  const sets = [plain, code];
  const ids = (about: boolean) => ofKind(about, rows, sets).map((set) => set.map((j) => j.dialogue.id));
  assert.deepEqual(ids(false), [['d1', 'd2', 'd3', 'd4', 'd5']]);
  assert.deepEqual(ids(true), [['d0', 'd1', 'd2', 'd3', 'd4', 'd5']]);
});

test('without a dialogue of a kind its threshold stays high', () => {
  const { precise } = withSurest(WEIGHTS, trials, { plain: judges(plain), code: [] });
  assert.equal(precise.gate.threshold, 0.9);
});
