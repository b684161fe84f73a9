// `curated mcp` as an MCP client meets it: the SDK's own client, over stdio, with a real daemon behind.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { connect } from '../../src/client/index.js';
import { curated, homeFor, MAIN } from '../cli/command.js';

interface Answer {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
}

async function mcp(t: TestContext, home: string, args: string[] = []) {
  const client = new McpClient({ name: 'test', version: '1' });
  const env = { ...process.env, CURATED_HOME: home } as Record<string, string>;
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'mcp', ...args],
      env,
      stderr: 'ignore',
    }),
  );
  t.after(() => client.close());
  // The SDK's client checks what comes back against the tool's output schema once it has listed the tools.
  const { tools } = await client.listTools();
  const call = async (name: string, input: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: input })) as Answer;
  return { client, tools, call };
}

test('M-7: recall, durable state and the packet are tools of an MCP server, beside the agent that holds the session', async (t) => {
  const home = homeFor(t);
  const project = mkdtempSync(join(tmpdir(), 'curated-mcp-'));
  t.after(() => rmSync(project, { recursive: true, force: true }));
  mkdirSync(join(project, '.git'));
  writeFileSync(join(project, 'CLAUDE.md'), 'A service that brews tea.');
  assert.equal((await curated(['start', '--detach', '--port', '0'], home)).code, 0);
  const agent = await connect({ client: { name: 'agent', version: '1' }, home });
  t.after(() => agent.close());
  const session = await agent.session({ session: 's1', format: 'anthropic', model: 'claude-sonnet-4-5' });
  await session.append([{ role: 'user', content: 'The kettle of room 12 is broken.' }]);

  const { tools, call } = await mcp(t, home, ['--session', 's1', '--project', project]);
  const plan = tools.find((tool) => tool.name === 'durable_set_plan')!;
  assert.deepEqual(plan.inputSchema.required, ['title', 'text']);
  assert.equal((plan.inputSchema.properties!['session'] as { default: string }).default, 's1');
  assert.equal(plan.inputSchema['additionalProperties'], false);

  // The project filter of the command line is left out: this session was opened without one.
  const found = await call('recall_search', { query: 'kettle', session: 's1', project });
  assert.deepEqual(found.structuredContent, { hits: [] });
  assert.equal(found.content[0]!.text, 'Nothing found.');

  const decided = await call('durable_add_decision', { text: 'Buy a kettle of steel.' });
  assert.equal(decided.isError, undefined, decided.content[0]!.text);
  assert.match(decided.content[0]!.text, /Buy a kettle of steel/);
  await call('durable_set_plan', { title: 'Tea', text: '1. buy' });
  const state = await call('durable_get');
  assert.deepEqual(state.structuredContent!['decisions'], ['Buy a kettle of steel.']);
  // The agent still holds its session, and its next request carries what came from beside.
  const { request } = await session.prepare({});
  assert.match(JSON.stringify(request), /Buy a kettle of steel/);
  await session.append([{ role: 'assistant', content: 'Noted.' }]);

  const packet = await call('context_packet');
  assert.match(packet.content[0]!.text, /brews tea/);
  const { client: _, call: bare } = await mcp(t, home);
  const all = await bare('recall_search', { query: 'kettle' });
  const [hit] = all.structuredContent!['hits'] as { handle: string }[];
  assert.match(all.content[0]!.text, /^\[1\] .*room 12/);
  const original = await bare('recall_get', { handle: hit!.handle });
  assert.equal(original.content[0]!.text, 'The kettle of room 12 is broken.');
  assert.equal(original.structuredContent!['total_bytes'], 32);
});

test('M-7: faults of an MCP call name their kind; an unknown tool is a protocol error; no daemon is started unasked', async (t) => {
  const home = homeFor(t);
  const { client, call } = await mcp(t, home);
  const none = await call('durable_get', { session: 's1' });
  assert.equal(none.isError, true);
  assert.match(none.content[0]!.text, /^NOT_RUNNING: no daemon runs/);
  assert.equal((await curated(['status'], home)).code, 1);
  await assert.rejects(client.callTool({ name: 'nonsense', arguments: {} }), { code: -32602 });

  // One that starts later is found by the next call.
  assert.equal((await curated(['start', '--detach', '--port', '0'], home)).code, 0);
  const unknown = await call('durable_get', { session: 's1' });
  assert.deepEqual(unknown._meta, { 'curated/error': { kind: 'UNKNOWN_SESSION', retryable: false } });
  const wrong = await call('recall_search', { query: 7 });
  assert.deepEqual(wrong._meta, { 'curated/error': { kind: 'BAD_TYPE', retryable: false, path: '/query' } });
  const extra = await call('recall_search', { query: 'x', colour: 'red' });
  assert.match(extra.content[0]!.text, /^UNKNOWN_FIELD: \/colour: no such field/);
});

test('M-7: --autostart starts the daemon that an MCP server needs', async (t) => {
  const home = homeFor(t);
  const { call } = await mcp(t, home, ['--autostart']);
  const found = await call('recall_search', { query: 'tea' });
  assert.deepEqual(found.structuredContent, { hits: [] });
  assert.equal((await curated(['status'], home)).code, 0);
});
