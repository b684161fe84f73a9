import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { figuresOf, playAll, transcriptsFolder } from '../../bench/estimates.js';
import { estimate, type Fit, inherit, observe, priorFor } from '../../src/tokens/estimator.js';
import { addFeatures, FEATURES, noFeatures } from '../../src/tokens/features.js';

function features(over: Partial<Record<(typeof FEATURES)[number], number>>): number[] {
  return FEATURES.map((name) => over[name] ?? 0);
}
/** A session whose provider counts by fixed true weights, with hidden tokens and some noise. */
function session(model: string, truth: number[], reports: number, hidden = 20_000) {
  let fit: Fit = priorFor(model);
  let view = noFeatures();
  let seed = 7;
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed / 2147483648;
  };
  const steps: { error: number; covered: boolean; refused: string | undefined }[] = [];
  for (let i = 0; i < reports; i++) {
    const size = 100 + 2000 * random();
    const grown = features({ messages: 2, results: 1, prose: 80, [random() < 0.5 ? 'code' : 'json']: size });
    view = addFeatures(view, grown);
    const real = view.reduce((sum, v, k) => sum + v * (truth[k] ?? 1), 0);
    const usage = Math.round(hidden + real + 40 * random());
    const { tokens, p95 } = estimate(fit, view);
    const seen = observe(fit, { features: view, usage });
    steps.push({ error: Math.abs(tokens - usage) / usage, covered: usage <= p95, refused: seen.refused });
    fit = seen.fit;
  }
  return { fit, steps, view };
}

test('PV-A52 priors: Claude up to 4.6 is 1.17 of o200k (CJK 1.28), from 4.7 1.45, 1.2, 1.3, 1.0 times that', () => {
  const class1000 = (model: string, name: 'prose' | 'code' | 'json' | 'cjk') =>
    estimate(priorFor(model), features({ [name]: 1000 })).tokens;
  for (const model of [
    'claude-opus-4-5-20251101',
    'claude-sonnet-4.6',
    'claude-3-5-haiku-latest',
    'anthropic/claude-opus-4',
  ]) {
    assert.equal(class1000(model, 'prose'), 1170, model);
    assert.equal(class1000(model, 'code'), 1170);
    assert.equal(class1000(model, 'json'), 1170);
    assert.equal(class1000(model, 'cjk'), 1280);
  }
  for (const model of ['claude-opus-4-7', 'claude-sonnet-5', 'claude-fable-5.5']) {
    assert.equal(class1000(model, 'prose'), 1697, model);
    assert.equal(class1000(model, 'code'), 1404);
    assert.equal(class1000(model, 'json'), 1521);
    assert.equal(class1000(model, 'cjk'), 1280);
  }
  const { tokens, p95 } = estimate(priorFor('claude-opus-4-5'), features({ messages: 20, code: 50_000 }));
  assert.ok(
    p95 > tokens * 1.15 && p95 < tokens * 1.5,
    'before any report the bound spans the recorded spread',
  );
});

test('NS-6 an exact model is counted, not fitted: 4 a message, weight 1, a report moves the anchor only', () => {
  const x = features({ messages: 3, results: 1, code: 500, cjk: 20, flat: 1400 });
  const fit = priorFor('gpt-4o');
  assert.equal(estimate(fit, x).tokens, 3 * 4 + 500 + 20 + 1400);
  assert.ok(estimate(fit, x).p95 <= estimate(fit, x).tokens + 15);
  const { fit: after } = observe(fit, { features: x, usage: 2400 });
  assert.deepEqual(after.w, fit.w);
  assert.equal(estimate(after, x).tokens, 2400);
  assert.equal(estimate(after, addFeatures(x, features({ messages: 1, prose: 100 }))).tokens, 2504);
});

test('the fit learns a tokenizer far from its prior, and its bound covers', () => {
  const truth = [6, 90, 1.6, 1.05, 1.35, 1, 1.2];
  const { steps, fit } = session('claude-opus-4-5', truth, 200);
  const late = steps.slice(20);
  assert.ok(steps.every((s) => s.refused === undefined));
  assert.ok(Math.max(...late.map((s) => s.error)) < 0.01);
  assert.ok(late.filter((s) => s.covered).length / late.length >= 0.95);
  assert.ok(Math.abs(fit.w[3]! - 1.05) < 0.05 && Math.abs(fit.w[4]! - 1.35) < 0.05, String(fit.w));
});

test('the same request is the reported number, and the anchor leaves only the increment to err', () => {
  const { fit, view } = session('claude-opus-4-5', [4, 75, 1.2, 1.2, 1.2, 1.2, 1.2], 10);
  const same = estimate(fit, view);
  assert.equal(same.tokens, fit.anchor!.usage);
  assert.equal(same.p95, same.tokens);
  const more = estimate(fit, addFeatures(view, features({ code: 1000 })));
  assert.ok(more.tokens > same.tokens + 1000 && more.tokens < same.tokens + 1500);
  const less = estimate(fit, addFeatures(view, features({ code: -1000 })));
  assert.ok(less.tokens < same.tokens - 1000);
});

test('PV-A47 implausible usage is refused with its reason and teaches nothing', () => {
  const { fit, view } = session('claude-opus-4-5', [4, 75, 1.2, 1.2, 1.2, 1.2, 1.2], 10);
  const x = addFeatures(view, features({ messages: 2, code: 300 }));
  const content = estimate({ ...fit, anchor: null }, x).tokens;
  const reasons: [number, string][] = [
    [-1, 'not_a_count'],
    [Number.NaN, 'not_a_count'],
    [1.5, 'not_a_count'],
    [0, 'zero_with_content'],
    [200_001, 'above_window'],
    [Math.floor(content * 0.3), 'below_content'],
  ];
  for (const [usage, reason] of reasons) {
    const seen = observe(fit, { features: x, usage, window: 200_000 });
    assert.equal(seen.refused, reason);
    assert.equal(seen.fit, fit);
  }
  const jumped = observe(fit, { features: x, usage: 120_000, window: 200_000 });
  assert.equal(jumped.refused, 'jump');
  assert.deepEqual(estimate(jumped.fit, x), estimate(fit, x));
});

test('a jump that the next report confirms is the new anchor; one that it denies is forgotten', () => {
  const { fit, view } = session('claude-opus-4-5', [4, 75, 1.2, 1.2, 1.2, 1.2, 1.2], 10);
  const step = features({ messages: 2, code: 300 });
  const x1 = addFeatures(view, step);
  const x2 = addFeatures(x1, step);
  const jumped = observe(fit, { features: x1, usage: 120_000 }).fit;
  const confirmed = observe(jumped, { features: x2, usage: 120_400 });
  assert.equal(confirmed.refused, undefined);
  assert.equal(estimate(confirmed.fit, x2).tokens, 120_400);
  const normal = estimate(fit, x2).tokens;
  const denied = observe(jumped, { features: x2, usage: normal });
  assert.equal(denied.refused, undefined);
  assert.equal(denied.fit.pending, null);
  assert.equal(estimate(denied.fit, x2).tokens, normal);
});

test('PV-C8 a reply counts by its reported tokens, unless the report is no count of it', () => {
  const first = features({ messages: 1, prose: 1 });
  const said = features({ messages: 1, prose: 1 });
  const next = addFeatures(addFeatures(first, said), features({ messages: 1, prose: 1 }));
  const seen = observe(priorFor('gpt-4o'), {
    features: first,
    usage: 38_196,
    reply: { features: said, output: 600 },
  });
  assert.equal(estimate(seen.fit, next).tokens, 38_796 + 5);
  const long = features({ messages: 1, prose: 500 });
  const stream = observe(priorFor('gpt-4o'), {
    features: first,
    usage: 38_196,
    reply: { features: long, output: 1 },
  });
  assert.equal(estimate(stream.fit, addFeatures(first, long)).tokens, 38_196 + 504);
});

test("a session inherits its model's weights without the anchor, and holds them less firmly", () => {
  const { fit } = session('claude-opus-4-5', [6, 90, 1.6, 1.05, 1.35, 1, 1.2], 100);
  const heir = inherit('claude-opus-4-5', fit);
  assert.deepEqual(heir.w, fit.w);
  assert.equal(heir.anchor, null);
  assert.ok(
    estimate(heir, noFeatures().fill(1000)).p95 >
      estimate({ ...fit, anchor: null }, noFeatures().fill(1000)).p95,
  );
  assert.deepEqual(inherit('claude-opus-4-6', fit), priorFor('claude-opus-4-6'));
  assert.deepEqual(inherit('gpt-4o'), priorFor('gpt-4o'));
});

test('L5-4 a request that only lost content is bounded by the report of the one before', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 }),
      (kept) => {
        const { fit } = session('claude-opus-4-5', [6, 900, 1.6, 1.05, 1.35, 1, 1.2], 6);
        const anchor = fit.anchor!;
        const less = anchor.x.map((v, i) => v * kept[i]!);
        const { tokens, p95 } = estimate(fit, less);
        assert.ok(tokens <= p95 && p95 <= Math.ceil(anchor.usage), `${p95} of ${anchor.usage}`);
      },
    ),
    { numRuns: 50 },
  );
});

test('the fit is a small plain JSON value: it survives the journal, and stays sound for any reports', () => {
  const row = fc.tuple(...FEATURES.map(() => fc.nat(20_000)));
  const step = fc.record({ x: row, usage: fc.oneof(fc.integer({ min: -5, max: 2_000_000 }), fc.double()) });
  fc.assert(
    fc.property(
      fc.constantFrom('claude-opus-4-7', 'gpt-4o', 'gemini-3'),
      fc.array(step, { maxLength: 30 }),
      (model, steps) => {
        let fit = priorFor(model);
        for (const { x, usage } of steps) {
          fit = observe(fit, { features: x, usage, window: 1_000_000 }).fit;
          assert.deepEqual(JSON.parse(JSON.stringify(fit)), fit);
          const { tokens, p95 } = estimate(fit, x);
          assert.ok(
            Number.isSafeInteger(tokens) && Number.isSafeInteger(p95) && tokens >= 0 && p95 >= tokens,
          );
          assert.ok(fit.w.every((w) => Number.isFinite(w) && w >= 0));
        }
        assert.ok(JSON.stringify(fit).length < 1200);
      },
    ),
  );
});

test('L4-2 on recorded usage: after 5 reports the median error is <= 2 %, P95 <= 5 %, and the bound covers 95 %', async (t) => {
  const folder = transcriptsFolder();
  if (folder === undefined) return t.skip('no recorded transcripts here: set CURATED_SHARED');
  const figures = figuresOf(await playAll(folder));
  assert.ok(figures['requests']! > 1000);
  assert.ok(figures['error_p50_pct']! <= 2, JSON.stringify(figures));
  assert.ok(figures['error_p95_pct']! <= 5, JSON.stringify(figures));
  assert.ok(figures['p95_covers_pct']! >= 95, JSON.stringify(figures));
});
