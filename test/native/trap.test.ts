// A trap inside the WASM: the instance is given up, the caller gets a typed error, and the next call works.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attach, loadTables } from '../../native/index.js';
import { privateTables, TABLES_AT } from '../../native/tables.js';

test('a trap is an INTERNAL error and the tokenizer goes on with a fresh instance', () => {
  const tables = privateTables(loadTables(), 2);
  const tokenizer = attach(tables);
  assert.equal(tokenizer.count('hello world', 'o200k_base'), 2);
  // The offset of cl100k_base's trie: row 1 of the header, third number (native/packer/tables.mjs).
  const header = new Uint32Array(tables.memory.buffer, TABLES_AT, 64);
  const offset = header[26]!;
  header[26] = 0x7fff_0000;
  for (const call of [
    () => tokenizer.count('unseen words', 'cl100k_base'),
    () => tokenizer.countMany(['unseen', 'words', 'here'], 'cl100k_base'),
    () => tokenizer.count('unseen words '.repeat(20_000), 'cl100k_base'),
    () => tokenizer.appender('cl100k_base').append('unseen words'),
  ]) {
    assert.throws(call, { kind: 'INTERNAL', message: /trapped/ });
    assert.equal(tokenizer.count('hello world', 'o200k_base'), 2);
  }
  header[26] = offset;
  assert.equal(tokenizer.count('unseen words', 'cl100k_base'), attach().count('unseen words', 'cl100k_base'));
});
