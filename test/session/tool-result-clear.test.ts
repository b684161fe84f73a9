// Layer 1 through the real handlers: what is cleared, when, and how it stays.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assistant, BenchDaemon, clearing, type Json, toolRound, user } from './bench-daemon.js';

const BODY = 'y'.repeat(1000);

async function opened(config: Json, open: Json = {}): Promise<BenchDaemon> {
  const d = new BenchDaemon();
  await d.call('session.open', {
    session: 's',
    format: 'anthropic',
    model: 'claude-sonnet-4-5',
    config,
    ...open,
  });
  return d;
}

/** One turn: a question, rounds of tools, an answer; returns the decisions of its end. */
async function turn(d: BenchDaemon, rounds: Json[][], question = 'go'): Promise<Json> {
  await d.call('llm.prepare', { session: 's', append: [user(question)] });
  for (const round of rounds) await d.call('llm.prepare', { session: 's', append: round });
  await d.call('session.append', { session: 's', messages: [assistant('done')] });
  return d.call('turn.end', { session: 's' });
}

async function request(d: BenchDaemon, question = 'next'): Promise<Json> {
  return (await d.call('llm.prepare', { session: 's', append: [user(question)] })).request;
}

async function journal(d: BenchDaemon, type: string): Promise<Json[]> {
  const { events } = await d.call('journal.read', { session: 's' });
  return events.filter((e: Json) => e.type === type);
}

function bodies(messages: Json[]): string[] {
  return messages
    .flatMap((m) => (Array.isArray(m.content) ? m.content : []))
    .filter((b) => b.type === 'tool_result')
    .map((b) => b.content);
}

test('L1-21 one old large result gives one cleared event, one envelope, and the marker in the next request', async () => {
  const d = await opened(clearing({ age_turns: 1, size_bytes_threshold: 50 }));
  await turn(d, [toolRound('abc', 'shell', { cmd: 'ls' }, BODY)]);
  const second = await request(d);
  const cleared = await journal(d, 'memory.tool_result_cleared');
  assert.equal(cleared.length, 1);
  assert.equal(cleared[0].tool, 'shell');
  assert.equal((await journal(d, 'memory.curated')).length, 1);
  assert.ok(bodies(second.messages)[0]!.includes('cleared="true"'));
});

test('L1-2 age and size are both inclusive', async () => {
  const d = await opened(clearing({ age_turns: 2, size_bytes_threshold: 1000 }));
  await turn(d, [toolRound('a', 'read', { p: 1 }, BODY), toolRound('b', 'read', { p: 2 }, BODY.slice(1))]);
  assert.deepEqual(bodies((await request(d)).messages), [BODY, BODY.slice(1)]);
  await d.call('session.append', { session: 's', messages: [assistant('x')] });
  await d.call('turn.end', { session: 's' });
  const [a, b] = bodies((await request(d)).messages);
  assert.match(a!, /cleared="true"/);
  assert.equal(b, BODY.slice(1));
});

test('L1-3 L1-15 of equal calls in later turns all but the latest good one go, whatever their size', async () => {
  const d = await opened(clearing({ age_turns: 99 }));
  const small = 'z'.repeat(500);
  await turn(d, [
    toolRound('a', 'read', { p: 1 }, `${small}1`),
    toolRound('b', 'read', { p: 1 }, `${small}2`),
  ]);
  // Two equal calls in one turn clear nothing.
  assert.equal((await journal(d, 'memory.tool_result_cleared')).length, 0);
  await turn(d, [toolRound('c', 'read', { p: 1 }, 'no such file', true)]);
  assert.equal((await journal(d, 'memory.tool_result_cleared')).length, 0, 'a failed repeat clears nothing');
  await turn(d, [toolRound('d', 'read', { p: 1 }, `${small}3`)]);
  const cleared = await journal(d, 'memory.tool_result_cleared');
  assert.deepEqual(
    cleared.map((e) => [e.tool_call_id, e.reason]),
    [
      ['a', 'subsequent_call'],
      ['b', 'subsequent_call'],
    ],
  );
});

test('L1-16 polling tools keep their history', async () => {
  const d = await opened(clearing({ age_turns: 99, subsequent_call_exempt: ['poll'] }));
  for (const id of ['a', 'b']) await turn(d, [toolRound(id, 'poll', {}, 'w'.repeat(600) + id)]);
  assert.equal((await journal(d, 'memory.tool_result_cleared')).length, 0);
});

test('L1-5 L1-6 errors and answers of the user are never cleared, also after 8 turns', async () => {
  const d = await opened(clearing({ age_turns: 1, size_bytes_threshold: 10 }));
  await turn(d, [toolRound('e', 'shell', { c: 1 }, BODY, true), toolRound('q', 'ask_user', { q: 1 }, BODY)]);
  for (let i = 0; i < 8; i += 1) await turn(d, []);
  assert.deepEqual(bodies((await request(d)).messages), [BODY, BODY]);
});

test('L1-7 the marker is the golden text, and no name breaks out of it', async () => {
  const d = await opened(clearing({ age_turns: 5, size_bytes_threshold: 1000 }));
  await turn(d, [
    toolRound('abc', 'web_fetch', { u: 1 }, BODY),
    toolRound('x', 'x" cleared="false', { u: 2 }, BODY),
  ]);
  for (let i = 0; i < 4; i += 1) await turn(d, []);
  const [golden, hostile] = bodies((await request(d)).messages);
  assert.equal(
    golden,
    '<tool_result id="abc" tool="web_fetch" cleared="true" original_size="1000" cleared_at="turn-5" />',
  );
  assert.ok(hostile!.includes('tool="x&quot; cleared=&quot;false"'), hostile);
});

test('L1-11 L1-12 once cleared, cleared for good, with the same bytes and without a second event', async () => {
  const d = await opened(clearing({ age_turns: 1, size_bytes_threshold: 50 }));
  await turn(d, [toolRound('a', 'shell', { c: 1 }, BODY)]);
  const first = bodies((await request(d)).messages)[0];
  for (let i = 0; i < 3; i += 1) await turn(d, []);
  assert.equal(bodies((await request(d)).messages)[0], first);
  assert.equal((await journal(d, 'memory.tool_result_cleared')).length, 1);
});

test('L1-1 PV-A8 a result that is no larger than its marker stays', async () => {
  const d = await opened(clearing({ age_turns: 1, size_bytes_threshold: 0 }));
  await turn(d, [toolRound('a', 'shell', { c: 1 }, 'ok')]);
  assert.deepEqual(bodies((await request(d)).messages), ['ok']);
});

test('L1-13 images in a cleared result go with it', async () => {
  const d = await opened(clearing({ age_turns: 1, size_bytes_threshold: 50 }));
  const content = [
    { type: 'text', text: 'page' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(400) } },
  ];
  const round: Json[] = toolRound('a', 'shot', {}, '');
  round[1].content[0].content = content;
  await turn(d, [round]);
  const body = bodies((await request(d)).messages)[0];
  assert.match(String(body), /cleared="true"/);
  const [event] = await journal(d, 'memory.tool_result_cleared');
  assert.ok(event.tokens_delta < -1000, `${event.tokens_delta}`);
  const recalled = await d.call('recall.get', { handle: event.handle });
  assert.deepEqual(recalled.parts, content);
});

test('L1-8 only the body changes: ids, order and pairing stay', async () => {
  const d = await opened(clearing({ age_turns: 1, size_bytes_threshold: 50 }));
  const calls = ['a', 'b', 'c'].map((id) => ({ type: 'tool_use', id, name: 'read', input: { id } }));
  const results = ['a', 'b', 'c'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: BODY + id }));
  await turn(d, [
    [
      { role: 'assistant', content: calls },
      { role: 'user', content: results },
    ],
  ]);
  const { messages } = await request(d);
  assert.deepEqual(messages[1].content, calls);
  assert.deepEqual(
    messages[2].content.map((b: Json) => b.tool_use_id),
    ['a', 'b', 'c'],
  );
});

test('L1-19 S-4 cleared events come in message order, then one envelope for the pass', async () => {
  const d = await opened(clearing({ age_turns: 1, size_bytes_threshold: 50 }));
  const ended = await turn(d, [
    toolRound('a', 'read', { p: 1 }, BODY),
    toolRound('b', 'read', { p: 2 }, BODY),
  ]);
  assert.deepEqual(
    ended.decisions.map((e: Json) => e.type),
    ['memory.tool_result_cleared', 'memory.tool_result_cleared', 'memory.curated'],
  );
  const envelope = ended.decisions[2];
  assert.deepEqual(
    envelope.sections_touched.map((s: Json) => [s.section_id, s.kind]),
    [
      ['nexus.memory.tool_result_clear/a', 'volatile'],
      ['nexus.memory.tool_result_clear/b', 'volatile'],
    ],
  );
  assert.equal(envelope.layer, 'tool_result_clear');
  assert.equal(envelope.at_turn, 1);
});

test('L1-20 disabled means no edit and no event', async () => {
  const d = await opened(clearing({ enabled: false, age_turns: 1, size_bytes_threshold: 1 }));
  await turn(d, [toolRound('a', 'read', { p: 1 }, BODY)]);
  assert.deepEqual(bodies((await request(d)).messages), [BODY]);
  assert.equal((await journal(d, 'memory.curated')).length, 0);
});

test('L1-9 L1-14 a result is paired by position: ids that hosts reuse do not mix calls up', async () => {
  const d = await opened(clearing({ age_turns: 99 }));
  await turn(d, [toolRound('same', 'read', { p: 1 }, `${BODY}1`)]);
  await turn(d, [toolRound('same', 'read', { p: 2 }, `${BODY}2`)]);
  await turn(d, [toolRound('same', 'read', { p: 2 }, `${BODY}3`)]);
  const cleared = await journal(d, 'memory.tool_result_cleared');
  assert.equal(cleared.length, 1);
  const { text } = await d.call('recall.get', { handle: cleared[0].handle });
  assert.equal(text, `${BODY}2`);
});

test('P-7 between boundaries nothing that was sent changes', async () => {
  const d = await opened(clearing({ age_turns: 1, size_bytes_threshold: 50 }));
  await turn(d, [toolRound('a', 'read', { p: 1 }, BODY)]);
  const before = (await request(d, 'q')).messages;
  const after = (
    await d.call('llm.prepare', { session: 's', append: toolRound('b', 'read', { p: 9 }, BODY) })
  ).request.messages;
  assert.deepEqual(after.slice(0, before.length), before);
});

test('L1-10 S-2 sizes are those of the body as it came, deltas exact with the marker, sections named by the full id', async () => {
  const d = await opened({
    plugins: { active: ['tool_result_clear'], tool_result_clear: { age_turns: 1, size_bytes_threshold: 50 } },
  });
  const body = `${'é'.repeat(500)}!`;
  await turn(d, [toolRound('a', 'shell', { c: 1 }, body)]);
  const before = (await d.call('session.state', { session: 's' })).tokens.total;
  const [event] = await journal(d, 'memory.tool_result_cleared');
  assert.equal(event.original_size, 1001, 'UTF-8 bytes');
  assert.equal(event.tokens_delta_estimate, -250);
  const [envelope] = await journal(d, 'memory.curated');
  assert.equal(envelope.sections_touched[0].section_id, 'nexus.memory.tool_result_clear/a');
  assert.equal(envelope.sections_touched[0].tokens_delta, event.tokens_delta);
  const { tokens } = await d.call('llm.prepare', { session: 's' });
  assert.equal(tokens.curated, before);
  assert.equal(tokens.raw + event.tokens_delta, tokens.curated);
});

test('L1-10 L1-8 the rough estimate is of the bytes told beside it, of a shortened input and of a dropped pair too', async () => {
  const cases: [Json, string][] = [
    [
      {
        ...clearing({}),
        curated: { clear_tool_inputs: true, max_input_chars: 50, cost_rule: 'off', keep: { tool_uses: 1 } },
      },
      'keep,input',
    ],
    [clearing({ age_turns: 1, size_bytes_threshold: 50, drop_strategy: 'full_drop' }), 'age,input'],
  ];
  for (const [config, reasons] of cases) {
    const d = await opened(config);
    await turn(d, [toolRound('a', 'write', { text: '数据 "q"\n'.repeat(100) }, '数据\n'.repeat(300))]);
    await turn(d, [toolRound('b', 'read', { p: 1 }, 'small')]);
    await request(d);
    const told = await journal(d, 'memory.tool_result_cleared');
    assert.equal(told.map((e) => e.reason).join(), reasons);
    for (const e of told) assert.equal(e.tokens_delta_estimate, -Math.trunc(e.original_size / 4), e.reason);
  }
});

test('S-1 P-11 an envelope has the fields of the contract and its schema version, and never the kind static', async () => {
  const d = await opened(clearing({ age_turns: 1, size_bytes_threshold: 50 }));
  await turn(d, [toolRound('a', 'shell', { c: 1 }, BODY)]);
  const [envelope] = await journal(d, 'memory.curated');
  for (const field of ['layer', 'sections_touched', 'cache_invalidates', 'at_turn', '_schema_version']) {
    assert.ok(field in envelope, field);
  }
  assert.equal(envelope._schema_version, 1);
  const known = [
    ...[
      'type',
      'seq',
      'turn',
      'ts',
      'layer',
      'sections_touched',
      'cache_invalidates',
      'at_turn',
      '_schema_version',
    ],
    ...[
      'first_message',
      'recache_tokens',
      'break_even_requests',
      'saves_per_request',
      'forced',
      'reason',
      'numbers',
    ],
  ];
  assert.deepEqual(
    Object.keys(envelope).filter((k) => !known.includes(k)),
    [],
  );
  assert.ok(envelope.sections_touched.every((s: Json) => s.kind === 'volatile' || s.kind === 'session'));
});

test('L1-9 F32 a result that a repair left out is not there to be cleared, and its message keeps the tokens it has', async () => {
  const d = await opened(clearing({ age_turns: 1, size_bytes_threshold: 50 }));
  const [call, result] = toolRound('a', 'read', { p: 1 }, 'short');
  const orphan = { type: 'tool_result', tool_use_id: 'nobody', content: BODY };
  await turn(d, [[call!, { ...result!, content: [...result!.content, orphan] }]]);
  await turn(d, []);
  assert.deepEqual(bodies((await request(d)).messages), ['short']);
  assert.deepEqual(await journal(d, 'memory.tool_result_cleared'), []);
  const { session } = await d.registry.known('default', 's');
  assert.ok(session.rendering.pieces.every((p) => p.tokens > 0));
});
