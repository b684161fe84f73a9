// What is stored as a message and what is refused at the door; and journals that hold from before what is refused now.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CuratedError } from '../../src/errors.js';
import { specOf } from '../../src/providers/spec.js';
import { nativeOf } from '../../src/providers/validate.js';
import { BenchDaemon, type Json, user } from './bench-daemon.js';

type Format = 'anthropic' | 'openai-chat' | 'openai-responses';

const MODEL: Record<Format, string> = {
  anthropic: 'claude-sonnet-4-5',
  'openai-chat': 'gpt-5',
  'openai-responses': 'gpt-5',
};

/** Messages that nobody can read, and the place in them. */
const REFUSED: Record<Format, [message: Json, pointer: string][]> = {
  anthropic: [
    [{ role: 'USER', content: 'x' }, '/role'],
    [{ role: 'developer', content: 'x' }, '/role'],
    [{ role: 5, content: 'x' }, '/role'],
    [{ role: 'user', content: 5 }, '/content'],
    [{ role: 'user' }, '/content'],
    [{ role: 'user', text: 'in another field' }, '/content'],
    [{ role: 'system' }, '/content'],
    [{ role: 'assistant', content: true }, '/content'],
    [{ role: 'user', content: { type: 'text', text: 'x' } }, '/content'],
    [{ role: 'user', content: [{ type: 'text', text: 'a' }, 5] }, '/content/1'],
    [{ role: 'user', content: [null] }, '/content/0'],
    [{ role: 'user', content: [[]] }, '/content/0'],
    [{ role: 'user', content: [{ text: 'x' }] }, '/content/0/type'],
    [{ role: 'user', content: [{ type: 7 }] }, '/content/0/type'],
    [{ role: 'user', content: [{ type: 'text', text: 7 }] }, '/content/0/text'],
  ],
  'openai-chat': [
    [{ role: 'Assistant', content: 'x' }, '/role'],
    [{ role: 'user', content: 1.5 }, '/content'],
    [{ role: 'user', text: 'in another field' }, '/content'],
    [{ role: 'developer' }, '/content'],
    [{ role: 'user', content: [{ type: 'text', text: 'a' }, false] }, '/content/1'],
    [{ role: 'user', content: [{ text: 'x' }] }, '/content/0/type'],
  ],
  'openai-responses': [
    [{ role: 'tool', content: 'x' }, '/role'],
    [{ type: 'message', content: 'x' }, '/role'],
    [{ role: 'user', content: false }, '/content'],
    [{ role: 'user' }, '/content'],
    [{ type: 'message', role: 'user', text: 'in another field' }, '/content'],
    [{ role: 'user', content: [{}] }, '/content/0/type'],
  ],
};

/** What no provider of ours is known to have, and one may. */
const UNKNOWN: Record<Format, Json[]> = {
  anthropic: [
    { role: 'user', content: [{ type: 'hologram', depth: 1.0, of: [null] }] },
    { role: 'assistant', content: [{ type: 'text', text: 'x', mood: 7 }], confidence: 0.5 },
  ],
  'openai-chat': [
    { role: 'user', content: [{ type: 'hologram', depth: [null] }], name: 'bob' },
    { role: 'function', name: 'f', content: 'x' },
  ],
  'openai-responses': [
    { type: 'hologram', of: [null] },
    { type: 'message', role: 'user', content: [{ type: 'x' }] },
  ],
};

async function open(format: Format, preset = 'balanced'): Promise<BenchDaemon> {
  const d = new BenchDaemon();
  await d.call('session.open', { session: 's', format, model: MODEL[format], preset });
  return d;
}

const say = (text: string): Json => ({ role: 'assistant', content: text });

for (const format of ['anthropic', 'openai-chat', 'openai-responses'] as const) {
  test(`F26 F32 ${format}: what no repair can make a message is refused at the door with its place, and nothing of the call is stored`, async () => {
    const d = await open(format);
    await d.call('session.append', { session: 's', messages: [user('go'), say('yes')] });
    const before = await d.journalled();
    for (const [message, pointer] of REFUSED[format]) {
      const refused = (path: string, index: number) => (e: unknown) => {
        assert.ok(e instanceof CuratedError && e.kind === 'INVALID_MESSAGES', String(e));
        assert.equal(e.path, path);
        assert.deepEqual(
          { ...(e.detail as Json), rule: '' },
          { index, pointer: path.slice(path.indexOf('/', path.indexOf('/', 1) + 1)), rule: '' },
        );
        return path.endsWith(pointer);
      };
      await assert.rejects(
        d.call('session.append', { session: 's', messages: [user('more'), message] }),
        refused(`/messages/1${pointer}`, 1),
      );
      await assert.rejects(
        d.call('llm.prepare', { session: 's', append: [user('more'), message] }),
        refused(`/append/1${pointer}`, 1),
      );
      await assert.rejects(
        d.call('llm.prepare', { session: 's', messages: [user('go'), say('yes'), user('more'), message] }),
        refused(`/messages/3${pointer}`, 3),
      );
    }
    assert.deepEqual(await d.journalled(), before);
    const { request } = await d.call('llm.prepare', { session: 's', append: [user('and now?')] });
    assert.equal(request.messages.length, 3);
  });

  test(`PV-A20 PV-R10 ${format}: blocks, items and fields that we do not know pass as they came`, async () => {
    const d = await open(format);
    const messages = [user('go'), ...UNKNOWN[format], user('end')];
    await d.call('session.append', { session: 's', messages });
    const { request } = await d.call('llm.prepare', { session: 's' });
    assert.deepEqual(request.messages, messages);
  });

  test(`P-5 F50 ${format}: what is only passed on goes as it came; a journal that holds it opens, replays, and is mended where it is curated`, async () => {
    const bad = REFUSED[format]
      .map(([m]) => m)
      .filter((m) => typeof m.role === 'string' || m.type !== undefined);
    const d = await open(format, 'off');
    const messages = bad.flatMap((m) => [m, say('ok'), user('more')]);
    await d.call('session.append', { session: 's', messages: [user('go'), ...messages] });
    const passed = await d.call('llm.prepare', { session: 's' });
    assert.deepEqual(passed.request.messages, [user('go'), ...messages]);
    assert.ok(passed.violations.length >= bad.length);
    await d.call('session.rewind', { session: 's', to_seq: passed.seq - 1 });

    // As an older daemon left it: stored under curation, not sent yet.
    await d.call('session.open', { session: 's', format, model: MODEL[format], preset: 'balanced' });
    const { request } = await d.call('llm.prepare', { session: 's', append: [say('and'), user('now?')] });
    const stored = await d.call('session.messages', { session: 's', limit: 1000 });
    assert.deepEqual(
      stored.messages.slice(0, -2).map((m: Json) => m.message),
      [user('go'), ...messages],
    );
    for (const m of request.messages)
      assert.ok(m.type !== undefined || ['user', 'assistant'].includes(m.role), JSON.stringify(m));
    assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
  });
}

test('PV-A3 F32 anthropic calls without an id are paired with their results by place: nothing of them is lost', async () => {
  const d = await open('anthropic');
  const call = (input: Json, id?: string) => ({
    type: 'tool_use',
    ...(id === undefined ? {} : { id }),
    name: 'read',
    input,
  });
  const result = (content: string, id?: string) => ({
    type: 'tool_result',
    ...(id === undefined ? {} : { tool_use_id: id }),
    content,
  });
  const { request } = await d.call('llm.prepare', {
    session: 's',
    append: [
      user('go'),
      // Alike, and still two.
      { role: 'assistant', content: [call({ path: 'a' }), call({ path: 'a' })] },
      { role: 'user', content: [result('one'), result('two')] },
      { role: 'assistant', content: [call({ path: 'b' })] },
      { role: 'user', content: [result('three', 'from-elsewhere')] },
      { role: 'assistant', content: [call({ path: 'c' }, 'named')] },
      { role: 'user', content: [result('four')] },
    ],
  });
  const blocks = request.messages.slice(1).map((m: Json) => m.content);
  const ids = blocks.map((b: Json[]) => b.map((x) => x.id ?? x.tool_use_id));
  for (const at of [0, 2, 4]) assert.deepEqual(ids[at], ids[at + 1]);
  assert.deepEqual(ids[4], ['named']);
  assert.equal(new Set([...ids[0], ...ids[2], ...ids[4]]).size, 4);
  const told = [1, 3, 5].flatMap((at) => blocks[at].map((b: Json) => b.content));
  assert.deepEqual(told, ['one', 'two', 'three', 'four']);
});

for (const format of ['anthropic', 'openai-chat', 'openai-responses'] as const)
  test(`PV-A17 PV-C6 K25 ${format}: content that is there and empty is mended and told; an answer without any is one that says nothing`, async () => {
    for (const content of ['', null, []]) {
      const d = await open(format);
      const { request } = await d.call('llm.prepare', {
        session: 's',
        append: [user('go'), say('yes'), { role: 'user', content }, { role: 'assistant' }, user('on')],
      });
      assert.equal(request.messages.length, 5);
      const spec = specOf(format);
      for (const m of request.messages) assert.deepEqual(spec.check(nativeOf(JSON.stringify(m))), []);
      const { events } = await d.call('journal.read', { session: 's', limit: 1000 });
      const repaired = events.filter((e: Json) => e.type === 'session.repaired').map((e: Json) => e.message);
      assert.ok(repaired.includes(2) && repaired.includes(3), JSON.stringify(repaired));
    }
  });
