// Edits of parts: the result is valid, what was not named is untouched.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  headOf,
  type PlacedPart,
  removeParts,
  shrinkInput,
  tailOf,
  thinkingOf,
} from '../../src/providers/edits.js';
import { LEGAL, legal } from '../../src/providers/legal.js';
import { marksOf, positionsOf, sees, withoutMarks } from '../../src/providers/marks.js';
import { profileOf } from '../../src/providers/profile.js';
import { applyDocEdits } from '../../src/providers/repair.js';
import { specOf } from '../../src/providers/spec.js';
import type { DocEdit, Format } from '../../src/providers/types.js';
import { historyOf, nativeOf, validateRequest } from '../../src/providers/validate.js';
import { build, steps } from './histories.js';
import { assistant, type Msg, natives, result, rules, text, use, user } from './kit.js';

const MODELS: Record<Format, string> = {
  anthropic: 'claude-sonnet-4-5',
  'openai-chat': 'gpt-5.5',
  'openai-responses': 'gpt-6',
};
const FORMATS = Object.keys(MODELS) as Format[];

function applied(format: Format, messages: readonly Msg[], edits: readonly DocEdit[]) {
  const texts = applyDocEdits(natives(messages), edits);
  const found = validateRequest(specOf(format), profileOf(format, MODELS[format]), {
    messages: texts.map(nativeOf),
  });
  return { texts, broken: rules(found), messages: texts.map((t) => JSON.parse(t) as Msg) };
}

const historyFor = (format: Format, messages: readonly Msg[]) => historyOf(specOf(format), natives(messages));

for (const format of FORMATS) {
  test(`PV-A7 ${format}: any pairs removed leave a valid history`, () => {
    fc.assert(
      fc.property(steps, fc.func(fc.boolean()), (plan, pick) => {
        const messages = build(format, plan);
        const history = historyFor(format, messages);
        const gone: PlacedPart[] = history.flatMap(({ reading }, at) =>
          reading.parts.filter((p) => p.callId !== undefined && pick(p.callId)).map((part) => ({ at, part })),
        );
        const out = applied(format, messages, removeParts(format, history, gone));
        assert.deepEqual(out.broken, []);
        const kept = out.texts.filter((t) => natives(messages).some((n) => n.text === t)).length;
        assert.ok(kept >= messages.length - 3 * gone.length);
      }),
    );
  });

  test(`PV-A22 PV-R4 ${format}: all thinking removed leaves a valid history`, () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const messages = build(format, plan);
        const history = historyFor(format, messages);
        const gone = history.flatMap((m, at) => thinkingOf(at, m));
        const out = applied(format, messages, removeParts(format, history, gone));
        assert.deepEqual(out.broken, []);
        assert.ok(!out.texts.some((t) => t.includes('"thinking"') || t.includes('"reasoning"')));
      }),
    );
  });

  test(`PV-A7 ${format}: a clear changes the content of the result alone`, () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const messages = build(format, plan);
        const spec = specOf(format);
        const history = historyFor(format, messages);
        const edits = history.flatMap(({ reading }, at) =>
          reading.parts
            .filter((p) => p.bodyPath !== undefined)
            .map((p) => ({ at, ...spec.marker(p, '[cleared]') })),
        );
        const out = applied(format, messages, edits);
        assert.deepEqual(out.broken, []);
        for (const [at, m] of out.messages.entries()) {
          const before = history[at]!.reading.parts.map((p) => [p.kind, p.callId, p.isError, p.argsText]);
          const after = spec.read(nativeOf(JSON.stringify(m))).parts;
          assert.deepEqual(
            after.map((p) => [p.kind, p.callId, p.isError, p.argsText]),
            before,
          );
          assert.ok(after.every((p) => p.kind !== 'tool_result' || p.text === '[cleared]'));
        }
      }),
    );
  });
}

test('PV-R4 a call whose reasoning goes loses its id and keeps its call_id', () => {
  const messages = [
    { type: 'message', role: 'user', content: 'hi' },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'ls', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'ok' },
  ];
  const history = historyFor('openai-responses', messages);
  const out = applied(
    'openai-responses',
    messages,
    removeParts('openai-responses', history, thinkingOf(1, history[1]!)),
  );
  assert.deepEqual(out.messages[1], { type: 'function_call', call_id: 'c', name: 'ls', arguments: '{}' });
});

test('PV-A7 a message of thinking alone keeps a placeholder (case 16)', () => {
  const messages = [user('a'), assistant({ type: 'thinking', thinking: 't', signature: 's' }), user('b')];
  const history = historyFor('anthropic', messages);
  const out = applied('anthropic', messages, removeParts('anthropic', history, thinkingOf(1, history[1]!)));
  assert.deepEqual(out.messages[1], assistant(text('(removed)')));
  const chat = [user('a'), { role: 'assistant', content: null, reasoning_content: 'Done.' }, user('b')];
  const read = historyFor('openai-chat', chat);
  const mended = applied('openai-chat', chat, removeParts('openai-chat', read, thinkingOf(1, read[1]!)));
  assert.deepEqual(mended.messages[1], { role: 'assistant', content: '(removed)' });
});

test('PV-A19 PV-C5 PV-S8 shrinking cuts string leaves and leaves everything else as it was', () => {
  const input =
    '{"2":1.0,"10":12345678901234567890,"text":"' +
    'y'.repeat(100) +
    '","deep":[{"t":"' +
    'z'.repeat(100) +
    '"}]}';
  const block = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":${input}}]}`;
  const part = specOf('anthropic').read(nativeOf(block)).parts[0]!;
  const edit = shrinkInput(part, 50, (t) => `${headOf(t, 3)}…`)!;
  const [out] = applyDocEdits([nativeOf(block)], [{ at: 0, ...edit }]);
  assert.ok(out!.includes('"input":{"2":1.0,"10":12345678901234567890,"text":"yyy…","deep":[{"t":"zzz…"}]}'));
  assert.equal(
    shrinkInput(part, 1_000, () => ''),
    undefined,
  );
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: input } };
  const chat = nativeOf(JSON.stringify({ role: 'assistant', content: null, tool_calls: [call] }));
  const chatEdit = shrinkInput(specOf('openai-chat').read(chat).parts[0]!, 50, () => 'short')!;
  const [text2] = applyDocEdits([chat], [{ at: 0, ...chatEdit }]);
  const args = (JSON.parse(text2!) as { tool_calls: [{ function: { arguments: string } }] }).tool_calls[0]
    .function.arguments;
  assert.ok(args.includes('12345678901234567890') && args.includes('"text":"short"'));
});

test('PV-A18 cuts fall on code points (case 28)', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.nat(40), (t, n) => {
      fc.pre(!/[\ud800-\udfff]/u.test(t));
      for (const cut of [headOf(t, n), tailOf(t, n)])
        assert.ok(!/[\ud800-\udfff]/u.test(cut) && cut.length <= Math.max(n, 0));
      assert.ok(t.startsWith(headOf(t, n)) && t.endsWith(tailOf(t, n)));
    }),
  );
});

test('PV-A42 marks are found and left out for comparison; a run of calls is one position', () => {
  const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  const [m] = natives([
    user([{ ...result('a', [{ ...text('x'), ...mark }]), ...mark }, result('b'), text('y')]),
  ]);
  const reading = specOf('anthropic').read(m!);
  assert.deepEqual(
    marksOf(m!, reading).map((x) => x.ttl),
    ['1h', '1h'],
  );
  assert.equal(
    withoutMarks(m!, reading),
    JSON.stringify(user([result('a', [text('x')]), result('b'), text('y')])),
  );
  assert.equal(positionsOf(reading), 2);
  const calls = specOf('anthropic').read(
    natives([assistant(text('t'), ...Array.from({ length: 9 }, (_, i) => use(`${i}`)))])[0]!,
  );
  assert.equal(positionsOf(calls), 2);
  assert.ok(sees(19) && !sees(20));
});

test('PV-G the table of legal edits: conditions decide where they are known', () => {
  assert.equal(Object.keys(LEGAL).length, 22);
  assert.equal(legal('shape-pre-send', 'AB').answer, 'yes');
  assert.equal(legal('rewrite-thinking', 'CC').answer, 'no');
  assert.deepEqual(legal('clear-result', 'AB', { 1: true }), { answer: 'if', open: [2], broken: [] });
  assert.equal(legal('clear-result', 'AB', { 1: true, 2: false }).answer, 'no');
  assert.equal(legal('clear-result', 'AF', { 1: true }).answer, 'yes');
  assert.deepEqual(legal('change-tools', 'AB'), { answer: 'no', open: [], broken: [], see: 'PV-A46' });
  for (const cls of ['AF', 'AB', 'CC', 'RS', 'RC', 'SH'] as const)
    for (const kind of ['open-round', 'rewrite-thinking', 'edit-system'] as const)
      assert.equal(legal(kind, cls).answer, 'no');
});

test('PV-R3 PV-R4 a message whose reasoning goes loses its id; reasoning before what is known by its id alone stays', () => {
  const thought = (id: string) => ({ type: 'reasoning', id, summary: [] });
  const said = { type: 'message', id: 'msg_1', role: 'assistant', content: 'x' };
  const hosted = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
  const messages = [
    { type: 'message', role: 'user', content: 'hi' },
    thought('rs_1'),
    said,
    thought('rs_2'),
    thought('rs_3'),
    hosted,
    said,
  ];
  const history = historyFor('openai-responses', messages);
  const all = history.flatMap((m, at) => thinkingOf(at, m));
  const out = applied('openai-responses', messages, removeParts('openai-responses', history, all));
  const { id: _, ...bare } = said;
  assert.deepEqual(out.messages, [messages[0], bare, ...messages.slice(3)]);
});
