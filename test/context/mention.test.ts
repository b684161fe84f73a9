// L2 on mention: a text names a topic, and what is known of it comes, within 500 tokens.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { EntryStore } from '../../src/context/entry-store.js';
import { mentioned } from '../../src/context/mention.js';
import { onDemand } from '../../src/context/on-demand.js';
import { Pantry } from '../../src/context/pantry.js';
import { RecallIndex } from '../../src/context/recall/index-file.js';
import { Health } from '../../src/observe/health.js';
import { RecallFeed } from '../../src/service/recall-feed.js';
import { assistant, BenchDaemon, user } from '../session/bench-daemon.js';
import { folder, project } from './project.js';
import { realCount } from './real-count.js';

const topic = (label: string, doc_count = 5) => ({ collection: 'code', label, doc_count });

test('M-9 a topic is mentioned by its label, or by two of its words; one word of several is no mention', () => {
  const topics = [topic('socket frames upgrade'), topic('Billing'), topic('invoice ledger refund', 9)];
  const labels = (text: string) => mentioned(text, topics).map((t) => t.label);
  assert.deepEqual(labels('Why does the billing fail?'), ['Billing']);
  assert.deepEqual(labels('frames on the socket'), ['socket frames upgrade']);
  assert.deepEqual(labels('a socket, an invoice'), []);
  assert.deepEqual(labels('invoices in the ledger, sockets and frames'), [
    'invoice ledger refund',
    'socket frames upgrade',
  ]);
});

test('M-9 M-12 the L2 text stays within 500 real tokens, whatever is known', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          room: fc.string({ maxLength: 20 }),
          text: fc.string({ unit: 'grapheme', maxLength: 600 }),
        }),
      ),
      (known) => {
        const { text, tokens, entries } = onDemand(known, realCount);
        assert.ok(tokens <= 500 && tokens === (text === '' ? 0 : realCount(text)));
        if (text !== '') assert.ok(text.startsWith(`## L2 — ON-DEMAND (${entries} entries)\n  [`));
      },
    ),
    { numRuns: 40 },
  );
  const long = Array.from({ length: 30 }, (_, i) => ({
    room: 'r',
    text: `note ${i} ${'wait here '.repeat(40)}`,
  }));
  assert.ok(onDemand(long, realCount).tokens >= 200);
});

async function world(t: TestContext) {
  const bench = new BenchDaemon();
  const health = new Health(bench.clock, 'test');
  const pantry = new Pantry({
    data: folder(t),
    clock: bench.clock,
    count: realCount,
    entries: new EntryStore(':memory:'),
    health,
  });
  bench.rooms.pantry = pantry;
  const recall = new RecallFeed({ store: bench.store, index: new RecallIndex(':memory:'), pantry, health });
  bench.rooms.recall = recall;
  t.after(async () => {
    await recall.close();
    await pantry.close();
  });
  const root = project(t);
  await bench.call('context.refresh', { project: root });
  await bench.call('context.ingest', {
    project: root,
    entries: [{ id: '1', text: 'The ledger keeps a refund as a second payment.', room: 'decisions' }],
  });
  return { bench, root };
}

test('M-7 M-9 context.mention gives documents, notes and what was said of a topic that is named, and nothing else', async (t) => {
  const { bench, root } = await world(t);
  await bench.call('session.open', { session: 'old', format: 'anthropic', model: 'claude-x', project: root });
  await bench.call('session.append', {
    session: 'old',
    messages: [user('Round the invoice payment in the ledger to cents.'), assistant('Done.')],
  });
  const told = await bench.call('context.mention', { project: root, text: 'Is the invoice ledger right?' });
  assert.equal(told.topics.length, 1);
  assert.match(told.text, /^## L2 — ON-DEMAND \(\d entries\)\n {2}\[documents\] .*src\//);
  assert.match(told.text, /\[decisions\] The ledger keeps a refund/);
  assert.match(told.text, /\[said\] Round the invoice payment/);
  assert.ok(told.tokens <= 500);
  const none = { topics: [], text: '', tokens: 0, entries: 0 };
  assert.deepEqual(await bench.call('context.mention', { project: root, text: 'hello' }), none);
  const elsewhere = join(root, '..', 'nowhere');
  assert.deepEqual(await bench.call('context.mention', { project: elsewhere, text: 'invoice ledger' }), none);
});

test('M-9 M-12 with context.on_mention a prepare tells what is known of the topic its input names, outside the request', async (t) => {
  const { bench, root } = await world(t);
  const open = (session: string, on: boolean) =>
    bench.call('session.open', {
      ...{ session, format: 'anthropic', model: 'claude-x', project: root },
      config: { curated: { context: { on_mention: on } } },
    });
  await open('a', true);
  await open('b', false);
  const ask = (session: string, text: string) =>
    bench.call('llm.prepare', { session, append: [user(text), assistant('ok')].slice(0, 1) });
  const told = await ask('a', 'Why is the invoice in the ledger twice?');
  assert.match(told.on_demand.text, /second payment/);
  assert.deepEqual(told.request.messages.length, 1);
  assert.doesNotMatch(JSON.stringify(told.request), /second payment/);
  assert.equal((await ask('b', 'Why is the invoice in the ledger twice?')).on_demand, undefined);
  await bench.call('session.append', { session: 'a', messages: [assistant('Twice?')] });
  assert.equal((await ask('a', 'thanks')).on_demand, undefined);
});
