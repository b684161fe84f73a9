import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { planClearing } from '../../src/curation/clearing-plan.js';
import { CLEAR_FLAG, CLEAR_REASON, type ClearColumns } from '../../src/pool/contract.js';
import { createPool } from '../../src/pool/pool.js';

interface Row {
  turn: number;
  bytes: number;
  body: number;
  marker: number;
  flags: number;
}

function columns(rows: Row[], now = 10, ageTurns = 5, sizeThreshold = 1000): ClearColumns {
  return {
    n: rows.length,
    now,
    ageTurns,
    sizeThreshold,
    callTurn: Int32Array.from(rows, (r) => r.turn),
    bytes: Uint32Array.from(rows, (r) => r.bytes),
    bodyTokens: Uint32Array.from(rows, (r) => r.body),
    markerTokens: Uint32Array.from(rows, (r) => r.marker),
    flags: Uint8Array.from(rows, (r) => r.flags),
  };
}
const row = (over: Partial<Row> = {}): Row => ({
  turn: 0,
  bytes: 5000,
  body: 1200,
  marker: 40,
  flags: 0,
  ...over,
});
const cleared = (...rows: Row[]) => [...planClearing(columns(rows)).rows];

test('L1-1 precedence: preserved kind, then subsequent call, then age and size', () => {
  const { rows, reasons } = planClearing(
    columns([
      row({ flags: CLEAR_FLAG.preserved | CLEAR_FLAG.superseded }),
      row({ flags: CLEAR_FLAG.superseded }),
      row(),
      row({ flags: CLEAR_FLAG.protected }),
      row({ turn: 9 }),
    ]),
  );
  assert.deepEqual([...rows], [1, 2]);
  assert.deepEqual([...reasons], [CLEAR_REASON.subsequentCall, CLEAR_REASON.age]);
});

test('L1-1 a body is kept when its marker has no fewer tokens', () => {
  assert.deepEqual(
    cleared(row({ body: 40, marker: 40 }), row({ body: 41, marker: 40 }), row({ body: 3 })),
    [1],
  );
  const { markerTokens: _, ...unknown } = columns([row({ body: 3 })]);
  assert.deepEqual([...planClearing(unknown).rows], [0]);
});

test('L1-2 age and size are inclusive, and both are needed', () => {
  assert.deepEqual(cleared(row({ turn: 5, bytes: 1000 })), [0]);
  assert.deepEqual(cleared(row({ turn: 6, bytes: 1000 })), []);
  assert.deepEqual(cleared(row({ turn: 5, bytes: 999 })), []);
});

test('L1-3 a superseded result goes whatever its age and size', () => {
  assert.deepEqual(cleared(row({ turn: 10, bytes: 500, body: 120, flags: CLEAR_FLAG.superseded })), [0]);
});

test('L1-5 a preserved kind is never cleared, whatever its age', () => {
  assert.deepEqual([...planClearing(columns([row({ flags: CLEAR_FLAG.preserved })], 8)).rows], []);
});

test('L1-11 what is cleared already is not planned again', () => {
  assert.deepEqual(cleared(row({ flags: CLEAR_FLAG.cleared | CLEAR_FLAG.superseded })), []);
});

const rowArb = fc.record({
  turn: fc.integer({ min: 0, max: 20 }),
  bytes: fc.integer({ min: 0, max: 3000 }),
  body: fc.integer({ min: 0, max: 100 }),
  marker: fc.integer({ min: 30, max: 50 }),
  flags: fc.integer({ min: 0, max: 15 }),
});

test('L1-1 the plan equals the rule row by row, and a row does not depend on its neighbours', () => {
  fc.assert(
    fc.property(fc.array(rowArb), fc.nat(20), fc.nat(8), fc.nat(2000), (rows, now, age, size) => {
      const plan = planClearing(columns(rows, now, age, size));
      const want = rows.flatMap((r, i) => {
        const f = (bit: number) => (r.flags & bit) !== 0;
        if (f(CLEAR_FLAG.preserved) || f(CLEAR_FLAG.cleared) || f(CLEAR_FLAG.protected)) return [];
        const hit = f(CLEAR_FLAG.superseded) || (now - r.turn >= age && r.bytes >= size);
        return hit && r.marker < r.body ? [i] : [];
      });
      assert.deepEqual([...plan.rows], want);
      assert.equal(plan.reasons.length, want.length);
    }),
  );
});

test('L1-1 10,000 rows planned in a worker equal those planned here, over plain and over shared columns', async () => {
  const rows = Array.from({ length: 10_000 }, (_, i) =>
    row({ turn: i % 12, bytes: (i * 37) % 4000, flags: (i * 7) % 16 }),
  );
  const plain = columns(rows);
  const shared = { ...plain, flags: new Uint8Array(new SharedArrayBuffer(rows.length)) };
  shared.flags.set(plain.flags);
  const pool = createPool({ shards: 1 });
  after(() => pool.close());
  assert.deepEqual(await pool.planClearing(plain), planClearing(plain));
  assert.deepEqual(await pool.planClearing(shared), planClearing(plain));
  assert.equal(pool.stats().inlineCalls, 0);
});
