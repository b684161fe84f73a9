// Time travel: the state at any seq, a request before and after curation, and the decision that took a text out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assistant, BenchDaemon, clearing, type Json, toolRound, user } from './bench-daemon.js';

const BODY = 'a line of a file that was read\n'.repeat(60);
const MARK = 'line 7 says "walrus"\\end';

async function talk(turns: number, o: { mark?: number; config?: Json } = {}) {
  const daemon = new BenchDaemon();
  const call = (method: string, params: Json = {}): Promise<Json> =>
    daemon.call(method as never, { session: 's', ...params });
  const config = o.config ?? clearing({ age_turns: 2, size_bytes_threshold: 200 });
  await call('session.open', { format: 'anthropic', model: 'claude-haiku-4-5', system: 'Be brief.', config });
  const requests: { seq: number; turn: number; messages: Json[] }[] = [];
  const prepare = async (append?: Json[]) => {
    const p = await call('llm.prepare', append === undefined ? {} : { append });
    requests.push({ seq: p.seq, turn: p.turn, messages: p.request.messages });
  };
  for (let n = 0; n < turns; n++) {
    const body = n === (o.mark ?? 1) ? `${BODY}${MARK}\n${BODY}` : BODY;
    await call('session.append', { messages: [user(`go ${n}`), ...toolRound(`t${n}`, 'Read', { n }, body)] });
    await prepare();
    await call('session.append', { messages: [assistant(`done ${n}`)] });
    await call('turn.end', {
      usage: { input_tokens: 900, cache_creation_input_tokens: 100, output_tokens: 5 },
    });
  }
  return { daemon, call, requests, prepare };
}

test('J-11 the state and the request at any seq are those that the client saw there', async () => {
  const t = await talk(5);
  for (const { seq, turn, messages } of t.requests) {
    const then = await t.call('session.messages', { view: 'curated', at_seq: seq });
    assert.deepEqual(
      then.messages.map((m: Json) => m.message),
      messages,
    );
    const state = await t.call('session.state', { at_seq: seq });
    assert.deepEqual([state.seq, state.turn], [seq, turn]);
  }
  assert.equal((await t.call('session.state')).turn, 5, 'the session itself has not moved');
  await assert.rejects(t.call('session.state', { at_seq: 9999 }), { kind: 'SEQ_GAP' });
});

test('J-10 bisect names the decision that took a text out, its layer, reason and price', async () => {
  const t = await talk(5);
  const { events } = await t.call('journal.read');
  const cleared = events.find(
    (e: Json) => e.type === 'memory.tool_result_cleared' && e.tool_call_id === 't1',
  );
  const found = await t.call('journal.bisect', { text: MARK });
  assert.equal(found.found, 'removed');
  assert.equal(found.came.message, cleared.message);
  const { seq, type, layer, reason, handle, envelope } = found.removed;
  assert.deepEqual([seq, type, layer, reason], [cleared.seq, cleared.type, 'tool_result_clear', 'age']);
  assert.equal(handle, cleared.handle);
  const told = events.find((e: Json) => e.seq === envelope.seq);
  assert.deepEqual(
    [told.type, told.recache_tokens, told.saves_per_request, told.break_even_requests],
    ['memory.curated', envelope.recache_tokens, envelope.saves_per_request, envelope.break_even_requests],
  );
  assert.ok(found.last_request < seq && found.first_without > seq);
  assert.ok(
    found.looked <= 2 + Math.ceil(Math.log2(events.length)) + 1,
    `${found.looked} of ${events.length}`,
  );
});

test('bisect tells a text that is there, one that never was, and one that the host itself took out', async () => {
  const t = await talk(3);
  assert.equal((await t.call('journal.bisect', { text: 'go 2' })).found, 'present');
  assert.equal((await t.call('journal.bisect', { text: 'Be brief' })).found, 'present');
  assert.deepEqual((await t.call('journal.bisect', { text: 'no such words' })).found, 'never');
  const stored = (await t.call('session.messages')).messages.map((m: Json) => m.message);
  await t.call('llm.prepare', { messages: [...stored.slice(0, 8), user('another way')] });
  const gone = await t.call('journal.bisect', { text: 'go 2' });
  assert.deepEqual([gone.found, gone.removed.type], ['removed', 'session.diverged']);
});

test('bisect after an undo finds the text present, and after a fork in the fork too', async () => {
  const t = await talk(4);
  const { removed } = await t.call('journal.bisect', { text: MARK });
  await t.call('session.fork', { as: 'f' });
  await t.call('session.undo', { seq: removed.seq });
  await t.prepare([user('x')]);
  await t.call('session.append', { messages: [assistant('y')] });
  await t.call('turn.end');
  assert.equal((await t.call('journal.bisect', { text: MARK })).found, 'present');
  const fork = await t.daemon.call('journal.bisect', { session: 'f', text: MARK });
  assert.equal(fork.removed.seq, removed.seq);
});

test('J-10 whatever text and whenever it went, bisect agrees with the requests as they were sent', async () => {
  const t = await talk(7);
  await fc.assert(
    fc.asyncProperty(fc.nat(6), fc.nat(4), async (n, mark) => {
      const u = mark === n ? await talk(7, { mark }) : t;
      const text = mark === n ? MARK : `go ${n}`;
      const has = (messages: Json[]) => JSON.stringify(messages).includes(JSON.stringify(text).slice(1, -1));
      const found = await u.call('journal.bisect', { text });
      const last = u.requests.filter((r) => has(r.messages)).at(-1)!;
      if (found.found === 'present') assert.equal(last, u.requests.at(-1));
      else assert.equal(found.last_request, last.seq);
    }),
    { numRuns: 12 },
  );
});

test('J-10 diff shows what was stored and what was sent, message by message, with the decision behind it', async () => {
  const t = await talk(5);
  const d = await t.call('journal.diff', { turn: 4 });
  const request = t.requests.at(-1)!;
  assert.deepEqual([d.seq, d.turn], [request.seq, 4]);
  const stored = (await t.call('session.messages', { at_seq: d.seq })).messages.map((m: Json) => m.message);
  assert.ok(d.changes.length >= 2);
  assert.equal(d.messages.unchanged + d.changes.length, stored.length);
  for (const c of d.changes) {
    assert.deepEqual(c.before, stored[c.message]);
    assert.deepEqual(c.after, request.messages[c.message]);
    assert.ok(c.tokens_after < c.tokens_before);
    assert.deepEqual([c.decisions.length, c.decisions[0].reason], [1, 'age']);
  }
  const saved = d.changes.reduce((sum: number, c: Json) => sum + c.tokens_before - c.tokens_after, 0);
  assert.equal(d.tokens.before - d.tokens.after, saved);
  assert.equal((await t.call('journal.diff', { seq: t.requests[0]!.seq })).changes.length, 0);
  await assert.rejects(t.call('journal.diff', { turn: 77 }), { kind: 'SEQ_GAP' });
});
