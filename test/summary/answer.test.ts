// Reading a model's answer: trailers, blocks, analysis, and every reason for which an answer is none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseAnswer, preservedKinds, readAnswer } from '../../src/summary/answer.js';

const TURNS = [3, 8] as const;

test('L4-8 the golden of the trailer: the last one, to the end of its line; none is null', () => {
  assert.deepEqual(preservedKinds('p\n\n## Preserved Kinds: decision, rationale, error\n'), [
    'decision',
    'rationale',
    'error',
  ]);
  assert.equal(preservedKinds('p'), null);
  assert.deepEqual(preservedKinds('## Preserved Kinds: a\nx\n## Preserved Kinds: b,, c ,\ny'), ['b', 'c']);
});

test('NS-12 analysis goes, the summary stays, blank lines collapse; without tags the text is as it is', () => {
  assert.equal(parseAnswer('<analysis>hm</analysis>\n<summary>\n a\n\n\n\nb \n</summary>').text, 'a\n\nb');
  assert.equal(parseAnswer('  plain text \n').text, 'plain text');
});

test('NS-13 several blocks are joined in order, an unterminated analysis goes up to the first summary', () => {
  assert.equal(parseAnswer('<summary topic="x">a</summary> between <summary>b</summary>').text, 'a\n\nb');
  assert.equal(parseAnswer('<analysis> never ends <summary>kept</summary>').text, 'kept');
  assert.equal(parseAnswer('<summary>cut off').text, 'cut off');
  assert.equal(readAnswer({ text: '<analysis>only thoughts' }, TURNS), 'empty');
});

test('NS-13 F35 the text of a summary is data: $&, $1 and backslashes pass unchanged', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('$&', '$1', '\\', '\\n', '$$', '`', "$'", 'x', ' y'), { minLength: 1 }),
      (bits) => {
        const text = `a${bits.join('')}z`;
        assert.equal(parseAnswer(`<analysis>t</analysis><summary>${text}</summary>`).text, text);
      },
    ),
  );
});

test('F36 an answer that is no summary is rejected with its reason', () => {
  const cases: [Parameters<typeof readAnswer>[0], string][] = [
    [{ text: '' }, 'empty'],
    [{ text: '  \n ' }, 'empty'],
    [{ text: '<summary> </summary>' }, 'empty'],
    [{ text: 'x', stopReason: 'max_tokens' }, 'truncated'],
    [{ text: 'x', stopReason: 'length' }, 'truncated'],
    [{ text: '', stopReason: 'tool_use', toolCalls: true }, 'tool_call'],
    [{ text: 'fine', toolCalls: true }, 'tool_call'],
    [{ text: 'x', stopReason: 'refusal' }, 'refusal'],
    [{ text: "I'm sorry, but I can't help with that." }, 'refusal'],
    [{ text: '<summary compressed-from-turns="9-12">other</summary>' }, 'other_range'],
  ];
  for (const [answer, reason] of cases) assert.equal(readAnswer(answer, TURNS), reason);
});

test('F36 L4-14 a model that counts its turns otherwise is taken: the range is ours to know', () => {
  for (const turns of ['4-9', '2-7', '1-20', '8-8'])
    assert.deepEqual(
      readAnswer({ text: `<summary compressed-from-turns="${turns}">kept</summary>` }, TURNS),
      {
        text: 'kept',
        kinds: null,
      },
    );
  for (const turns of ['0-2', '9-9', '8-3'])
    assert.equal(
      readAnswer({ text: `<summary compressed-from-turns="${turns}">x</summary>` }, TURNS),
      'other_range',
    );
});

test('F36 what only looks like a refusal is taken', () => {
  const text = `<summary compressed-from-turns="3-8">I cannot find the file, the user said.</summary>`;
  assert.deepEqual(readAnswer({ text, stopReason: 'end_turn' }, TURNS), {
    text: 'I cannot find the file, the user said.',
    kinds: null,
  });
});
