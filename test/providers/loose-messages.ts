// Random messages of each format, whole or not, over a few call ids: any sequence of them may come from a host.
import fc from 'fast-check';
import type { Format } from '../../src/providers/types.js';
import type { Msg } from './kit.js';

type Weighted = readonly [weight: number, arbitrary: fc.Arbitrary<unknown>];

const one = (...of: readonly Weighted[]): fc.Arbitrary<unknown> =>
  fc.oneof(...of.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const among = (...of: readonly unknown[]) => fc.constantFrom(...of);

const id = one([12, among('call_0', 'call_1', 'call_2', 'call_3')], [1, among('')]);
const text = one([8, among('look', 'fix it', '資料')], [1, among('')], [1, among('  ')]);
const image = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
};

const BLOCKS = {
  text: text.map((t) => ({ type: 'text', text: t })),
  use: fc.tuple(id, among({}, { path: 'a' }, null, 'no')).map(([i, input]) => ({
    type: 'tool_use',
    id: i,
    name: 'read',
    input,
  })),
  result: fc
    .tuple(id, one([5, text], [1, among([image], [], undefined)]))
    .map(([i, content]) => ({ type: 'tool_result', tool_use_id: i, content })),
  thinking: among(
    { type: 'thinking', thinking: 'hm', signature: 's' },
    { type: 'redacted_thinking', data: 'd' },
    { type: 'thinking', thinking: 'hm', signature: '' },
  ),
  server: fc
    .tuple(among('srv_0', 'srv_1'), fc.boolean())
    .map(([i, calls]) =>
      calls
        ? { type: 'server_tool_use', id: i, name: 'web_search', input: {} }
        : { type: 'web_search_tool_result', tool_use_id: i, content: [] },
    ),
};

const blocks = (role: string, ...of: readonly Weighted[]) =>
  fc.array(one(...of), { maxLength: 4 }).map((content) => ({ role, content }));

const anthropic = one(
  [3, text.map((content) => ({ role: 'user', content }))],
  [5, blocks('user', [5, BLOCKS.result], [2, BLOCKS.text], [1, among(image)])],
  [7, blocks('assistant', [4, BLOCKS.use], [2, BLOCKS.text], [2, BLOCKS.thinking], [2, BLOCKS.server])],
  [
    2,
    among(
      { role: 'system', content: 'order' },
      { role: 'system', content: [], output_config: { effort: 'low' } },
      { role: 'system', content: [{ type: 'tool_addition', name: 'later' }] },
      { role: 'system', content: [{ type: 'tool_removal', name: 'undeclared' }] },
    ),
  ],
);

const chat = one(
  [4, text.map((content) => ({ role: 'user', content }))],
  [
    6,
    fc
      .tuple(one([2, among(null)], [2, text]), fc.array(fc.tuple(id, among('{}', 'no')), { maxLength: 4 }))
      .map(([content, calls]) => ({
        role: 'assistant',
        content,
        ...(calls.length === 0
          ? {}
          : {
              tool_calls: calls.map(([i, args]) => ({
                id: i,
                type: 'function',
                function: { name: 'read', arguments: args },
              })),
            }),
      })),
  ],
  [7, fc.tuple(id, text).map(([i, content]) => ({ role: 'tool', tool_call_id: i, content }))],
  [1, among({ role: 'system', content: 'order' }, { role: 'developer', content: 'order' })],
);

const item = (type: string, more: Msg) => id.map((call_id) => ({ type, call_id, ...more }));

const responses = one(
  [4, text.map((content) => ({ type: 'message', role: 'user', content }))],
  [2, among({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] })],
  [
    4,
    among(
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' },
      { type: 'reasoning', id: 'rs_2', summary: [] },
      { type: 'reasoning', id: 'rs_3', summary: [], encrypted_content: '' },
    ),
  ],
  [6, item('function_call', { id: 'fc_1', name: 'f', arguments: '{}' })],
  [7, fc.tuple(id, text).map(([i, output]) => ({ type: 'function_call_output', call_id: i, output }))],
  [2, item('custom_tool_call', { name: 'f', input: 'x' })],
  [2, item('custom_tool_call_output', { output: 'x' })],
  [1, item('local_shell_call', { action: {} })],
  [1, id.map((i) => ({ type: 'local_shell_call_output', id: i, output: 'x' }))],
  [1, item('shell_call', { action: {} })],
  [1, item('shell_call_output', { output: [{ stdout: 'x' }] })],
  [1, item('apply_patch_call', { operation: {} })],
  [1, item('apply_patch_call_output', { status: 'completed', output: 'x' })],
  [1, item('computer_call', { action: {} })],
  [1, among({ type: 'mcp_approval_request', id: 'm1', name: 'x', arguments: '{}' })],
  [1, among({ type: 'mcp_approval_response', approval_request_id: 'm1', approve: true })],
  [1, among({ type: 'web_search_call', id: 'ws' }, { type: 'compaction', encrypted_content: 'c' })],
);

const OF: Record<Format, fc.Arbitrary<unknown>> = {
  anthropic,
  'openai-chat': chat,
  'openai-responses': responses,
};

/** At most ten messages, every text of a user's or the model's its own. */
export function looseMessages(format: Format): fc.Arbitrary<Msg[]> {
  return fc
    .array(OF[format], { minLength: 1, maxLength: 10 })
    .map((list) => list.map((m, at) => marked(m as Msg, at)));
}

function marked(m: Msg, at: number): Msg {
  const own = (t: unknown) => (typeof t === 'string' && t.trim() !== '' ? `#${at}# ${t}` : t);
  const { content } = m;
  if (Array.isArray(content))
    return {
      ...m,
      content: (content as Msg[]).map((b) => ('text' in b ? { ...b, text: own(b['text']) } : b)),
    };
  return 'content' in m ? { ...m, content: own(content) } : m;
}
