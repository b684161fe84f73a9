// Modules with compiled code that do not load are told in one line, with what to do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadFault } from '../../src/native-module.js';

test('a module compiled for another Node, one never compiled and one that the system refuses are told apart', () => {
  const dlopen = (message: string) => Object.assign(new Error(message), { code: 'ERR_DLOPEN_FAILED' });
  const other = dlopen(
    "The module 'a.node'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 115.",
  );
  assert.match(
    loadFault('m', other)!,
    /^m was compiled for another version of Node than this v[^\n]*: npm rebuild m$/,
  );
  assert.match(
    loadFault('m', new Error('Could not locate the bindings file. Tried:\n → x'))!,
    /^m was not compiled when it was installed [^\n]*: npm rebuild m$/,
  );
  assert.match(
    loadFault('m', dlopen('libc.so: wrong ELF class\nmore'))!,
    /^m does not load \(libc\.so: wrong ELF class\): npm rebuild m$/,
  );
  assert.equal(loadFault('m', new Error('unable to open database file')), undefined);
});
