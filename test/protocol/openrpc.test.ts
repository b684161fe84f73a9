// The document that rpc.discover serves says what the schemas check.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isExemptTask,
  isKnownTask,
  METHODS,
  openRpcDocument,
  SERVER_REQUESTS,
} from '../../src/protocol/index.js';
import { EXEMPT_TASKS } from '../../src/protocol/vocabulary.js';
import { json } from './support.js';

interface Doc {
  openrpc: string;
  methods: {
    name: string;
    params: { name: string; required: boolean; schema: { type?: unknown } }[];
    result: {
      schema: { properties?: Record<string, unknown>; additionalProperties?: boolean; type?: string };
    };
  }[];
  'x-server-requests': { name: string }[];
  'x-notifications': { name: string; schema: { properties: Record<string, unknown> } }[];
}
const doc = openRpcDocument('9.9.9') as unknown as Doc;

test('the OpenRPC document lists every method with every field', () => {
  assert.equal(doc.openrpc, '1.3.2');
  assert.deepEqual(
    doc.methods.map((m) => m.name),
    Object.keys(METHODS),
  );
  assert.deepEqual(
    doc['x-server-requests'].map((m) => m.name),
    Object.keys(SERVER_REQUESTS),
  );
  const prepare = doc.methods.find((m) => m.name === 'llm.prepare')!;
  assert.deepEqual(prepare.params.map((p) => p.name).sort(), [
    'append',
    'base',
    'hints',
    'key',
    'max_tokens',
    'messages',
    'pending',
    'return',
    'session',
    'system',
    'task_kind',
    'tool_choice',
    'tools',
  ]);
  assert.deepEqual(
    prepare.params.filter((p) => p.required).map((p) => p.name),
    ['session'],
  );
  assert.equal(prepare.result.schema.additionalProperties, false);
  for (const field of [
    'turn',
    'seq',
    'request',
    'patch',
    'hash',
    'tokens',
    'cache',
    'curated',
    'pending',
    'violations',
    'fits',
  ])
    assert.ok(prepare.result.schema.properties![field] !== undefined, field);
});

test('the document is plain JSON, holds no mark of ours, and is the same at each call', () => {
  const text = JSON.stringify(doc);
  assert.deepEqual(JSON.parse(text), doc);
  assert.ok(!text.includes('"wire"'));
  assert.equal(JSON.stringify(openRpcDocument('9.9.9')), text);
});

test('what the document calls required is what the codec misses', () => {
  for (const m of doc.methods) {
    const incoming = json.decode(JSON.stringify({ jsonrpc: '2.0', id: 1, method: m.name, params: {} }));
    const needs = m.params.filter((p) => p.required).map((p) => p.name);
    if (needs.length === 0) assert.equal(incoming.kind, 'request', m.name);
    else {
      assert.ok(incoming.kind === 'invalid', m.name);
      assert.ok(
        needs.some((name) => incoming.error.path === `/${name}`),
        `${m.name}: ${incoming.error.path}`,
      );
    }
  }
});

test('P-11 the curation events of the document carry _schema_version', () => {
  for (const e of doc['x-notifications'].filter((n) => n.name.startsWith('memory.')))
    assert.deepEqual(e.schema.properties['_schema_version'], { type: 'number', const: 1 });
});

test('P-6 the set of task kinds is closed', () => {
  for (const kind of EXEMPT_TASKS) assert.equal(isExemptTask(kind), true);
  for (const kind of [undefined, 'main', 'gate_retry', 'Summarise', 'toString', ''])
    assert.equal(isExemptTask(kind), false);
  assert.ok(isKnownTask('gate_retry') && isKnownTask('compaction') && !isKnownTask('summary'));
});
