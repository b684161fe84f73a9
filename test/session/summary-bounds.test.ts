// What a session's own settings say of summaries: how long all of their text may be, and where they may begin.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRequest } from '../conformance/rules/check.js';
import { chatProfile } from '../conformance/rules/profile.js';
import { assistant, BenchDaemon, type Json, roughTokens, user } from './bench-daemon.js';
import { COMPACTION, compact, FakeSummariser, good, journal, open, prepare, S } from './condensing.js';

const LONG = 'word '.repeat(900);
const HEADING = '## Prior Context (Compacted)';

function summaryIn(request: Json): string {
  const texts = request.messages.flatMap((m: Json) =>
    typeof m.content === 'string' ? [m.content] : m.content.map((b: Json) => b.text ?? ''),
  );
  return texts.find((t: string) => t.includes(HEADING)) ?? '';
}

for (const max of [150, 400])
  test(`L4-20 summary.max_tokens ${max}: all summary text keeps to it, headings and the user's words included, cycle by cycle`, async () => {
    const facts = Array.from({ length: 300 }, (_, i) => `Fact ${i} was decided.`).join('\n');
    const d = new BenchDaemon({ summariser: new FakeSummariser(() => good(facts)) });
    const blocks = { [COMPACTION]: { protect_recent: 1 } };
    await open(d, [COMPACTION], { blocks, curated: { summary: { max_tokens: max } } });
    await prepare(d, [user('The task.'), assistant(LONG.repeat(3)), user('first')]);
    for (let cycle = 1; cycle <= 4; cycle += 1) {
      await compact(d);
      const { request } = await prepare(d, [assistant(LONG.repeat(3)), user(`and ${cycle}`)]);
      const text = summaryIn(request);
      assert.ok(text.includes('The task.') && text.includes('was decided'), text);
      assert.ok(roughTokens(text) <= max, `${roughTokens(text)} tokens`);
      await d.call('turn.end', { session: S });
    }
    assert.equal((await journal(d, 'memory.compacted')).length, 4);
    assert.equal((await d.call('journal.replay', { session: S })).identical, true);
  });

test('L4-20 summary.max_tokens holds also where what blocks keep in any case is all that they hold: then the words give way', async () => {
  const facts = ['echo one', 'echo two', 'echo three', 'echo four', 'echo five'];
  let made = 0;
  const d = new BenchDaemon({ summariser: new FakeSummariser(() => good(facts[made++ % 5]!)) });
  const blocks = { [COMPACTION]: { protect_recent: 1 } };
  await open(d, [COMPACTION], { blocks, curated: { summary: { max_tokens: 190 } } });
  await prepare(d, [user(`The task: ${'7,'.repeat(900)}`), assistant(LONG), user('first')]);
  for (let cycle = 1; cycle <= 4; cycle += 1) {
    await compact(d);
    const { request } = await prepare(d, [assistant(LONG), user(`${cycle}: ${'8;'.repeat(200)}`)]);
    const text = summaryIn(request);
    assert.ok(text.includes('The task') && text.includes('echo'), text);
    assert.ok(roughTokens(text) <= 190, `${roughTokens(text)} tokens`);
    await d.call('turn.end', { session: S });
  }
});

test('L4-13 NS-17 where the user said nearly all that goes, fewer of their words stand in the summary, and it is smaller', async () => {
  const said = 'words of the user '.repeat(60);
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [COMPACTION], { blocks: { [COMPACTION]: { protect_recent: 1 } } });
  for (let n = 0; n < 60; n += 1) {
    await prepare(d, [user(`${n}: ${said}`), assistant('done')]);
    await d.call('turn.end', { session: S });
  }
  const before = await prepare(d, [user('and now?')]);
  await compact(d);
  const { request, tokens } = await prepare(d, [assistant('so'), user('next')]);
  const [done] = await journal(d, 'memory.compacted');
  assert.ok(done.tokens_after < 0.7 * done.tokens_before, `${done.tokens_before} -> ${done.tokens_after}`);
  assert.ok(tokens.curated < before.tokens.curated);
  const text = summaryIn(request);
  assert.ok(
    text.includes(`0: ${said.slice(0, 8)}`) && text.includes('59: '),
    'the first and the newest stand',
  );
  const left = /\((\d+) more user messages: handle (\w+) has them\)/.exec(text)!;
  assert.ok(Number(left[1]) > 0);
  const back = JSON.stringify(await d.call('recall.get', { handle: left[2] }));
  for (let n = 0; n < 60; n += 1) assert.ok(back.includes(`${n}: ${said}`), `message ${n}`);
  assert.ok((await d.call('journal.replay', { session: S })).identical);
});

for (const alternation of ['none', 'strict', 'template'])
  for (const first of [1, 2, 3, 4])
    test(`NS-9 K19 keep.first_messages ${first}: a summary begins behind them, roles ${alternation}`, async () => {
      const d = new BenchDaemon({ summariser: new FakeSummariser() });
      const said = (content: string): Json => ({ role: 'assistant', content });
      const asked = (content: string): Json => ({ role: 'user', content });
      await open(d, [COMPACTION], {
        format: 'openai-chat',
        model: 'gpt-4o',
        blocks: { [COMPACTION]: { protect_recent: 1 } },
        curated: { alternation, keep: { first_messages: first } },
      });
      const head = [
        { role: 'system', content: 'S' },
        asked('one'),
        said('two'),
        asked('three'),
        said('four'),
      ];
      await prepare(d, [...head, asked('five'), said(LONG), asked('now')]);
      await compact(d);
      const { request } = await prepare(d);
      assert.deepEqual(checkRequest(request, chatProfile({ alternation: alternation as 'none' })), []);
      // With strict roles a summary cannot stand behind a message of the user's: the head ends before it.
      const kept = 1 + (alternation === 'none' || first % 2 === 0 ? first : first - 1);
      assert.deepEqual(request.messages.slice(0, kept), head.slice(0, kept));
      assert.ok(summaryIn(request) !== '');
      assert.ok(!JSON.stringify(request).includes(LONG));
      assert.equal((await d.call('journal.replay', { session: S })).identical, true);
    });
