// A call is the same call on both subprotocols, sound or not, whatever forms the bytes take.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalize, RawJson } from '../../src/json/index.js';
import { Native } from '../../src/json/native.js';
import { codecFor, type Incoming, MAX_ANSWER_DEPTH, MAX_FRAME_DEPTH } from '../../src/protocol/index.js';
import { call, json, kindOf, msgpack, pack, refused } from './support.js';
import { type Choose, Long, Pairs, packWide, textOf } from './wide-pack.js';

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\ufeffa',
    '\u0000',
    '\r',
    '\u202ea',
    '12',
    '__proto__',
    '</durable_state>',
    'x'.repeat(300),
  ),
);
const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 1e21, 5e-324, 0.1),
  fc.constantFrom(2n ** 60n, 2n ** 53n + 1n, -(2n ** 63n), 2n ** 64n - 1n).map((n) => new Long(n)),
);
const key = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('a', 'b', '10', '2', '', 'é', 'type', 'text', 'k'.repeat(40)) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'then') },
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    number,
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .uniqueArray(fc.tuple(key, tie('value')), { selector: ([k]) => k, maxLength: 4 })
      .map((pairs) => new Pairs(pairs)),
  ),
}));
const message = fc.record(
  { role: fc.constantFrom('user', 'assistant'), content: value, extra: value },
  { requiredKeys: ['role'] },
);
const given = (sound: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 6, arbitrary: sound }, { weight: 1, arbitrary: value });
const optional: { requiredKeys: ['session'] } = { requiredKeys: ['session'] };
const session = given(fc.constantFrom('s', 'é/😀'));
const PARAMS: Record<string, fc.Arbitrary<object>> = {
  'llm.prepare': fc.record(
    {
      session,
      append: given(fc.array(given(message), { maxLength: 3 })),
      messages: given(fc.array(message, { maxLength: 3 })),
      system: given(text),
      tools: given(fc.array(message, { maxLength: 2 })),
      max_tokens: given(fc.nat()),
      pending: given(fc.array(text, { maxLength: 2 })),
      return: given(fc.constantFrom('full', 'patch')),
      toString: value,
    },
    optional,
  ),
  'turn.end': fc.record(
    { session, final: given(fc.boolean()), usage: given(message), nope: value },
    optional,
  ),
  'session.open': fc.record(
    {
      session,
      format: given(fc.constantFrom('anthropic', 'openai-chat')),
      model: given(fc.constant('m')),
      config: given(message),
      context_window: given(fc.integer({ min: 1 })),
    },
    { requiredKeys: ['format', 'model'] },
  ),
  'recall.get': fc.record(
    { handle: given(text), range: given(fc.tuple(fc.nat(), number)) },
    { requiredKeys: ['handle'] },
  ),
  'durable.set_todos': fc.record({ session, items: given(fc.array(value, { maxLength: 3 })) }, optional),
  'llm.error': fc.record({ session, error: value }, optional),
  'session.flies': fc.record({ session }),
};
const frame = fc.constantFrom(...Object.keys(PARAMS)).chain((method) =>
  fc.record(
    {
      jsonrpc: fc.constant('2.0'),
      id: given(fc.constantFrom(1, 'an id', -5)),
      method: fc.constant(method),
      params: given(PARAMS[method]!),
    },
    { requiredKeys: ['jsonrpc', 'method', 'params'] },
  ),
);
const chooser = fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 40 }).map((picks): Choose => {
  let i = 0;
  return (forms) => picks[i++ % picks.length]! % forms;
});

/** What a call is to whoever carries it out: verbatim values by their canonical text, all else as it is. */
function told(incoming: Incoming): unknown {
  if (incoming.kind === 'invalid') {
    const { kind, path, message } = incoming.error;
    return { ...incoming, error: { kind, path, message } };
  }
  return plain(incoming);
}

function plain(v: unknown): unknown {
  if (v instanceof Native) return { verbatim: canonicalize(v.text) };
  if (Array.isArray(v)) return v.map(plain);
  if (typeof v !== 'object' || v === null) return v;
  return Object.entries(v as object).map(([k, item]) => [k, plain(item)]);
}

test('PROTOCOL 1 F24 F26 a call is the same on both subprotocols, or the same error at the same place', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(frame, chooser, (value, choose) => {
      const one = json.decode(textOf(value));
      const other = msgpack.decode(packWide(value, choose));
      assert.deepEqual(told(other), told(one));
      seen.add(one.kind === 'invalid' ? one.error.kind : one.kind);
    }),
    { numRuns: 3_000 },
  );
  for (const kind of ['request', 'notification', 'BAD_TYPE', 'UNKNOWN_FIELD', 'METHOD_NOT_FOUND'])
    assert.ok(seen.has(kind), `no ${kind} among ${[...seen].join(', ')}`);
});

test('PROTOCOL 1 a 64-bit integer in a report or an error of the provider is taken on both subprotocols', () => {
  const long = new Long(2n ** 60n);
  for (const [method, params] of [
    ['turn.end', { session: 's', usage: { input_tokens: 5, request: long } }],
    ['llm.error', { session: 's', error: { message: 'no', at: long } }],
  ] as const) {
    const value = call(method, params);
    for (const incoming of [json.decode(textOf(value)), msgpack.decode(packWide(value, () => 0))])
      assert.equal(incoming.kind, 'request', method);
  }
});

/** A frame whose message makes it `depth` levels deep. */
function deep(depth: number): unknown {
  let content: unknown = 'x';
  // The frame, its params, the list and the message are four.
  for (let i = 4; i < depth; i += 1) content = [content];
  return call('session.append', { session: 's', messages: [{ role: 'user', content }] });
}

test('F22 nesting is bounded by the same number on both subprotocols, counted from the frame', () => {
  for (const [codec, encode] of [
    [json, textOf],
    [msgpack, (v: unknown) => packWide(v, () => 0)],
  ] as const) {
    assert.equal(codec.decode(encode(deep(MAX_FRAME_DEPTH))).kind, 'request');
    assert.equal(kindOf(codec, encode(deep(MAX_FRAME_DEPTH + 1))), 'BAD_FRAME');
    assert.equal(refused(codec, encode(deep(MAX_FRAME_DEPTH + 1))).id, 1);
  }
});

test('F22 PROTOCOL 4 the deepest message that is taken can be read in an answer', () => {
  const incoming = json.decode(textOf(deep(MAX_FRAME_DEPTH)));
  assert.ok(incoming.kind === 'request' && incoming.method === 'session.append');
  const [message] = incoming.params.messages;
  for (const subprotocol of ['curated.v1.json', 'curated.v1.msgpack'] as const) {
    const daemon = codecFor(subprotocol);
    const agent = codecFor(subprotocol, { maxDepth: MAX_ANSWER_DEPTH });
    const patch = { ops: [{ op: 'add', path: '/messages/-', value: message }] };
    const envelope = agent.open(daemon.encode({ id: 1, result: { patch } }));
    assert.ok(envelope.kind === 'response' && 'result' in envelope);
    assert.ok(envelope.result.native('').text.includes(message!.text));
  }
});

test('PROTOCOL 4 an answer holds the same values on both subprotocols: -0, what is no number, what is not there', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const results: [unknown, string][] = [
    [{ request: new RawJson('{"n":-0,"list":[-0.0,0]}') }, '{"request":{"n":-0,"list":[-0,0]}}'],
    // The hash is over null, too.
    [{ request: new RawJson('[1e400,-1e400]') }, '{"request":[null,null]}'],
    [
      { n: Number.NaN, list: [Number.POSITIVE_INFINITY, undefined, () => 1], f: () => 1 },
      '{"n":null,"list":[null,null,null]}',
    ],
    [
      { at: new Date(0), bytes: Buffer.from('a') },
      '{"at":"1970-01-01T00:00:00.000Z","bytes":{"type":"Buffer","data":[97]}}',
    ],
    [undefined, 'null'],
  ];
  for (const [result, expected] of results) {
    for (const codec of [json, msgpack]) {
      const envelope = codec.open(codec.encode({ id: 1, result }));
      assert.ok(envelope.kind === 'response' && 'result' in envelope);
      const { text } = envelope.result.native('');
      // Number spelling is kept on json.
      if (codec === msgpack || !text.includes('e400')) assert.equal(text.replaceAll('-0.0', '-0'), expected);
    }
  }
  for (const codec of [json, msgpack]) {
    assert.throws(() => codec.encode({ id: 1, result: cyclic }), { kind: 'LIMIT' });
    const bare = codec.decode(codec.encode({ id: 1, method: 'session.list', params: undefined }));
    assert.equal(bare.kind, 'request', codec.subprotocol);
  }
});

test('F21 F25 F26 F27 on msgpack a fault anywhere in a frame is told by its kind, under the id of its call', () => {
  const good = pack(
    call('session.append', { session: 's', messages: [{ role: 'user', content: 'MARK' }] }, 7),
  );
  const at = good.indexOf('MARK') - 1;
  const instead = (...bytes: number[]): Buffer =>
    Buffer.concat([good.subarray(0, at), Buffer.from(bytes), good.subarray(at + 5)]);
  const cases: [string, Buffer][] = [
    ['BAD_TYPE', instead(0xd6, 0xff, 1, 2, 3, 4)], // timestamps
    ['BAD_TYPE', instead(0xd7, 0xff, 1, 2, 3, 4, 5, 6, 7, 8)],
    ['BAD_TYPE', instead(0xc7, 0, 5)], // an empty extension
    ['BAD_TYPE', instead(0xca, 0x7f, 0x80, 0, 0)], // infinity, single precision
    ['BAD_TYPE', instead(0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0)],
    ['BAD_TYPE', instead(0x81, 0x01, 0x02)], // keys that are no text
    ['BAD_TYPE', instead(0x81, 0xc0, 0x02)],
    ['BAD_TYPE', instead(0x81, 0xc4, 1, 0x61, 0x02)],
    ['BAD_TYPE', instead(0x81, 0x80, 0x02)],
    ['BAD_FRAME', instead(0x82, 0xa1, 0x61, 1, 0xd9, 1, 0x61, 2)], // one key in two forms
    ['BAD_UTF8', instead(0xa3, 0xed, 0xa0, 0x80)], // half a surrogate pair
    ['BAD_UTF8', instead(0xc4, 1, 0xff)],
    ['BAD_FRAME', instead(0xdb, 0xff, 0xff, 0xff, 0xff)],
    ['BAD_FRAME', instead(0xc1)],
    ['BAD_FRAME', Buffer.concat([good, good])],
  ];
  for (const [kind, bytes] of cases) {
    const r = refused(msgpack, bytes);
    assert.equal(r.error.kind, kind, bytes.toString('hex'));
    assert.equal(r.id, 7, bytes.toString('hex'));
  }
});
