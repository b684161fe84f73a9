// Both subprotocols: what goes in exactly comes out exactly, and nothing makes them throw.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Unpackr } from 'msgpackr';
import { CuratedError } from '../../src/errors.js';
import { Native } from '../../src/json/native.js';
import { RawJson } from '../../src/json/raw.js';
import { type Codec, EVENTS } from '../../src/protocol/index.js';
import { call, json, msgpack, pack, refused } from './support.js';

const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: false });

/** JSON texts as careless writers make them: odd spacing, number spellings, escapes, key orders. */
const scalarText = fc.oneof(
  fc.constantFrom(
    '1.0',
    '-0',
    '1e5',
    '1E+2',
    '12345678901234567890',
    '0.10',
    'true',
    'false',
    'null',
    '1e999',
  ),
  fc.string({ unit: 'grapheme' }).map((s) => JSON.stringify(s)),
  fc.constantFrom('"\\u00e9"', '"\\/"', '"\\ud800"', '"\\\\"', '"\\\\\\""', '"{[\\"}]"'),
);
const space = fc.constantFrom('', ' ', '\n  ', '\t');
const { value: jsonText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalarText,
    fc
      .tuple(space, fc.array(tie('value'), { maxLength: 4 }))
      .map(([s, items]) => `[${s}${items.join(`${s},${s}`)}${s}]`),
    fc
      .tuple(
        space,
        fc.uniqueArray(fc.tuple(fc.string({ maxLength: 5 }), tie('value')), {
          selector: ([k]) => k,
          maxLength: 4,
        }),
      )
      .map(([s, m]) => `{${s}${m.map(([k, v]) => `${JSON.stringify(k)}${s}:${s}${v}`).join(`${s},`)}${s}}`),
  ),
}));
const messageText = fc
  .uniqueArray(fc.tuple(fc.string({ maxLength: 5 }), jsonText), { selector: ([k]) => k, maxLength: 5 })
  .map((m) => `{${m.map(([k, v]) => `${JSON.stringify(k)}:${v}`).join(', ')}}`);

/** JSON values without what the two encodings spell differently. */
const plainValue = fc
  .jsonValue({ maxDepth: 4, noUnicodeString: false })
  .map((v) => JSON.parse(JSON.stringify(v)) as unknown);

test('P-11 messages keep their exact bytes through the json subprotocol', () => {
  fc.assert(
    fc.property(fc.array(messageText, { minLength: 1, maxLength: 4 }), jsonText, (messages, extra) => {
      const frame = `{ "params":{"session":"s","messages":[ ${messages.join(' , ')}],"key":"k"},\n"id":"a","method":"session.append","jsonrpc":"2.0"}`;
      for (const f of [frame, Buffer.from(frame)]) {
        const incoming = json.decode(f);
        assert.ok(
          incoming.kind === 'request' && incoming.method === 'session.append',
          JSON.stringify(incoming),
        );
        assert.deepEqual(
          incoming.params.messages.map((m) => m.text),
          messages,
        );
        assert.deepEqual(incoming.params.messages[0]!.value, JSON.parse(messages[0]!));
      }
      const out = json.encode({
        id: 1,
        result: { request: new RawJson(extra), more: [new Native(messages[0]!)] },
      });
      assert.equal(out, `{"jsonrpc":"2.0","id":1,"result":{"request":${extra},"more":[${messages[0]}]}}`);
    }),
  );
});

test('P-11 messages keep values and key order through msgpack, texts as str or bin', () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), plainValue, { maxKeys: 5 }), { minLength: 1, maxLength: 3 }),
      (messages) => {
        const incoming = msgpack.decode(pack(call('session.append', { session: 's', messages })));
        assert.ok(
          incoming.kind === 'request' && incoming.method === 'session.append',
          JSON.stringify(incoming),
        );
        assert.deepEqual(
          incoming.params.messages.map((m) => m.text),
          messages.map((m) => JSON.stringify(m)),
        );
      },
    ),
  );
  const order = new Map<string, unknown>([
    ['z', 1],
    ['10', 2],
    ['2', Buffer.from('bin é')],
    ['a', { nested: Buffer.from('x') }],
  ]);
  const incoming = msgpack.decode(
    pack(call('session.append', { session: Buffer.from('s'), messages: [order] })),
  );
  assert.ok(incoming.kind === 'request' && incoming.method === 'session.append');
  assert.equal(incoming.params.messages[0]!.text, '{"z":1,"10":2,"2":"bin é","a":{"nested":"x"}}');
  assert.equal(incoming.params.session, 's');
});

test('P-11 results go out and come back with the same bytes on both subprotocols', () => {
  const raw = '{"z":1,"10":[true,null,"é"],"2":{"n":1152921504606846976,"f":0.5}}';
  const bytes = msgpack.encode({ id: 7, result: { request: new RawJson(raw), left_out: undefined } });
  const envelope = msgpack.open(bytes);
  assert.ok(envelope.kind === 'response' && 'result' in envelope);
  assert.equal(envelope.result.native('result').text, `{"request":${raw}}`);
  fc.assert(
    fc.property(plainValue, (value) => {
      for (const codec of [json, msgpack]) {
        const first = codec.encode({ method: 'memory.curated', params: { _schema_version: 1, value } });
        const opened = codec.open(first);
        assert.ok(opened.kind === 'call');
        const text = opened.params!.native('params').text;
        assert.equal(text, JSON.stringify({ _schema_version: 1, value }));
        const second = codec.encode({ method: 'memory.curated', params: new RawJson(text) });
        assert.equal(Buffer.from(second).toString('hex'), Buffer.from(first).toString('hex'));
      }
    }),
  );
});

test('P-11 a curation payload of another version is an error', () => {
  const payload = { _schema_version: 1, reason: 'x' };
  assert.equal(EVENTS['memory.compaction.failed'].payload.safeParse(payload).success, true);
  assert.equal(
    EVENTS['memory.compaction.failed'].payload.safeParse({ ...payload, _schema_version: 2 }).success,
    false,
  );
  assert.equal(EVENTS['memory.compaction.failed'].payload.safeParse({ reason: 'x' }).success, false);
});

test('P-9 unknown fields and block types of a message survive byte for byte', () => {
  const message =
    '{"role":"assistant","content":[{"type":"thinking","thinking":"…","signature":"Eu=="},{"type":"new_block","n":1.50}],"metadata":{"b":1,"a":2}}';
  const incoming = json.decode(
    `{"jsonrpc":"2.0","id":1,"method":"llm.prepare","params":{"session":"s","append":[${message}],"system":[ {"type":"text"} ],"tools":[{"name":"t","x":1.0}],"tool_choice":{"type":"auto"}}}`,
  );
  assert.ok(incoming.kind === 'request' && incoming.method === 'llm.prepare');
  assert.equal(incoming.params.append![0]!.text, message);
  assert.equal(incoming.params.system!.text, '[ {"type":"text"} ]');
  assert.equal(incoming.params.tools!.text, '[{"name":"t","x":1.0}]');
  assert.equal(incoming.params.tool_choice!.text, '{"type":"auto"}');
});

function neverThrows(codec: Codec, frame: Uint8Array | string): void {
  const incoming = codec.decode(frame);
  if (incoming.kind === 'invalid') {
    assert.ok(incoming.error instanceof CuratedError);
    assert.notEqual(incoming.error.kind, 'INTERNAL', incoming.error.message);
  }
}

test('F21 random bytes, random texts and damaged frames never bring anything but typed errors', () => {
  const frame = call('llm.prepare', {
    session: 's',
    append: [{ role: 'user', content: [{ type: 'text', text: 'é"\\' }] }],
    max_tokens: 5,
  });
  const text = Buffer.from(JSON.stringify(frame));
  const packed = pack(frame);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      neverThrows(json, bytes);
      neverThrows(msgpack, bytes);
    }),
    { numRuns: 2_000 },
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (s) => neverThrows(json, s)),
    { numRuns: 1_000 },
  );
  fc.assert(
    fc.property(fc.nat(), fc.nat({ max: 255 }), fc.nat(), fc.nat({ max: 255 }), (a, x, b, y) => {
      for (const [codec, source] of [
        [json, text],
        [msgpack, packed],
      ] as const) {
        const damaged = Buffer.from(source);
        damaged[a % damaged.length] = x;
        damaged[b % damaged.length] = y;
        neverThrows(codec, damaged);
      }
    }),
    { numRuns: 5_000 },
  );
});

test('responses are read on both subprotocols, whatever numbers they hold', () => {
  const ok = json.decode('{"jsonrpc":"2.0","id":3,"result":{"vectors":[[-0,1e999]]}}');
  assert.ok(ok.kind === 'response' && 'result' in ok);
  assert.deepEqual(ok.result, { vectors: [[-0, Number.POSITIVE_INFINITY]] });
  const packed = msgpack.decode(pack({ jsonrpc: '2.0', id: 3, result: { vectors: [[Number.NaN]] } }));
  assert.ok(packed.kind === 'response' && 'result' in packed);
  assert.deepEqual(packed.result, { vectors: [[Number.NaN]] });
  const error = json.decode('{"jsonrpc":"2.0","id":3,"error":{"code":5,"message":"no"}}');
  assert.ok(error.kind === 'response' && 'error' in error);
  assert.deepEqual(error.error, { code: 5, message: 'no', data: { kind: 'INTERNAL', retryable: false } });
});

test('errors keep kind, path and detail on the wire', () => {
  const error = new CuratedError('BAD_TYPE', '/a/b: no', { path: '/a/b', detail: { x: 1 } });
  const text = json.encode({ id: null, error }) as string;
  assert.deepEqual(JSON.parse(text), {
    jsonrpc: '2.0',
    id: null,
    error: {
      code: -32602,
      message: '/a/b: no',
      data: { kind: 'BAD_TYPE', retryable: false, path: '/a/b', detail: { x: 1 } },
    },
  });
  const map = unpackr.unpack(msgpack.encode({ id: null, error }) as Buffer) as Map<
    string,
    Map<string, unknown>
  >;
  assert.equal((map.get('error')!.get('data') as Map<string, unknown>).get('kind'), 'BAD_TYPE');
});

test('a message kept from a large frame does not keep the frame', () => {
  const filler = JSON.stringify({ role: 'user', content: 'x'.repeat(100_000) });
  const small = '{"role":"user","content":"é ✓ small"}';
  const incoming = json.decode(
    `{"jsonrpc":"2.0","id":1,"method":"llm.prepare","params":{"session":"s","messages":[${filler},${small}]}}`,
  );
  assert.ok(incoming.kind === 'request' && incoming.method === 'llm.prepare');
  assert.equal(incoming.params.messages![1]!.text, small);
});

test('a notification is a call without an id', () => {
  const incoming = json.decode('{"jsonrpc":"2.0","method":"session.close","params":{"session":"s"}}');
  assert.deepEqual(incoming, { kind: 'notification', method: 'session.close', params: { session: 's' } });
  assert.equal(refused(json, '{"jsonrpc":"2.0","method":"nope"}').id, null);
});
