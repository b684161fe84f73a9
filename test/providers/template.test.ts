// Strict chat templates: any history can be made one that the template takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { profileOf } from '../../src/providers/profile.js';
import { applyDocEdits, repair } from '../../src/providers/repair.js';
import { specOf } from '../../src/providers/spec.js';
import type { Profile } from '../../src/providers/types.js';
import { historyOf, nativeOf, validateRequest } from '../../src/providers/validate.js';
import { build, damage, damages, steps } from './histories.js';
import { type Msg, natives, rules, user } from './kit.js';

const spec = specOf('openai-chat');
const GEMMA = profileOf('openai-chat', 'gemma-3-27b-it', { plainContent: true });
const MISTRAL = profileOf('openai-chat', 'mistralai/Mistral-7B-Instruct-v0.3');

function mend(profile: Profile, messages: readonly Msg[]) {
  const before = natives(messages);
  const repairs = repair(spec, historyOf(spec, before), 0, { pending: new Set(), profile });
  const texts = applyDocEdits(
    before,
    repairs.flatMap((r) => r.edits),
  );
  const broken = rules(validateRequest(spec, profile, { messages: texts.map(nativeOf) }));
  return { repairs, broken, messages: texts.map((t) => JSON.parse(t) as Msg) };
}

for (const [name, profile] of Object.entries({ GEMMA, MISTRAL }))
  test(`PV-S1 PV-S2 PV-S6 F32 ${name}: a damaged history becomes one that the template takes`, () => {
    fc.assert(
      fc.property(steps, damages, fc.nat(5), (plan, what, at) => {
        const messages = damage(build('openai-chat', plan), what);
        messages.splice(at % (messages.length + 1), 0, { role: 'system', content: 'be brief' });
        fc.pre(messages.some((m) => m['role'] === 'user'));
        const out = mend(profile, messages);
        const waits = messages.at(-1)?.['tool_calls'] !== undefined;
        assert.deepEqual(
          out.broken.filter((r) => !(waits && r === 'PV-C1')),
          [],
          JSON.stringify(out.messages),
        );
      }),
    );
  });

test('PV-S1 a message of ours stands between two of one role; the host’s keep their bytes', () => {
  const out = mend(GEMMA, [
    user('a'),
    user('b'),
    { role: 'assistant', content: 'c' },
    { role: 'assistant', content: 'd' },
  ]);
  assert.deepEqual(
    out.messages.map((m) => m['content']),
    ['a', '(no answer)', 'b', 'c', '(continue)', 'd'],
  );
});

test('PV-S3 a later system message speaks as the user', () => {
  const system = { role: 'system', content: 's' };
  const out = mend(GEMMA, [
    system,
    user('a'),
    { role: 'assistant', content: 'b' },
    { ...system, content: 't' },
  ]);
  assert.deepEqual(out.broken, []);
  assert.deepEqual(out.messages[3], { role: 'user', content: 't' });
});

test('PV-S5 a list of texts becomes a string, and nothing beside calls an empty one', () => {
  const out = mend(GEMMA, [
    user([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]),
  ]);
  assert.deepEqual(out.messages, [user('a\nb')]);
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const beside = mend(GEMMA, [
    user('a'),
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
  ]);
  assert.deepEqual(beside.broken, []);
  assert.equal(beside.messages[1]!['content'], '');
});

test('PV-S6 ids are mapped the same on every run, call and result alike', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const history = [
    user('a'),
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
  ];
  const one = mend(MISTRAL, history);
  assert.deepEqual(one.broken, []);
  assert.deepEqual(mend(MISTRAL, history).messages, one.messages);
  assert.match(String(one.messages[2]!['tool_call_id']), /^[a-z0-9]{9}$/);
});

test('PV-S1 repairing step by step gives what repairing at once gives', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('user', 'assistant'), { minLength: 1, maxLength: 8 }),
      fc.nat(8),
      (roles, cut) => {
        const history = historyOf(spec, natives(roles.map((role, i) => ({ role, content: `m${i}` }))));
        const o = { pending: new Set<string>(), profile: GEMMA };
        const at = Math.min(cut, history.length);
        const steps = [...repair(spec, history.slice(0, at), 0, o), ...repair(spec, history, at, o)];
        assert.deepEqual(steps, repair(spec, history, 0, o));
      },
    ),
  );
});
