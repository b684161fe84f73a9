// What broken and hostile frames come to (FAULTS F21 to F29b), on both subprotocols.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Packr } from 'msgpackr';
import { CallLedger, checkVersion } from '../../src/protocol/index.js';
import { call, json, kindOf, msgpack, pack, refused } from './support.js';

const good = call('session.state', { session: 's' });

test('F21 empty, truncated and trailing bytes are BAD_FRAME on the json subprotocol', () => {
  const text = JSON.stringify(good);
  for (let end = 0; end < text.length; end++)
    assert.equal(kindOf(json, text.slice(0, end)), 'BAD_FRAME', `${end}`);
  for (const tail of ['x', '{}', ',', ']', '}', '\u0000', '"'])
    assert.equal(kindOf(json, text + tail), 'BAD_FRAME');
  assert.equal(json.decode(` ${text}\n`).kind, 'request');
});

test('F21 empty, truncated and trailing bytes are BAD_FRAME on msgpack', () => {
  const bytes = pack(good);
  for (let end = 0; end < bytes.length; end++)
    assert.equal(kindOf(msgpack, bytes.subarray(0, end)), 'BAD_FRAME', `${end}`);
  assert.equal(kindOf(msgpack, Buffer.concat([bytes, Buffer.from([0xc0])])), 'BAD_FRAME');
  assert.equal(kindOf(msgpack, Buffer.from([0xc1])), 'BAD_FRAME');
  assert.equal(msgpack.decode(bytes).kind, 'request');
});

test('F21 text that is no JSON inside a value is BAD_FRAME and names the call', () => {
  for (const value of [
    '01',
    '1.',
    '.5',
    '+1',
    'nul',
    'NaN',
    '-',
    "'a'",
    '"\\x"',
    '"\n"',
    '[1,]',
    '{"a":1,}',
    '[1}',
    '{"a"]',
  ])
    for (const key of ['session', 'messages', 'append', 'system', 'nope']) {
      const r = refused(json, `{"jsonrpc":"2.0","id":9,"method":"llm.prepare","params":{"${key}":${value}}}`);
      assert.equal(r.error.kind, 'BAD_FRAME', `${key}: ${value}`);
      assert.equal(r.id, 9);
    }
});

test('F22 nesting 100,000 deep is BAD_FRAME, in params, in a message and in the envelope', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const inMessage = `{"jsonrpc":"2.0","id":1,"method":"session.append","params":{"session":"s","messages":[{"a":${deep}}]}}`;
  const inConfig = `{"jsonrpc":"2.0","id":1,"method":"session.open","params":{"config":{"a":${deep}}}}`;
  for (const text of [deep, inMessage, inConfig, '['.repeat(100_000), '{"a":'.repeat(100_000)])
    assert.equal(kindOf(json, text), 'BAD_FRAME');
  assert.equal(refused(json, inMessage).id, 1);
  const arrays = Buffer.concat([Buffer.alloc(100_000, 0x91), Buffer.from([0xc0])]);
  assert.equal(kindOf(msgpack, arrays), 'BAD_FRAME');
  const envelope = pack({ jsonrpc: '2.0', id: 1, method: 'session.append' });
  envelope[0] = 0x84;
  assert.equal(kindOf(msgpack, Buffer.concat([envelope, pack('params'), arrays])), 'BAD_FRAME');
});

test('F23 forged 4 GB lengths are BAD_FRAME and take no memory', () => {
  const before = process.memoryUsage();
  for (const mark of [0xc6, 0xdb, 0xdd, 0xdf, 0xc9])
    for (const claim of [0xffffffff, 0x7fffffff, 0x00ffffff]) {
      const bytes = Buffer.alloc(64);
      bytes[0] = mark;
      bytes.writeUInt32BE(claim, 1);
      assert.equal(kindOf(msgpack, bytes), 'BAD_FRAME');
      const nested = Buffer.concat([Buffer.from([0x91]), bytes]);
      assert.equal(kindOf(msgpack, nested), 'BAD_FRAME');
    }
  const after = process.memoryUsage();
  assert.ok(after.rss - before.rss < 64 << 20, `${after.rss - before.rss} bytes more`);
  assert.ok(after.arrayBuffers - before.arrayBuffers < 16 << 20);
});

test('F24 inherited names as keys are UNKNOWN_FIELD and leave Object.prototype as it was', () => {
  const names = Object.getOwnPropertyNames(Object.prototype).join();
  for (const key of ['__proto__', 'constructor', 'toString', 'then', 'hasOwnProperty']) {
    const texts = [
      `{"jsonrpc":"2.0","id":1,"method":"session.state","params":{"session":"s","${key}":{"x":1}}}`,
      `{"jsonrpc":"2.0","id":1,"method":"session.open","params":{"format":"anthropic","model":"m","config":{"a":{"${key}":{"x":1}}}}}`,
      `{"jsonrpc":"2.0","id":1,"method":"session.state","params":{"session":"s"},"${key}":{"x":1}}`,
    ];
    for (const text of texts) {
      const r = refused(json, text);
      assert.equal(r.error.kind, 'UNKNOWN_FIELD', text);
      assert.equal(r.id, 1);
      assert.ok(r.error.path?.endsWith(`/${key}`));
    }
    const params = new Map<string, unknown>([
      ['session', 's'],
      [key, new Map([['x', 1]])],
    ]);
    const frame = pack(new Map(Object.entries({ ...call('session.state', params) })));
    assert.equal(kindOf(msgpack, frame), 'UNKNOWN_FIELD');
  }
  assert.equal(Object.getOwnPropertyNames(Object.prototype).join(), names);
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
});

test('F24 the same names inside a message are data and survive', () => {
  const message = '{"role":"user","__proto__":{"x":1},"constructor":2,"then":3,"toString":"t"}';
  const frame = `{"jsonrpc":"2.0","id":1,"method":"session.append","params":{"session":"s","messages":[${message}]}}`;
  const incoming = json.decode(frame);
  assert.ok(incoming.kind === 'request' && incoming.method === 'session.append');
  assert.equal(incoming.params.messages[0]!.text, message);
  const packed = pack(
    call('session.append', {
      session: 's',
      messages: [new Map(Object.entries(JSON.parse('{"role":"user","then":1}') as object))],
    }),
  );
  const second = msgpack.decode(packed);
  assert.ok(second.kind === 'request' && second.method === 'session.append');
  assert.equal(second.params.messages[0]!.text, '{"role":"user","then":1}');
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
});

test('F25 MessagePack extensions, records and bigints where no verbatim value stands are BAD_TYPE', () => {
  for (const bytes of [
    new Packr({ useRecords: true }).pack(call('session.state', { session: 's' })), // records
    pack(call('session.state', { session: new Date(0) })),
    pack(call('session.state', { session: undefined })),
    pack(call('session.append', { session: 's', messages: [{ role: 'user', content: new Date(5) }] })),
    Buffer.from([0xc7, 0x01, 0x78, 0x00]),
    Buffer.from([0xd4, 0x72, 0x40]),
    Buffer.from([0xd8, 0x01, ...new Array<number>(16).fill(0)]),
  ])
    assert.equal(kindOf(msgpack, bytes), 'BAD_TYPE');
  const late = pack(call('session.state', { session: new Date(0) }, 'the id'));
  assert.equal(refused(msgpack, late).id, 'the id');
  const big = refused(msgpack, pack(call('session.messages', { session: 's', from: 2n ** 60n })));
  assert.equal(big.error.kind, 'BAD_TYPE');
  assert.equal(big.error.path, '/from');
});

test('F25 a bigint inside a message is a JSON integer', () => {
  const frame = pack(
    call('session.append', { session: 's', messages: [{ role: 'user', n: 2n ** 60n, m: -(2n ** 63n) }] }),
  );
  const incoming = msgpack.decode(frame);
  assert.ok(incoming.kind === 'request' && incoming.method === 'session.append');
  assert.equal(
    incoming.params.messages[0]!.text,
    '{"role":"user","n":1152921504606846976,"m":-9223372036854775808}',
  );
});

test('F26 what is no number where a number belongs is BAD_TYPE and names the path', () => {
  for (const spelling of [
    '-0',
    '1152921504606846976',
    '"12"',
    '1.5',
    '-1',
    'null',
    'true',
    '[1]',
    '1e999',
    '1e400',
  ]) {
    const r = refused(
      json,
      `{"jsonrpc":"2.0","id":1,"method":"session.messages","params":{"session":"s","from":${spelling}}}`,
    );
    assert.equal(r.error.kind, 'BAD_TYPE', spelling);
    assert.equal(r.error.path, '/from');
  }
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -0.0, 2 ** 60, '12', 1.5]) {
    // An encoder may write -0 as the integer 0, so the double is written by hand.
    const frame = pack(call('session.messages', { session: 's', from: 'X' }));
    const double = Buffer.alloc(9, 0xcb);
    double.writeDoubleBE(Number(value), 1);
    const at = frame.lastIndexOf(Buffer.from([0xa1, 0x58]));
    const value9 = typeof value === 'string' ? pack(value) : double;
    const r = refused(msgpack, Buffer.concat([frame.subarray(0, at), value9, frame.subarray(at + 2)]));
    assert.equal(r.error.kind, 'BAD_TYPE', String(value));
    assert.equal(r.error.path, '/from');
  }
  const nested = refused(json, JSON.stringify(call('recall.get', { handle: 'h', range: [0, '5'] })));
  assert.equal(nested.error.path, '/range/1');
});

test('F26 null for an optional field is refused in words that say what to do', () => {
  for (const [method, params, field] of [
    ['session.open', { format: 'anthropic', model: 'm', preset: null }, 'preset'],
    ['session.open', { format: 'anthropic', model: 'm', system: null }, 'system'],
    ['llm.prepare', { session: 's', max_tokens: null }, 'max_tokens'],
    ['llm.prepare', { session: 's', append: null }, 'append'],
  ] as const)
    for (const r of [
      refused(json, JSON.stringify(call(method, params))),
      refused(msgpack, pack(call(method, params))),
    ]) {
      assert.deepEqual([r.error.kind, r.error.path], ['BAD_TYPE', `/${field}`]);
      assert.match(r.error.message, /left out, not null$/);
    }
  const other = refused(json, JSON.stringify(call('llm.prepare', { session: 's', max_tokens: 'x' })));
  assert.doesNotMatch(other.error.message, /null/);
});

test('F26 a wrong type elsewhere names its path too', () => {
  const cases: [string, unknown, string][] = [
    ['session.state', { session: 5 }, '/session'],
    ['session.append', { session: 's', messages: 'x' }, '/messages'],
    ['session.append', { session: 's', messages: [{ role: 'user' }, 3] }, '/messages/1'],
    ['llm.prepare', { session: 's', tools: [1] }, '/tools'],
    ['llm.prepare', { session: 's', return: 'half' }, '/return'],
    ['session.open', { format: 'anthropic', model: 'm', config: [] }, '/config'],
    ['session.open', { format: 'gemini', model: 'm' }, '/format'],
    ['session.open', { format: 'anthropic', model: 'm', session: '*' }, '/session'],
    ['durable.set_todos', { session: 's', items: ['a', 7] }, '/items/1'],
    ['turn.end', { session: 's', final: 'yes' }, '/final'],
    ['session.state', {}, '/session'],
    ['session.state', [], '/params'],
    ['session.state', null, '/params'],
  ];
  for (const [method, params, path] of cases)
    for (const [codec, frame] of [
      [json, JSON.stringify(call(method, params))],
      [msgpack, pack(call(method, params))],
    ] as const) {
      const r = refused(codec, frame);
      assert.equal(r.error.kind, 'BAD_TYPE', method);
      assert.equal(r.error.path, path, method);
      assert.equal(r.id, 1);
    }
});

test('F42 F27 half a surrogate pair in a name is BAD_TYPE: no store and no MessagePack text could tell two of them apart', () => {
  for (const params of ['{"session":"\\ud800"}', '{"session":"a\\udc00b"}']) {
    const r = refused(json, `{"jsonrpc":"2.0","id":1,"method":"session.state","params":${params}}`);
    assert.equal(r.error.kind, 'BAD_TYPE');
    assert.equal(r.error.path, '/session');
  }
  assert.equal(json.decode(JSON.stringify(call('session.state', { session: '😀 世界/é' }))).kind, 'request');
});

test('PV-A9 ids of calls in flight may be as long as providers and proxies make them', () => {
  const id = 'call_1__thought__'.padEnd(20_000, 'x');
  for (const [codec, encode] of [
    [json, JSON.stringify],
    [msgpack, pack],
  ] as const)
    for (const method of ['llm.prepare', 'turn.end', 'memory.compact'] as const)
      assert.equal(
        (codec.decode as (f: unknown) => { kind: string })(
          encode(call(method, { session: 's', pending: [id] })),
        ).kind,
        'request',
        method,
      );
});

test('F27 invalid UTF-8 is BAD_UTF8 with the offset', () => {
  const text = Buffer.from(JSON.stringify(call('session.state', { session: 'abc' })));
  const at = text.indexOf('abc') + 1;
  for (const bad of [
    [0xff],
    [0xc0, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
    [0xe2, 0x82],
    [0x80],
    [0xf0, 0x80, 0x80, 0x80],
  ]) {
    const frame = Buffer.concat([text.subarray(0, at), Buffer.from(bad), text.subarray(at + 1)]);
    const r = refused(json, frame);
    assert.equal(r.error.kind, 'BAD_UTF8');
    assert.deepEqual(r.error.detail, { offset: at });
  }
  for (const value of ['abc', Buffer.from('abc'), `abc${'é'.repeat(300)}`]) {
    const packed = pack(call('session.state', { session: value }, 4));
    const place = packed.indexOf('abc') + 2;
    packed[place] = 0xff;
    const r = refused(msgpack, packed);
    assert.equal(r.error.kind, 'BAD_UTF8');
    assert.deepEqual(r.error.detail, { offset: place });
    assert.equal(r.id, 4);
  }
  assert.equal(kindOf(json, '{"a":"\ud800"}'), 'BAD_UTF8');
});

test('F28 an unknown method and a newer protocol are typed errors', () => {
  for (const method of ['session.fly', 'toString', '__proto__', '']) {
    const r = refused(json, JSON.stringify(call(method, {}, 3)));
    assert.equal(r.error.kind, 'METHOD_NOT_FOUND');
    assert.equal(r.error.code, -32601);
    assert.equal(r.id, 3);
  }
  const newer = json.decode(
    JSON.stringify(call('initialize', { protocol: 2, client: { name: 'c', version: '1' } })),
  );
  assert.equal(newer.kind, 'request');
  assert.throws(() => checkVersion(2, 1), { kind: 'UNSUPPORTED', path: '/protocol' });
  checkVersion(1, 1);
});

test('F29b batches, ids in flight and answers to nothing are typed errors', () => {
  const batch = refused(json, JSON.stringify([good, good]));
  assert.equal(batch.error.code, -32600);
  assert.equal(batch.id, null);
  assert.equal(kindOf(msgpack, pack([good])), 'INVALID_REQUEST');
  const ledger = new CallLedger<string>();
  ledger.begin(1);
  ledger.begin('1');
  assert.throws(() => ledger.begin(1), { kind: 'INVALID_REQUEST' });
  ledger.end(1);
  ledger.begin(1);
  assert.throws(() => ledger.settle(1), { kind: 'INVALID_REQUEST' });
  const id = ledger.ask('waiter');
  assert.equal(ledger.settle(id), 'waiter');
  assert.throws(() => ledger.settle(id), { kind: 'INVALID_REQUEST' });
});

test('F29b the envelope takes nothing but JSON-RPC', () => {
  const cases: [string, string][] = [
    ['5', 'INVALID_REQUEST'],
    ['"x"', 'INVALID_REQUEST'],
    ['null', 'INVALID_REQUEST'],
    ['{}', 'INVALID_REQUEST'],
    ['{"jsonrpc":"1.0","id":1,"method":"session.list"}', 'INVALID_REQUEST'],
    ['{"id":1,"method":"session.list"}', 'INVALID_REQUEST'],
    ['{"jsonrpc":"2.0","id":null,"method":"session.list"}', 'INVALID_REQUEST'],
    ['{"jsonrpc":"2.0","id":1.5,"method":"session.list"}', 'INVALID_REQUEST'],
    ['{"jsonrpc":"2.0","id":{},"method":"session.list"}', 'INVALID_REQUEST'],
    ['{"jsonrpc":"2.0","id":1,"method":7}', 'INVALID_REQUEST'],
    ['{"jsonrpc":"2.0","id":1,"method":"session.list","result":1}', 'INVALID_REQUEST'],
    ['{"jsonrpc":"2.0","id":1,"result":1,"error":{}}', 'INVALID_REQUEST'],
    ['{"jsonrpc":"2.0","result":1}', 'INVALID_REQUEST'],
    ['{"jsonrpc":"2.0","id":1,"id":2,"method":"session.list"}', 'BAD_FRAME'],
    ['{"jsonrpc":"2.0","id":1,"method":"session.list","params":{"a":1,"a":2}}', 'BAD_FRAME'],
    [
      '{"jsonrpc":"2.0","id":1,"method":"turn.end","params":{"session":"s","usage":{"a":1,"\\u0061":2}}}',
      'BAD_FRAME',
    ],
    ['{"jsonrpc":"2.0","id":1,"method":"session.list","extra":1}', 'UNKNOWN_FIELD'],
  ];
  for (const [text, kind] of cases) assert.equal(kindOf(json, text), kind, text);
  const twice = Buffer.concat([Buffer.from([0x82]), pack('id'), pack(1), pack('id'), pack(2)]);
  assert.equal(kindOf(msgpack, twice), 'BAD_FRAME');
});
