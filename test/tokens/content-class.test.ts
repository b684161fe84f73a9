import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CONTENT_CLASSES, classShares } from '../../src/tokens/content-class.js';
import { clockMs, least } from '../support/least.js';

function main(text: string): string {
  const shares = classShares(text);
  return CONTENT_CLASSES[shares.indexOf(Math.max(...shares))]!;
}

test('texts of each class are told apart', () => {
  const prose =
    'The daemon keeps its history small. It clears results that nobody reads any more, and says so.';
  const code = 'for (let i = 0; i < n; i++) {\n  if (x[i] === y) return f(x[i], { deep: true });\n}\n';
  const json = JSON.stringify({
    name: 'read',
    path: 'src/a.ts',
    lines: { from: 1, to: 20 },
    tags: ['a', 'b'],
  });
  assert.equal(main(prose), 'prose');
  assert.equal(main(code), 'code');
  assert.equal(main(json), 'json');
  assert.equal(main('上下文管理器保持历史简短，并说明原因。'), 'cjk');
  assert.equal(main('31415926535897932384626433832795'), 'digits');
  assert.equal(main(`${prose} ${'x'.repeat(3)} `.repeat(500)), 'prose');
  assert.equal(main(code.repeat(1000)), 'code');
});

test('shares are numbers from 0 to 1 that sum to 1, for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 6000 }), (text) => {
      const shares = classShares(text);
      const sum = shares.reduce((a, b) => a + b, 0);
      assert.ok(Math.abs(sum - 1) < 1e-9);
      assert.ok(shares.every((s) => s >= 0 && s <= 1));
    }),
  );
  assert.deepEqual(classShares(''), [0, 0, 0, 0, 0]);
});

test('digits and CJK have the shares that counting them one by one gives', () => {
  const unit = fc.constantFrom('a', 'Z', '0', '9', '"', '{', ' ', '\n', '日', '가', 'é', '\ud83d\ude00');
  fc.assert(
    fc.property(fc.array(unit, { minLength: 1, maxLength: 3000 }), (units) => {
      const text = units.join('');
      const digits = text.replace(/\D/g, '').length / 3;
      const cjk = text.replace(/[^日가]/g, '').length;
      const other = text.replace(/[\d日가]/g, '').length / 4;
      const shares = classShares(text);
      const all = digits + cjk + other;
      assert.deepEqual(shares.slice(3), [cjk / all, digits / all]);
    }),
  );
});

test('the cost is bounded: a text of 10 MB takes no longer than its sample', async () => {
  const big = 'lorem ipsum 123 '.repeat(650_000);
  const samples = () => {
    for (let i = 0; i < 20; i++) classShares(big);
  };
  assert.ok((await least(500, () => clockMs(samples))) < 500);
});
