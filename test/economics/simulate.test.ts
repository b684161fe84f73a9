// The simulator, and the acceptance numbers of COSTS 11: synthetic ones always, recorded ones where the data is there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  curatedPolicy,
  fixedBatch,
  never,
  type SimSession,
  simulate,
  simulateAll,
} from '../../bench/economics/simulate.js';
import { SYNTHETIC, syntheticSession, WORKLOADS } from '../../bench/economics/workloads.js';
import {
  cliffFigures,
  gridFigures,
  mixFigures,
  PRICES,
  recordedFigures,
  recordedSessions,
} from '../../bench/economics.js';
import type { EditDecision } from '../../src/economics/decide.js';
import { seeded } from '../../src/random.js';

const O = { prefix: 1000, keep: 1, stub: 10, r: 0.1, w: 1.25 };
const result = (tokens: number) => ({ tokens, result: true });

test('COSTS 8 the bill by hand: read what is unchanged, write the rest', () => {
  const session: SimSession = [
    { add: [result(500)] },
    { add: [result(300)] },
    { add: [{ tokens: 50, result: false }], cold: true },
  ];
  const plain = simulate(session, never, O);
  assert.equal(plain.cost, 1.25 * 1500 + (0.1 * 1500 + 1.25 * 300) + 1.25 * 1850);
  assert.equal(plain.cost, plain.base);
  const cleared = simulate(session, fixedBatch(1), O);
  // Request 2 clears the first result: 1,000 are read, the placeholder and the newest result are written.
  assert.equal(cleared.cost, 1.25 * 1500 + (0.1 * 1000 + 1.25 * 310) + 1.25 * 1360);
  assert.deepEqual([cleared.base, cleared.breaks, cleared.requests], [plain.base, 1, 3]);
});

test('COSTS 8 results up to the placeholder are never cleared and do not count as kept; a reset starts anew', () => {
  const session: SimSession = [
    { add: [result(500), result(10), result(9)] },
    { add: [result(400)] },
    { add: [result(100)], reset: true },
  ];
  const bill = simulate(session, fixedBatch(1), O);
  assert.equal(bill.tokens, 1519 + (1000 + 10 + 19 + 400) + 1100);
  assert.equal(bill.cost, 1.25 * 1519 + (0.1 * 1000 + 1.25 * 429) + 1.25 * 1100);
});

test('COSTS 11 predicted and realised saving of every edit agree within 1 % when the future is known', () => {
  const session = syntheticSession(WORKLOADS.mixed, 150, seeded(11));
  const made: EditDecision[] = [];
  const o = { ...SYNTHETIC, keep: 5, r: 0.1, w: 1.25 };
  const bill = simulate(
    session,
    curatedPolicy({ future: 'known', onDecision: (d) => d.edit && made.push(d) }),
    o,
  );
  const predicted = made.reduce((a, d) => a + d.delta, 0);
  assert.ok(made.length > 3);
  assert.ok(
    Math.abs(bill.base - bill.cost - predicted) <= 0.01 * bill.cost,
    `${bill.base - bill.cost} ${predicted}`,
  );
});

test('COSTS 11 a wrong clock costs at most S (w - r) once', () => {
  const session = syntheticSession(WORKLOADS.mixed, 12, seeded(2));
  const o = { ...SYNTHETIC, keep: 5, r: 0.1, w: 1.25 };
  let once: EditDecision | undefined;
  // The session is told at request 10 that the cache is cold, while it is warm.
  const wrong = simulate(
    session,
    (v) => {
      if (v.seen !== 10) return -1;
      return curatedPolicy({
        coldTrigger: true,
        onDecision: (d) => {
          once = d;
        },
      })({ ...v, cold: true });
    },
    o,
  );
  assert.equal(once?.reason, 'cold');
  assert.ok(wrong.cost - wrong.base <= once!.S * (1.25 - 0.1));
});

test('COSTS 11 grid: within 1 point of hindsight in 44 of 48 cells, none above 5.5; all 48 with known n', () => {
  const f = gridFigures();
  assert.equal(f['cells'], 48);
  assert.ok(Number(f['cells_within_1_point']) >= 44, JSON.stringify(f));
  assert.ok(Number(f['worst_cell_points']) <= 5.5, JSON.stringify(f));
  assert.equal(f['known_cells_within_1_point'], 48);
});

test('COSTS 11 length mix: the first row is reproduced, ours is at most 0.5 points above the reference, cold or not', () => {
  const f = mixFigures();
  const row = (key: string) => String(f[key]).split(' ').map(Number);
  const below = (key: string, reference: number[]) =>
    row(key).forEach((v, i) => {
      assert.ok(v <= reference[i]! + 0.5, `${key} ${v} ${reference[i]}`);
    });
  [132.1, 64.8, 10.7, -2.8].forEach((v, i) => {
    assert.ok(Math.abs(row('mix_every_request')[i]! - v) <= 0.3);
  });
  below('mix_curated', [-14.6, -27.3, -39.3, -42.5]);
  below('mix_cold_with_trigger', [-46.3, -47.3, -49.7, -50.6]);
  assert.ok(Number(f['cold_trigger_gain_points']) >= 2.5);
});

test('COSTS 11 cliff: no request above the limit while the reducible part allows', () => {
  const f = cliffFigures();
  assert.ok(Number(f['cliff_largest_without']) > Number(f['cliff_limit']));
  assert.ok(Number(f['cliff_largest_with']) <= Number(f['cliff_limit']));
});

test('COSTS 11 recorded sessions: calibration, best fixed batch, single sessions, breaks', (t) => {
  const sessions = recordedSessions();
  if (sessions === undefined) {
    t.skip('the recorded transcripts are not there');
    return;
  }
  const f = recordedFigures(sessions);
  const within = (key: string, reference: number) =>
    assert.ok(Math.abs(Number(f[key]) - reference) <= 0.3, `${key} ${f[key]}`);
  within('calibration_every_request', 1.1);
  within('calibration_fixed_5k', 29.9);
  within('calibration_rent_or_buy', 32.3);
  assert.equal(f['calibration_breaks'], '990 108 84');
  assert.equal(f['recorded_requests'], 1265);
  assert.ok(Number(f['recorded_margin_points']) >= -0.5);
  assert.ok(Number(f['worst_transcript_points']) >= -1);
  assert.ok(Number(f['recorded_r.1']) >= 32.3);
  assert.ok(Number(f['recorded_shape_and_batches']) >= 38);
  assert.ok(Number(f['cache_breaks']) <= 90);
});

test('COSTS 8 the simulator is deterministic', () => {
  const run = () =>
    simulateAll([syntheticSession(WORKLOADS.huge, 60, seeded(5))], curatedPolicy(), {
      ...SYNTHETIC,
      keep: 3,
      r: PRICES[0].r,
      w: PRICES[0].w,
    });
  assert.deepEqual(run(), run());
});
