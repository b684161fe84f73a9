// Passages as words, and how they are counted, chosen, ranked and shown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { candidates } from '../../src/context/recall/candidates.js';
import { cosine, meaningOf } from '../../src/context/recall/meaning.js';
import { asksOfSelf, ranked, type Scored } from '../../src/context/recall/ranking.js';
import { countIn, hashOf, sketchOf } from '../../src/context/recall/sketch.js';
import { snippetOf } from '../../src/context/recall/snippet.js';
import { wordsAsked, wordsIn } from '../../src/context/recall/words.js';

test('M-10 identifiers are words whole and in parts, endings and accents are folded, scripts without gaps give pairs', () => {
  assert.deepEqual(wordsIn('getUserName fails'), ['getusernam', 'get', 'user', 'nam', 'fail']);
  assert.deepEqual(wordsIn('Stopping parties, mixed files: a file'), [
    'stop',
    'party',
    'mix',
    'fil',
    'a',
    'fil',
  ]);
  assert.deepEqual(wordsIn('Überprüfung naïve'), ['uberprufung', 'naive']);
  assert.deepEqual(wordsIn('数据库错误'), ['数据', '据库', '库错', '错误']);
  assert.deepEqual(wordsIn('हिन्दी'), ['हिन्दी'], 'marks of other scripts stay');
  assert.deepEqual(wordsAsked('what is the kettle of the kettles'), ['kettl']);
  assert.deepEqual(
    wordsAsked('who are you'),
    ['who', 'are', 'you'],
    'only such words: then they are looked for',
  );
});

test('M-10 a sketch counts every word of a passage, up to 63 times', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, maxLength: 6 }), { maxLength: 200 }), (words) => {
      const sketch = sketchOf(words);
      // Words that share a hash are counted together.
      const counts = new Map<number, number>();
      for (const w of words) counts.set(hashOf(w), (counts.get(hashOf(w)) ?? 0) + 1);
      for (const [h, n] of counts) assert.equal(countIn(sketch, h), Math.min(63, n));
    }),
  );
  assert.equal(countIn(sketchOf([]), 5), 0);
});

test('M-10 candidates: rare words lead, and the places looked at are bounded whatever the lists hold', () => {
  const lists = new Map<string, number[]>();
  const down = (n: number, step: number) => Array.from({ length: n }, (_, i) => 200_000 - i * step);
  lists.set('everywhere', down(200_000, 1));
  lists.set('often', down(60_000, 3));
  lists.set('rare', [77, 5]);
  let looked = 0;
  const find = (words: readonly string[], from: number, limit: number) => {
    const [first, ...others] = words.map((w) => lists.get(w)!).sort((a, b) => a.length - b.length);
    const rest = others.map((l) => new Set(l));
    const out: number[] = [];
    for (const id of first!) {
      if (id < from || out.length >= limit) break;
      looked += 1;
      if (rest.every((s) => s.has(id))) out.push(id);
    }
    return out;
  };
  const range = { first: 1, last: 200_000, passages: 200_000 };
  const o = { places: 2000, most: 100 };
  const all = candidates(['everywhere', 'often', 'rare'], find, range, o);
  assert.deepEqual(all.ids.slice(0, 2), [77, 5]);
  assert.ok(all.ids.length === 100 && looked < 15_000, `${looked}`);
  const [everywhere, often, rare] = all.words.map((w) => w.n);
  assert.equal(rare, 2);
  assert.ok(everywhere! > 190_000 && often! > 50_000 && often! < 70_000);
  looked = 0;
  const common = candidates(['everywhere', 'often'], find, range, o);
  assert.ok(common.ids.every((id) => lists.get('often')!.includes(id)));
  assert.ok(looked < 15_000, `${looked}`);
});

test('M-10 of a budget the words of the user go first where the question is about the one who asks', () => {
  const at = (id: number, typed: boolean, own: number): Scored => ({
    id,
    sid: 1,
    ord: id * 10,
    chars: 400,
    own,
    covered: own,
    meaning: 0,
    typed,
  });
  const list = [at(1, false, 6), at(2, true, 4), at(3, true, 1)];
  const order = (inBudget: boolean, query: string) =>
    ranked(list, 10, inBudget, asksOfSelf(query)).map((p) => p.id);
  assert.deepEqual(order(true, 'Which database did I choose?'), [2, 1, 3]);
  assert.deepEqual(order(true, 'Which database was chosen?'), [1, 2, 3]);
  assert.deepEqual(order(false, 'Which database did I choose?'), [1, 2, 3], 'hits by rank stay as they are');
  for (const query of ["what's my port", 'where do we deploy', 'I’m late'])
    assert.ok(asksOfSelf(query), query);
  for (const query of ['min heap', 'usage of it', 'mysql index']) assert.ok(!asksOfSelf(query), query);
});

test('M-10 a passage takes weight from its neighbours, and never stands before the one it took it from', () => {
  const at = (id: number, ord: number, own: number, chars = 100): Scored => ({
    id,
    sid: 1,
    ord,
    chars,
    own,
    covered: own,
    meaning: 0,
  });
  const order = (list: Scored[], inBudget = false) => ranked(list, 10, inBudget).map((p) => p.id);
  assert.deepEqual(order([at(1, 0, 5), at(2, 10, 5), at(3, 11, 3)]), [2, 3, 1]);
  assert.deepEqual(order([at(1, 5, 9, 4000), at(2, 4, 0, 1)], true), [1, 2]);
  fc.assert(
    fc.property(
      fc.array(fc.record({ ord: fc.nat(40), own: fc.nat(9), chars: fc.integer({ min: 1, max: 5000 }) })),
      (list) => {
        const seen = new Set<number>();
        const passages = list
          .filter((p) => !seen.has(p.ord) && seen.add(p.ord))
          .map((p, i) => at(i, p.ord, p.own, p.chars));
        for (const p of ranked(passages, 10, true)) assert.ok(p.score >= 0 && p.score <= 1.0000001);
      },
    ),
  );
});

test('M-10 a snippet shows most of the words, is short, and cuts no character', () => {
  const text = `${'hay '.repeat(400)}the flux capacitor broke${' hay'.repeat(400)}`;
  const shown = snippetOf(text, ['flux', 'capacitor']);
  assert.match(shown, /^….*the flux capacitor broke.*…$/);
  assert.ok(shown.length <= 262);
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 900 }),
      fc.array(fc.string({ minLength: 1, maxLength: 4 })),
      (t, stems) => {
        const s = snippetOf(t, stems);
        assert.ok(s.length <= 262);
        // Throws at half a character.
        encodeURIComponent(s);
      },
    ),
  );
});

test('M-10 meaning: words of one field are nearer than words of two', () => {
  const [train, bus, tax] = ['the train station', 'a bus stop', 'income tax law'].map(meaningOf);
  assert.ok(cosine(train!, bus!) > cosine(train!, tax!));
  assert.equal(cosine(meaningOf(''), train!), 0);
});
