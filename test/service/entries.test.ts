// What a session's life tells over the wire is what the protocol's document says of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CuratedEvent } from '../../src/client/index.js';
import { ENTRIES, EVENTS, openRpcDocument } from '../../src/protocol/index.js';
import { user } from '../session/bench-daemon.js';
import { ownDaemon } from './own-daemon.js';

test('PROTOCOL 7 every event that a session tells is in the document, and as it says', async (t) => {
  const { client } = await ownDaemon(t);
  const told: CuratedEvent[] = [];
  const stream = await client.events('*');
  const reading = (async () => {
    for await (const event of stream) told.push(event);
  })();
  const config = { curated: { boundary: 'round', cost_rule: 'off', keep: { tool_uses: 1 } } };
  const read = { name: 'read', description: 'Reads.', input_schema: { type: 'object' } };
  const session = await client.session({
    format: 'anthropic',
    model: 'claude-sonnet-4-5',
    system: 'Be brief.',
    tools: [read],
    preset: 'balanced',
    config,
  });
  for (let i = 0; i < 4; i++) {
    await session.prepare({ append: i === 0 ? [user('look')] : [] });
    const call = { type: 'tool_use', id: `t${i}`, name: 'read', input: { path: `f${i}` } };
    const result = { type: 'tool_result', tool_use_id: `t${i}`, content: `line ${i} of it\n`.repeat(400) };
    await session.append([
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result] },
    ]);
    await session.endTurn({ final: false, usage: { input_tokens: 900, output_tokens: 20 } });
  }
  await session.durable.setPlan('Plan', '1. look');
  await session.prepare({ system: 'Be briefer.', tools: [read, { ...read, name: 'write' }] });
  await session.append([{ role: 'assistant', content: 'Seen.' }]);
  await session.endTurn();
  await session.prepare({ append: [user('Different question: why?')] });
  await session.error({ error: { message: 'overloaded' } }).catch(() => {});
  await session.prepare({ messages: [user('another history')] });
  await session.close();
  await stream.return();
  await reading;

  const documented = openRpcDocument('0')['x-notifications'] as { name: string }[];
  const names = new Set(documented.map((row) => row.name));
  const types = new Set(told.map((e) => e.type));
  for (const type of types) assert.ok(names.has(type), type);
  for (const type of ['session.diverged', 'durable.placed', 'memory.curated', 'llm.error'])
    assert.ok(types.has(type), `${type} did not happen`);
  const rows: Record<string, { payload: { parse(v: unknown): unknown } }> = { ...EVENTS, ...ENTRIES };
  for (const { type, ...payload } of told)
    assert.doesNotThrow(() => rows[type]!.payload.parse(payload), `${type} ${JSON.stringify(payload)}`);
});
