// The configured phrases: order, anchors, word boundaries, quotes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchPhrase, type PhraseRule } from '../../src/topics/phrases.js';

const PHRASES = [
  'different question',
  'different topic',
  'new topic',
  'new question',
  "let's move on",
  'moving on',
  'change of subject',
  'switching gears',
  'unrelated:',
  'separately,',
  'on a different note',
];
const rule = (o: Partial<PhraseRule> = {}): PhraseRule => ({
  phrases: PHRASES,
  leadAnchor: 'strict',
  match: 'word',
  ...o,
});
const signal = (text: string, o: Partial<PhraseRule> = {}) => matchPhrase(text, rule(o))?.signal;

test('L3-2 a phrase that ends in a colon or comma at the very start is explicit, every other match a phrase', () => {
  assert.equal(signal('Unrelated: how do I sort a list?'), 'user_explicit');
  assert.equal(signal('  UNRELATED: how?'), 'user_explicit');
  assert.equal(signal('OK. Separately, look at the tests'), 'phrase');
  assert.equal(signal('Different question: why?'), 'phrase');
  assert.equal(signal('Different question: why?', { leadAnchor: 'any' }), 'user_explicit');
  assert.equal(signal('And a different question: why?', { leadAnchor: 'any' }), 'phrase');
});

test('L3-2 phrases are tried in the order of the list and empty input is ignored', () => {
  assert.equal(matchPhrase('moving on, a new topic', rule())?.phrase, 'new topic');
  assert.equal(signal('   '), undefined);
  assert.equal(signal('', { match: 'substring' }), undefined);
});

test('L3-11 words are whole and a lead phrase opens a sentence or a line', () => {
  assert.equal(signal('removing one file'), undefined);
  assert.equal(signal('removing one file', { match: 'substring' }), 'phrase');
  assert.equal(signal('cook them separately, then serve'), undefined);
  assert.equal(signal('done\nseparately, a thing'), 'phrase');
  assert.equal(signal('- separately, a thing'), 'phrase');
  assert.equal(signal('this is unrelated: yes'), undefined);
});

test('L3-11 apostrophes are one sign', () => {
  assert.equal(signal('Let’s move on to the parser'), 'phrase');
  assert.equal(signal("let's move on"), 'phrase');
});

test('L3-11 a quoted phrase is mentioned, not said', () => {
  assert.equal(signal('The text "new topic" in the header must be bold'), undefined);
  assert.equal(signal('rename “new topic” please'), undefined);
  assert.equal(signal('der Knopf „new topic“ fehlt'), undefined);
  assert.equal(signal("the label 'new topic' is wrong"), undefined);
  assert.equal(signal("that's it, new topic, don't wait"), 'phrase');
  assert.equal(signal('The text "new topic" is bold. New topic: tests'), 'phrase');
});
