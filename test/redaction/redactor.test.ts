// Redaction rules: what they find, what they leave alone, and that the result stays what it was.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Native } from '../../src/json/native.js';
import { Redactor } from '../../src/redaction/redactor.js';
import { loadSettings } from '../../src/settings/index.js';

const KEY = 'sk-abcdefghijklmnopqrstuv';
const rules = [
  { name: 'key', pattern: 'sk-[a-z0-9]{10,}' },
  { name: 'password', pattern: '(?i)(password["=: ]+)[^\\s",]+', replacement: '$1***' },
];
const redactor = new Redactor(rules);
const of = (text: string) => redactor.native(new Native(text));

test('Privacy: a match inside a message is replaced, and every other byte stays as it came', () => {
  const text = `{"role":"user","n":1.0,"content":[{"type":"text","text":"use ${KEY} now"},{"type":"image","source":{"type":"base64","data":"${KEY}"}}], "x":12345678901234567890}`;
  const out = of(text);
  assert.equal(out.redactions, 1);
  assert.equal(out.text, text.replace(`use ${KEY}`, 'use [redacted:key]'));
  const clean = new Native('{"role":"user","content":"nothing here"}');
  assert.equal(redactor.native(clean), clean);
});

test('Privacy: groups of the pattern are kept where the replacement names them, and a dollar in a text is a dollar', () => {
  assert.deepEqual(redactor.text("Password: hunter2, and $& $1 $'"), {
    text: "Password: ***, and $& $1 $'",
    count: 1,
  });
});

test('Privacy: ids, names, roles and what the provider has sealed stay; signed thinking goes as a whole', () => {
  const call = `{"role":"assistant","content":[{"type":"thinking","thinking":"I use ${KEY}","signature":"${KEY}"},{"type":"tool_use","id":"${KEY}","name":"${KEY}","input":{"q":"${KEY}"}}]}`;
  assert.deepEqual(JSON.parse(of(call).text), {
    role: 'assistant',
    content: [{ type: 'tool_use', id: KEY, name: KEY, input: { q: '[redacted:key]' } }],
  });
});

test('Privacy: arguments of a call stay JSON', () => {
  const call = (args: string) =>
    JSON.stringify({
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: args } }],
    });
  const args = (out: Native) => JSON.parse(out.text).tool_calls[0].function.arguments;
  assert.equal(args(of(call(`{"a": "${KEY}", "b": 1.0}`))), '{"a": "[redacted:key]", "b": 1.0}');
  assert.equal(args(of(call('{"password": "hunter2"}'))), '{"password": "***"}');
  const torn = new Redactor([{ name: 'all', pattern: '"secret".*' }]);
  const out = args(torn.native(new Native(call('{"secret": "x", "y": 2}'))));
  assert.deepEqual(JSON.parse(out), { redacted: true });
});

test('Privacy: what was redacted goes through again unchanged, whatever the text', () => {
  const word = fc.constantFrom(
    KEY,
    'password=',
    'Password: "x',
    ' ',
    'sk-',
    'abc',
    '***',
    '[redacted:key]',
    '"',
    '\\',
    '\u{1f600}',
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      const once = redactor.text(words.join(''));
      assert.equal(redactor.text(once.text).text, once.text);
      const message = of(JSON.stringify({ role: 'user', content: words.join('') }));
      assert.equal(JSON.parse(message.text).content, once.text);
      assert.ok(!message.text.includes(KEY));
    }),
  );
});

test('Privacy: a pattern that would backtrack for ever takes time in proportion to the text', () => {
  const slow = new Redactor([{ name: 'slow', pattern: '(a+)+$' }]);
  assert.equal(slow.text(`${'a'.repeat(200_000)}b`).count, 0);
});

test('Privacy F37: a rule that cannot work is a fault of the configuration that names line and key', () => {
  const faults = (rule: string) => {
    const loaded = loadSettings(`journal:\n  redact:\n    - ${rule}\n`, { origin: 'config.yaml' });
    assert.ok(!loaded.ok);
    return loaded.errors.map((e) => `${e.line} ${e.path} ${e.text}`).join('\n');
  };
  assert.match(faults('{name: a, pattern: "(a"}'), /^3 journal\.redact\[0\]\.pattern .*missing closing \)/);
  assert.match(faults('{name: a, pattern: "(?=x)y"}'), /no RE2 pattern/);
  assert.match(faults('{name: a, pattern: "x*"}'), /matches the empty text/);
  assert.match(faults('{name: a, pattern: "x", replacement: "$2"}'), /replacement .*names group 2/);
  assert.match(faults('{name: a}'), /needs a name and a pattern/);
  assert.match(faults('{name: a, pattern: x, flags: i}'), /unknown key/);
});
