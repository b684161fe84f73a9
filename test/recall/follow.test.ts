// A search without a session follows what has changed since the last one, not all that a tenant has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecallIndex } from '../../src/context/recall/index-file.js';
import { Health } from '../../src/observe/health.js';
import { RecallFeed } from '../../src/service/recall-feed.js';
import { BenchCaller, BenchDaemon, user } from '../session/bench-daemon.js';

test('M-7 a search over all sessions looks through them once, and then at those alone that have gone on', async (t) => {
  const bench = new BenchDaemon();
  const { store } = bench;
  const health = new Health(bench.clock, 'test');
  bench.rooms.recall = new RecallFeed({ store, index: new RecallIndex(':memory:'), health });
  t.after(() => bench.rooms.recall!.close());
  let listed = 0;
  const read: string[] = [];
  const [heads, reads] = [store.heads.bind(store), store.read.bind(store)];
  store.heads = (tenant) => {
    listed += 1;
    return heads(tenant);
  };
  store.read = (key, from, limit) => {
    read.push(key.session);
    return reads(key, from, limit);
  };
  const say = async (session: string, text: string, caller?: BenchCaller) => {
    await bench.call('session.open', { session, format: 'anthropic', model: 'claude-x' }, caller);
    await bench.call('session.append', { session, messages: [user(text)] }, caller);
  };
  const found = async (query: string, caller?: BenchCaller): Promise<string[]> => {
    const { hits } = await bench.call('recall.search', { query }, caller);
    return hits.map((h: { session: string }) => h.session).sort();
  };
  const stranger = new BenchCaller('other');
  for (const name of ['a', 'b', 'c']) await say(name, `the turbine of ${name}`);
  await say('x', 'a turbine elsewhere', stranger);
  assert.deepEqual(await found('turbine'), ['a', 'b', 'c']);
  [listed, read.length] = [0, 0];
  assert.deepEqual(await found('turbine'), ['a', 'b', 'c']);
  assert.deepEqual([listed, read], [0, []], 'nothing has changed: nothing is read');

  const { seq } = await bench.call('session.append', { session: 'b', messages: [user('a gearbox')] });
  await say('d', 'another gearbox');
  assert.deepEqual(await Promise.all([found('gearbox'), found('gearbox')]), [
    ['b', 'd'],
    ['b', 'd'],
  ]);
  assert.equal(listed, 0);
  assert.deepEqual([...new Set(read)].sort(), ['b', 'd']);
  await bench.call('session.fork', { session: 'b', as: 'e' });
  assert.deepEqual(await found('gearbox'), ['b', 'd', 'e']);
  await bench.call('session.rewind', { session: 'b', to_seq: seq - 2 });
  await bench.call('session.forget', { session: 'd' });
  assert.deepEqual(await found('gearbox'), ['e']);
  assert.deepEqual(await found('turbine', stranger), ['x']);

  // What was followed meanwhile is no longer noted: the list does not grow where nobody searches.
  await say('f', 'one more gearbox');
  await bench.rooms.recall!.follow({ tenant: new BenchCaller().tenant, session: 'f' });
  read.length = 0;
  assert.deepEqual(await found('gearbox'), ['e', 'f']);
  assert.deepEqual(read, []);
});

test('M-7 what could not be followed is followed by the next search', async (t) => {
  const bench = new BenchDaemon();
  const health = new Health(bench.clock, 'test');
  const index = new RecallIndex(':memory:');
  bench.rooms.recall = new RecallFeed({ store: bench.store, index, health });
  t.after(() => bench.rooms.recall!.close());
  await bench.call('session.open', { session: 'a', format: 'anthropic', model: 'claude-x' });
  const search = () => bench.call('recall.search', { query: 'turbine' });
  const failing = (times: number) => {
    const add = index.add.bind(index);
    let left = times;
    index.add = (...args) => {
      left -= 1;
      if (left >= 0) throw new Error('no');
      return add(...args);
    };
  };
  failing(1);
  await assert.rejects(search());
  assert.equal((await search()).hits.length, 0);
  await bench.call('session.append', { session: 'a', messages: [user('a turbine')] });
  failing(1);
  await assert.rejects(search());
  assert.equal((await search()).hits.length, 1);
});
