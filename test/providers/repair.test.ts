// Repairs: what was valid is untouched, what was broken becomes valid, nothing depends on how the history arrived.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { profileOf } from '../../src/providers/profile.js';
import { applyDocEdits, repair } from '../../src/providers/repair.js';
import { specOf } from '../../src/providers/spec.js';
import type { Format, HistoryMessage, Part, Repair } from '../../src/providers/types.js';
import { historyOf, nativeOf, validateRequest } from '../../src/providers/validate.js';
import { clockMs, least } from '../support/least.js';
import { build, damage, damages, steps } from './histories.js';
import { assistant, type Msg, natives, result, rules, text, use, user } from './kit.js';

const PROFILES = {
  anthropic: profileOf('anthropic', 'claude-sonnet-4-5'),
  'openai-chat': profileOf('openai-chat', 'gpt-5.5'),
  'openai-responses': profileOf('openai-responses', 'gpt-6'),
} as const;
const FORMATS = Object.keys(PROFILES) as Format[];

/** How each format writes calls, a result, and what the two say. */
const SHAPES: Record<
  Format,
  {
    calls(ids: readonly string[]): Msg[];
    answer(id: string, text: string): Msg[];
    said(text: string): Msg;
    asked(text: string): Msg;
  }
> = {
  anthropic: {
    calls: (ids) => [assistant(...ids.map((id) => use(id)))],
    answer: (id, t) => [user([result(id, t)])],
    said: (t) => assistant(text(t)),
    asked: (t) => user(t),
  },
  'openai-chat': {
    calls: (ids) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
      },
    ],
    answer: (id, content) => [{ role: 'tool', tool_call_id: id, content }],
    said: (content) => ({ role: 'assistant', content }),
    asked: (content) => ({ role: 'user', content }),
  },
  'openai-responses': {
    calls: (ids) => ids.map((call_id) => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' })),
    answer: (call_id, output) => [{ type: 'function_call_output', call_id, output }],
    said: (content) => ({ type: 'message', role: 'assistant', content }),
    asked: (content) => ({ type: 'message', role: 'user', content }),
  },
};

interface Outcome {
  repairs: Repair[];
  texts: string[];
  messages: Msg[];
  broken: string[];
}

function mend(format: Format, messages: readonly unknown[], pending: string[] = []): Outcome {
  const spec = specOf(format);
  const before = natives(messages);
  const waits = new Set(pending);
  const repairs = repair(spec, historyOf(spec, before), 0, { pending: waits });
  const texts = applyDocEdits(
    before,
    repairs.flatMap((r) => r.edits),
  );
  const found = validateRequest(
    spec,
    PROFILES[format],
    { messages: texts.map(nativeOf) },
    { pending: waits },
  );
  return { repairs, texts, messages: texts.map((t) => JSON.parse(t) as Msg), broken: rules(found) };
}

/** Parts of the model's turn that ends the history: one message, in Responses all items since the last other one. */
function newestTurn(format: Format, messages: readonly Msg[]): Part[] {
  const readings = historyOf(specOf(format), natives(messages)).map((h) => h.reading);
  const start = readings.findLastIndex((r) => r.role !== 'assistant') + 1;
  const turn = readings.slice(start);
  return (format === 'openai-responses' ? turn : turn.slice(-1)).flatMap((r) => r.parts);
}

function openIn(history: readonly HistoryMessage[]): Set<string> {
  const open = new Set<string>();
  for (const { reading } of history)
    for (const p of reading.parts)
      if (p.kind === 'tool_call') open.add(p.callId!);
      else if (p.kind === 'tool_result') open.delete(p.callId!);
  return open;
}

/** Are calls open before message `at` though it does not follow them directly? */
function isTorn(history: readonly HistoryMessage[], at: number): boolean {
  const last = history[at - 1]?.reading;
  return at < history.length && last?.role !== 'assistant' && openIn(history.slice(0, at)).size > 0;
}

for (const format of FORMATS) {
  test(`F32 ${format}: a valid history gets no repair`, () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const out = mend(format, build(format, plan));
        assert.deepEqual(out.broken, []);
        assert.deepEqual(out.repairs, []);
      }),
    );
  });

  test(`F32 ${format}: a damaged history becomes valid, or what is left is the newest call without its result`, () => {
    fc.assert(
      fc.property(steps, damages, (plan, what) => {
        const messages = damage(build(format, plan), what);
        const out = mend(format, messages);
        const last = specOf(format).read(natives(messages).at(-1) ?? nativeOf('null'));
        const waits = newestTurn(format, messages).some((p) => p.kind === 'tool_call');
        const may =
          messages.length === 0 || !messages.some((m) => m['role'] === 'user')
            ? ['PV-S4', 'PV-A10', 'PV-C7', 'PV-R10']
            : [];
        if (waits) may.push('PV-A1', 'PV-C1', 'PV-R1');
        if (last.parts[0]?.type === 'reasoning') may.push('PV-R1', 'PV-R3');
        if (out.messages.length === 0) may.push('PV-R10', 'PV-C7', 'PV-S4');
        assert.deepEqual(
          out.broken.filter((r) => !may.includes(r)),
          [],
          JSON.stringify({ messages, out: out.messages }, null, 1),
        );
      }),
      { numRuns: 400 },
    );
  });

  test(`F32 ${format}: a repaired history needs no second repair`, () => {
    fc.assert(
      fc.property(steps, damages, (plan, what) => {
        const once = mend(format, damage(build(format, plan), what));
        fc.pre(once.broken.length === 0);
        assert.deepEqual(mend(format, once.messages).repairs, []);
      }),
    );
  });

  test(`F32 ${format}: repairing message by message ends valid too, and never touches what was repaired before`, () => {
    fc.assert(
      fc.property(steps, fc.array(fc.nat(20), { maxLength: 4 }), (plan, cuts) => {
        const messages = build(format, plan);
        const spec = specOf(format);
        const history = historyOf(spec, natives(messages));
        // No request ends between reasoning and what it produced, or among the results of a group.
        const whole = (at: number): number =>
          history[at - 1]?.reading.parts[0]?.type === 'reasoning' || isTorn(history, at) ? whole(at + 1) : at;
        const stops = [...new Set(cuts.map((c) => whole(c % (messages.length + 1)))), messages.length].sort(
          (a, b) => a - b,
        );
        let from = 0;
        for (const stop of stops) {
          const known = history.slice(0, stop);
          assert.deepEqual(repair(spec, known, from, { pending: new Set() }), []);
          from = stop;
        }
      }),
    );
  });
}

test('PV-A1 F32 a lost result becomes an error result in call order', () => {
  const { repairs, messages } = mend('anthropic', [
    user('go'),
    assistant(use('a'), use('b'), use('c')),
    user([result('a'), result('c'), text('x')]),
  ]);
  const ids = (messages[2]!['content'] as Msg[]).map((b) => b['tool_use_id']);
  assert.deepEqual(ids, ['a', 'b', 'c', undefined]);
  assert.deepEqual(
    repairs.map((r) => [r.rule, r.callId]),
    [['PV-A1', 'b']],
  );
});

test('PV-A9 PV-A1 F32 a call in flight stays as it is, beside a stand-in for its result', () => {
  const calls = assistant(use('a'), use('b'));
  const newest = mend('anthropic', [user('go'), calls], ['a', 'b']);
  assert.deepEqual(newest.broken, []);
  assert.deepEqual(newest.messages.slice(0, 2), [user('go'), calls]);
  assert.deepEqual(
    (newest.messages[2]!['content'] as Msg[]).map((b) => b['tool_use_id']),
    ['a', 'b'],
  );
  const out = mend('anthropic', [user('go'), calls, user([result('a')])], ['b']);
  assert.deepEqual(out.broken, []);
  assert.deepEqual(out.messages.slice(0, 2), [user('go'), calls]);
  const { content } = out.messages[2] as { content: Msg[] };
  assert.deepEqual(content[0], result('a'));
  assert.equal(content[1]!['tool_use_id'], 'b');
});

test('PV-A2 F32 an orphaned result goes, the text beside it stays byte for byte', () => {
  const out = mend('anthropic', [user('go'), assistant(text('x')), user([result('zz'), text('mind f2')])]);
  assert.equal(out.texts[2], '{"role":"user","content":[{"type":"text","text":"mind f2"}]}');
  assert.deepEqual(out.broken, []);
});

test('PV-A5 F32 results not first: the other blocks step behind them (case 11)', () => {
  const out = mend('anthropic', [
    user('go'),
    assistant(use('a'), use('b')),
    user([text('hurry'), result('a'), result('b')]),
  ]);
  const kinds = (out.messages[2]!['content'] as Msg[]).map((b) => b['type']);
  assert.deepEqual(kinds, ['tool_result', 'tool_result', 'text']);
  assert.deepEqual(out.repairs[0]?.frozen, [{ at: 2, path: ['content', 0] }]);
});

test('PV-A4 F32 results split over messages are merged, and the moved part is reported as frozen', () => {
  const out = mend('anthropic', [
    user('go'),
    assistant(use('a'), use('b')),
    user([result('a')]),
    user([result('b'), text('x')]),
  ]);
  assert.equal(out.messages.length, 4);
  assert.deepEqual(
    (out.messages[2]!['content'] as Msg[]).map((b) => b['tool_use_id']),
    ['a', 'b'],
  );
  assert.deepEqual(out.repairs[0]?.frozen, [{ at: 3, path: ['content', 0] }]);
});

test('PV-A4 F32 results in another order than their calls are put in call order, each with its own bytes', () => {
  const messages = [
    user('go'),
    assistant(use('a'), use('b'), use('c')),
    user([result('c', 'three'), result('a', 'one'), result('b', 'two'), text('and on')]),
  ];
  const out = mend('anthropic', messages);
  assert.deepEqual(out.broken, []);
  assert.deepEqual(
    out.messages[2],
    user([result('a', 'one'), result('b', 'two'), result('c', 'three'), text('and on')]),
  );
  assert.equal(out.repairs[0]?.frozen?.length, 3);
});

test('PV-R3 F32 an output that we write behind a call parts the reasoning there from the next call: it goes', () => {
  const { calls, answer, asked } = SHAPES['openai-responses'];
  const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' };
  const out = mend('openai-responses', [
    asked('start'),
    ...calls(['a']),
    thought,
    ...answer('b', 'early'),
    ...calls(['b']),
    ...answer('b', 'in time'),
    asked('go'),
  ]);
  assert.deepEqual(out.broken, []);
  assert.deepEqual(
    out.messages.map((m) => m['call_id'] ?? m['role'] ?? m['type']),
    ['user', 'a', 'a', 'b', 'b', 'user'],
  );
});

test('PV-C1 PV-G F32 what was mended before it was sent is not mended again when more comes', () => {
  const call = (id: string): Msg => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }],
  });
  const tool = (id: string, content: string): Msg => ({ role: 'tool', tool_call_id: id, content });
  const first = [user('go'), call('a'), tool('ghost', 'x'), tool('a', 'again'), tool('a', 'the whole text')];
  const spec = specOf('openai-chat');
  const all = historyOf(spec, natives([...first, call('b'), tool('b', 'y')]));
  assert.equal(repair(spec, all.slice(0, first.length), 0, { pending: new Set() }).length, 2);
  assert.deepEqual(repair(spec, all, first.length, { pending: new Set() }), []);
});

test('PV-A6 F32 what stands between a call and its result steps behind it; the result keeps its place', () => {
  const out = mend('anthropic', [
    user('go'),
    assistant(use('a')),
    user('wait'),
    user([result('a')]),
    assistant(text('ok')),
    user('x'),
  ]);
  assert.deepEqual(out.broken, []);
  assert.deepEqual(out.messages[2], user([result('a')]));
  assert.deepEqual(out.messages[3], user('wait'));
});

test('PV-A3 F32 an id used in an earlier turn gets a new one, call and result alike, the same on every run', () => {
  const round = (t: string) => [assistant(use('a', { t })), user([result('a', t)])];
  const messages = [user('go'), ...round('one'), ...round('two'), assistant(text('ok')), user('x')];
  const out = mend('anthropic', messages);
  assert.deepEqual(out.broken, []);
  assert.deepEqual(out.messages[3]!['content'], [use('a_3', { t: 'two' })]);
  const spec = specOf('anthropic');
  const history = historyOf(spec, natives(messages));
  const late = repair(spec, history, 4, { pending: new Set() });
  assert.deepEqual(
    late.flatMap((r) => r.edits),
    [{ at: 4, op: 'set', path: ['content', 0, 'tool_use_id'], json: '"a_3"' }],
  );
});

const fn = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

test('PV-C3 F32 one id twice in a message: both pairs stay, the second under its own id (case 08)', () => {
  const out = mend('openai-chat', [
    user('plan'),
    {
      role: 'assistant',
      content: null,
      tool_calls: [fn('t:1', 'todo', '{"items":["a"]}'), fn('t:1', 'unknown', '{}')],
    },
    { role: 'tool', tool_call_id: 't:1', content: 'saved' },
    { role: 'tool', tool_call_id: 't:1', content: '[aborted]' },
    { role: 'assistant', content: 'ok' },
    user('next'),
  ]);
  assert.deepEqual(out.broken, []);
  assert.equal(out.messages[2]!['tool_call_id'], 't:1');
  assert.equal(out.messages[2]!['content'], 'saved');
  assert.equal(out.messages[3]!['tool_call_id'], 't:1_1_1');
});

test('PV-C3 F32 two results for one call: the more informative one stays', () => {
  const call = { role: 'assistant', content: null, tool_calls: [fn('a', 'todo', '{}')] };
  const tool = (content: string) => ({ role: 'tool', tool_call_id: 'a', content });
  const out = mend('openai-chat', [user('plan'), call, tool('[aborted]'), tool('saved'), user('next')]);
  assert.deepEqual(out.broken, []);
  assert.deepEqual(
    out.messages.map((m) => m['content']),
    ['plan', null, 'saved', 'next'],
  );
});

test('PV-C6 F32 null contents become placeholders, null beside calls stays (case 25)', () => {
  const call = { role: 'assistant', content: null, tool_calls: [fn('n1', 'spawn', '{}')] };
  const out = mend('openai-chat', [
    user('x'),
    call,
    { role: 'tool', tool_call_id: 'n1', content: null },
    { role: 'assistant', content: null, reasoning_content: 'Done.' },
    { role: 'assistant' },
    user('y'),
  ]);
  assert.deepEqual(out.broken, []);
  assert.deepEqual(out.messages[1], call);
});

test('PV-C6 F32 an empty text beside other parts is left out, what stands beside it stays (case 26)', () => {
  const empty = { type: 'text', text: '' };
  const image = { type: 'image_url', image_url: { url: 'https://a/b.png' } };
  const call = { role: 'assistant', content: [empty], tool_calls: [fn('n1', 'spawn', '{}')] };
  const out = mend('openai-chat', [
    { role: 'user', content: [empty, image, empty] },
    call,
    { role: 'tool', tool_call_id: 'n1', content: [{ type: 'text', text: 'ok' }, empty] },
  ]);
  assert.deepEqual(out.broken, []);
  assert.deepEqual(out.messages, [
    { role: 'user', content: [image] },
    call,
    { role: 'tool', tool_call_id: 'n1', content: [{ type: 'text', text: 'ok' }] },
  ]);
});

test('PV-C5 PV-A19 F32 arguments that are no object keep their text under one key', () => {
  const out = mend('openai-chat', [
    user('x'),
    {
      role: 'assistant',
      tool_calls: [fn('a', 'f', '{"path": "x'), fn('b', 'f', ''), fn('c', 'f', '{"a":"\\ud83d"}')],
    },
    ...['a', 'b', 'c'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'ok' })),
  ]);
  assert.deepEqual(out.broken, []);
  const args = (out.messages[1]!['tool_calls'] as { function: { arguments: string } }[]).map(
    (c) => c.function.arguments,
  );
  assert.deepEqual(args, ['{"invalid_arguments":"{\\"path\\": \\"x"}', '{}', '{"a":"\ufffd"}']);
  const anthropic = mend('anthropic', [
    user('x'),
    assistant(use('a', '{"p":1.0}'), use('b', null)),
    user([result('a'), result('b')]),
  ]);
  assert.deepEqual(anthropic.broken, []);
  assert.ok(anthropic.texts[1]!.includes('"input":{"p":1.0}'));
});

test('PV-A18 F31 lone surrogates become U+FFFD wherever they stand, keys too; nothing else changes', () => {
  const out = mend('anthropic', [
    user('a\ud83db👍'),
    assistant(use('a', { 'k\udc00': ['\ud83d', '👍'] })),
    user([result('a', 'x\ud83d')]),
  ]);
  assert.deepEqual(out.broken, []);
  assert.equal(out.messages[0]!['content'], 'a\ufffdb👍');
  assert.deepEqual((out.messages[1]!['content'] as Msg[])[0]!['input'], { 'k\ufffd': ['\ufffd', '👍'] });
});

test('PV-A17 F32 empty texts go or become a placeholder; the host is told (case 26)', () => {
  const out = mend('anthropic', [
    user('run'),
    assistant(text(''), use('e1')),
    user([result('e1', '')]),
    assistant(text('  \n'), use('e2')),
    user([result('e2', [text('')])]),
    assistant(text('')),
    user('done?'),
  ]);
  assert.deepEqual(out.broken, []);
  assert.equal(out.messages.length, 7);
  assert.ok(out.repairs.every((r) => r.rule === 'PV-A17' && r.what !== ''));
});

test('PV-A20 hints of the host never go out', () => {
  const out = mend('anthropic', [{ ...user([{ ...text('a'), _px: [1, 2] }]), _usage: { x: 1 } }]);
  assert.equal(out.texts[0], '{"role":"user","content":[{"type":"text","text":"a"}]}');
});

test('PV-A34 F32 half of a server tool pair goes', () => {
  const server = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
  const out = mend('anthropic', [user('a'), assistant(server, text('b')), user('c')]);
  assert.deepEqual(out.broken, []);
  assert.deepEqual(out.messages[1], assistant(text('b')));
});

test('PV-A22 F32 thinking without a signature goes whole', () => {
  const out = mend('anthropic', [
    user('a'),
    assistant({ type: 'thinking', thinking: 't' }, text('b')),
    user('c'),
  ]);
  assert.deepEqual(out.messages[1], assistant(text('b')));
});

test('PV-R3 F32 reasoning without the item it produced goes', () => {
  const u = { type: 'message', role: 'user', content: 'hi' };
  const out = mend('openai-responses', [u, { type: 'reasoning', id: 'r', summary: [] }, u]);
  assert.deepEqual(out.messages, [u, u]);
});

for (const format of FORMATS)
  test(`PV-A1 PV-C1 PV-R1 K06 ${format}: a call in flight gets a stand-in; its result comes as text, what was sent stays`, () => {
    const spec = specOf(format);
    const { calls, answer, said, asked } = SHAPES[format];
    const sent = natives([asked('go'), ...calls(['a', 'b']), ...answer('a', 'one'), asked('meanwhile?')]);
    const first = repair(spec, historyOf(spec, sent), 0, { pending: new Set(['b']) });
    const texts = applyDocEdits(
      sent,
      first.flatMap((r) => r.edits),
    );
    assert.deepEqual(rules(validateRequest(spec, PROFILES[format], { messages: texts.map(nativeOf) })), []);
    assert.ok(texts.join().includes('not finished'));
    const all = [
      ...sent,
      ...natives([said('yes'), ...calls(['c']), ...answer('b', 'the late one'), ...answer('c', 'three')]),
    ];
    const late = repair(spec, historyOf(spec, all), sent.length, { pending: new Set() });
    const places = late.flatMap((r) => r.edits).map((e) => (e.op === 'insert' ? e.before : e.at));
    assert.ok(places.every((at) => at >= sent.length));
    const whole = applyDocEdits(
      all,
      [...first, ...late].flatMap((r) => r.edits),
    );
    assert.deepEqual(rules(validateRequest(spec, PROFILES[format], { messages: whole.map(nativeOf) })), []);
    assert.deepEqual(whole.slice(0, texts.length), texts);
    assert.equal(whole.join().split('the late one').length, 2);
  });

test('repairs are linear: 10,000 calls in one message, 30,000 rounds in a history', async () => {
  const ids = Array.from({ length: 10_000 }, (_, i) => `c${i}`);
  const start = performance.now();
  const wide = [
    user('go'),
    assistant(...ids.map((id) => use(id))),
    user(ids.slice(0, 5_000).map((id) => result(id))),
  ];
  assert.deepEqual(mend('anthropic', wide).broken, []);
  const long: Msg[] = [user('go')];
  for (let i = 0; i < 30_000; i++) long.push(assistant(use(`c${i}`)), user([result(`c${i}`)]));
  const spec = specOf('anthropic');
  const history = historyOf(spec, natives(long));
  assert.deepEqual(repair(spec, history, 0, { pending: new Set() }), []);
  assert.ok(performance.now() - start < 20_000);
  const turns = () => {
    for (let i = 0; i < 100; i++) repair(spec, history, history.length - 2, { pending: new Set() });
  };
  assert.ok((await least(500, () => clockMs(turns))) < 500, 'a turn costs what it adds');
});

/** A history that counts how many of its messages are looked at. */
function watchedHistory(history: HistoryMessage[]): { history: HistoryMessage[]; looks(): number } {
  let looks = 0;
  const watched = new Proxy(history, {
    get(target, name, receiver) {
      if (typeof name === 'string' && /^\d+$/.test(name)) looks += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  return { history: watched, looks: () => looks };
}

test('F32 mending what is new looks at few messages before it, however long the history, with each kind of model', () => {
  const models: [Format, string][] = [
    ['anthropic', 'claude-sonnet-4-5'],
    ['anthropic', 'claude-opus-5-5'],
    ['openai-chat', 'gpt-5.5'],
    ['openai-chat', 'gemma-3-9b'],
    ['openai-responses', 'gpt-6'],
  ];
  for (const [format, model] of models) {
    const { calls, answer, asked } = SHAPES[format];
    const messages = [asked('go')];
    for (let i = 0; i < 1000; i++) messages.push(...calls([`c${i}`]), ...answer(`c${i}`, 'x'));
    // The newest call goes without its result.
    messages.push(...calls(['last']), asked('well?'));
    const { history, looks } = watchedHistory([...historyOf(specOf(format), natives(messages))]);
    const from = history.length - 2;
    const profile = profileOf(format, model);
    const mended = () => repair(specOf(format), history, from, { pending: new Set(), profile, sent: [] });
    assert.ok(mended().length > 0, model);
    const before = looks();
    mended();
    assert.ok(looks() - before < 200, `${model}: ${looks() - before} of ${history.length} looked at`);
  }
});

test('PV-R3 F32 reasoning at the very end has produced nothing: it goes', () => {
  const u = { type: 'message', role: 'user', content: 'hi' };
  const thought = { type: 'reasoning', id: 'r', summary: [], encrypted_content: 'RU5D' };
  assert.deepEqual(mend('openai-responses', [u, thought]).messages, [u]);
  assert.deepEqual(mend('openai-responses', [u, thought, thought]).messages, [u]);
});

test('PV-A35 F32 a compaction block with an empty text becomes a failed one', () => {
  const block = { type: 'compaction', content: '' };
  const out = mend('anthropic', [assistant(block, text('b')), user('c')]);
  assert.deepEqual(out.broken, []);
  assert.deepEqual(out.messages[0], assistant({ type: 'compaction', content: null }, text('b')));
});

test('PV-A3 F32 calls and results without an id are paired by their place, and nothing of them is lost', () => {
  const out = mend('anthropic', [user('a'), assistant(use('')), user([result('', 'one')]), user('c')]);
  assert.deepEqual(out.broken, []);
  assert.ok(JSON.stringify(out.messages[2]).includes('one'));
});

for (const none of [{ id: '' }, {}, { id: null }])
  test(`PV-C3 F32 chat calls with the id ${JSON.stringify(none.id) ?? 'left out'} get ids of their own, rounds apart`, () => {
    const call = (n: number) => ({
      ...none,
      type: 'function',
      function: { name: 'f', arguments: `{"n":${n}}` },
    });
    const answer = (content: string) => {
      const id = 'id' in none ? { tool_call_id: none.id } : {};
      return { role: 'tool', ...id, content };
    };
    const out = mend('openai-chat', [
      user('a'),
      { role: 'assistant', content: null, tool_calls: [call(1), call(2)] },
      answer('one'),
      answer('two'),
      { role: 'assistant', content: null, tool_calls: [call(3)] },
      answer('three'),
      user('b'),
    ]);
    assert.deepEqual(out.broken, []);
    const rounds = out.messages.filter((m) => m['role'] === 'tool').map((m) => m['content']);
    assert.deepEqual(rounds, ['one', 'two', 'three']);
    const ids = out.messages.filter((m) => m['role'] === 'tool').map((m) => m['tool_call_id']);
    assert.equal(new Set(ids).size, 3);
  });
