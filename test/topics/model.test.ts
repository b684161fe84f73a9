// The default classifier: what it never takes for a shift, what it always does, and that it only looks at what was said.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { END_FEATURES, INPUT_FEATURES } from '../../src/topics/features.js';
import { TopicModel } from '../../src/topics/model.js';
import { Tracker } from '../../src/topics/tracker.js';
import { WEIGHTS } from '../../src/topics/weights.js';

const model = new TopicModel();

/** A conversation under way, in English, then this input. */
function after(input: string, reply = ''): { provisional: boolean; final: boolean; phrase: boolean } {
  const tracker = new Tracker();
  const said = [
    [
      'How long should I roast a chicken with potatoes in the oven?',
      'Roast it for eighty minutes with the potatoes around it. Anything else?',
    ],
    [
      'Which herbs go well with the chicken?',
      'Rosemary and thyme go well with roast chicken and potatoes. Shall I write the recipe down?',
    ],
  ] as const;
  for (const [at, [q, a]] of said.entries()) {
    tracker.read(q, at, at);
    tracker.answer(a);
    tracker.fold(false);
  }
  tracker.read(input, 2, 2);
  const provisional = model.provisional(tracker);
  if (reply !== '') tracker.answer(reply);
  return { provisional: provisional.shift, final: model.final(tracker).shift, phrase: provisional.phrase };
}

const CONTENTLESS: Readonly<Record<string, readonly string[]>> = {
  en: [
    'yes',
    'Yes, please.',
    'no',
    'ok',
    'OK, proceed',
    'proceed',
    'thanks',
    'Thank you very much!',
    'go ahead',
    'y',
    'k',
    'continue',
    'sounds good',
    'hmm',
    'Perfect, thanks!',
    '👍',
    '...',
    '',
  ],
  de: [
    'ja',
    'Ja, bitte!',
    'nein',
    'danke',
    'Vielen Dank',
    'weiter',
    'mach weiter',
    'Alles klar',
    'Genau',
    'gut',
  ],
  fr: [
    'oui',
    "Oui, s'il vous plaît",
    'non',
    'merci',
    'Merci beaucoup !',
    "d'accord",
    'continue',
    'vas-y',
    'Parfait',
  ],
  es: [
    'sí',
    'Sí, por favor',
    'no',
    'gracias',
    '¡Muchas gracias!',
    'continúa',
    'adelante',
    'vale',
    'de acuerdo',
  ],
  pt: ['sim', 'não', 'obrigado', 'Muito obrigada!', 'continue', 'prossiga', 'tá bom', 'perfeito'],
  it: ['sì', 'no', 'grazie', 'Grazie mille', 'procedi', 'va bene', "d'accordo", 'avanti'],
  zh: ['是的', '好的', '不用了', '谢谢', '继续', '请继续', '没问题', '好，谢谢', '謝謝'],
  ja: [
    'はい',
    'はい、お願いします',
    'いいえ',
    'ありがとうございます',
    '続けてください',
    '了解です',
    'わかりました',
  ],
  ko: ['네', '아니요', '감사합니다', '계속해주세요', '네, 계속 진행해주세요', '좋아요', '알겠습니다'],
  ru: ['да', 'Да, пожалуйста', 'нет', 'спасибо', 'Большое спасибо!', 'продолжай', 'хорошо', 'Понятно'],
};

test('inputs without content are no shift in ten languages, whatever is answered', () => {
  const reply = 'The migration adds an index on the orders table and runs outside of a transaction.';
  for (const [language, inputs] of Object.entries(CONTENTLESS)) {
    for (const input of inputs) {
      const found = after(input, reply);
      assert.deepEqual(found, { provisional: false, final: false, phrase: false }, `${language}: ${input}`);
    }
  }
  assert.equal(Object.keys(CONTENTLESS).length, 10);
});

test('a change of topic that is announced is one in ten languages', () => {
  const announced = [
    "Let's change the subject: how do I back up a database?",
    'OK, on a different note: backups',
    'Themenwechsel: wie sichere ich eine Datenbank?',
    'Changeons de sujet : comment sauvegarder une base ?',
    'Cambiando de tema: ¿cómo hago una copia de la base?',
    'Mudando de assunto: como faço backup?',
    'Cambiamo argomento: come faccio un backup?',
    '换个话题：数据库备份怎么做？',
    '話は変わりますが、バックアップの方法は？',
    '다른 질문: 백업은 어떻게 하나요?',
    'Сменим тему: как сделать резервную копию?',
  ];
  for (const input of announced) {
    const found = after(input);
    assert.equal(found.provisional && found.phrase, true, input);
  }
});

test('an announcement that is quoted or stands inside a sentence is none', () => {
  for (const input of [
    'The text "new topic" in the header must be bold',
    'The label «changeons de sujet» is wrong in the recipe',
    'I will cook them and then we are changing the subject of the email',
    '按钮上写着「换个话题」',
  ]) {
    assert.equal(after(input).phrase, false, input);
  }
});

test('another matter is a shift when its reply is known, the same matter is not', () => {
  assert.equal(
    after(
      'Write a Postgres migration that adds an index on the orders table by customer',
      'CREATE INDEX CONCURRENTLY orders_customer ON orders (customer_id); run the migration outside of a transaction.',
    ).final,
    true,
  );
  assert.equal(
    after(
      'Should the potatoes be parboiled before roasting?',
      'Parboil the potatoes, then roast them with the chicken.',
    ).final,
    false,
  );
  assert.equal(after('And with lemon?', 'Lemon goes well with chicken and thyme.').final, false);
});

test('the weights fit the features they were trained for', () => {
  assert.equal(WEIGHTS.input.weights.length, INPUT_FEATURES.length);
  assert.equal(WEIGHTS.end.weights.length, END_FEATURES.length);
  assert.equal(new Set(END_FEATURES).size, END_FEATURES.length);
  const x = new Float64Array(256);
  const tracker = new Tracker();
  tracker.read('one two three', 0, 0);
  assert.equal(tracker.atInput(x), INPUT_FEATURES.length);
  tracker.answer('four five');
  assert.equal(tracker.atEnd(x), END_FEATURES.length);
});

test('any texts give finite numbers, and a tracker is not moved by another one beside it', () => {
  const talk = fc.array(
    fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.boolean()),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(talk, talk, (one, two) => {
      const play = (between: () => void, says: typeof one): number[] => {
        const tracker = new Tracker();
        const x = new Float64Array(256);
        const seen: number[] = [];
        for (const [at, [q, a, shift]] of says.entries()) {
          tracker.read(q, at, at);
          between();
          tracker.atInput(x);
          if (a !== '') tracker.answer(a);
          between();
          const n = tracker.atEnd(x);
          seen.push(...x.slice(0, n));
          tracker.fold(shift);
        }
        return seen;
      };
      const alone = play(() => {}, one);
      assert.ok(alone.every(Number.isFinite));
      const beside = play(() => void play(() => {}, two.slice(0, 2)), one);
      assert.deepEqual(beside, alone);
    }),
    { numRuns: 60 },
  );
});

test('a return to a closed topic names it', () => {
  const tracker = new Tracker();
  const play = (at: number, q: string, a: string, shift: boolean) => {
    tracker.read(q, at, at);
    tracker.answer(a);
    const [best] = tracker.matches();
    const found = { start: best?.past.start, nearer: (best?.score ?? 0) > tracker.likeness };
    tracker.fold(shift);
    return found;
  };
  play(
    0,
    'Recommend a science fiction novel about desert planets',
    'Try Dune by Frank Herbert, a novel about a desert planet.',
    false,
  );
  play(1, 'What are the benefits of yoga?', 'Yoga makes you flexible and calm.', true);
  assert.deepEqual(
    play(
      2,
      'Back to Dune: did Herbert write sequels to that novel?',
      'Herbert wrote five more Dune novels.',
      true,
    ),
    { start: 0, nearer: true },
  );
});
