// tokens.count of messages whose format nobody names.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BenchDaemon, type Json } from './bench-daemon.js';

const DATA = `data:image/png;base64,${'iVBORw0KGgoAAAAN'.repeat(20_000)}`;

const PICTURES: readonly [string, Json][] = [
  ['chat', { type: 'image_url', image_url: { url: DATA } }],
  ['responses', { type: 'input_image', image_url: DATA }],
  ['anthropic', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA.slice(22) } }],
];

for (const [name, part] of PICTURES)
  test(`K44 PV-C12 PV-A51 tokens.count: a picture in the ${name} format is no text, also alone in its message`, async () => {
    const d = new BenchDaemon();
    const count = async (content: Json[]) =>
      (await d.call('tokens.count', { messages: [{ role: 'user', content }], encoding: 'o200k_base' }))
        .tokens;
    const alone = await count([part]);
    assert.ok(alone > 50 && alone < 3000, `${alone} tokens`);
  });

test('F31 tokens.count: a part whose type is a name of Object.prototype is read like any other', async () => {
  const d = new BenchDaemon();
  const messages = [{ role: 'user', content: [{ type: 'constructor', text: 'x' }, null, 'y'] }];
  assert.ok((await d.call('tokens.count', { messages })).tokens > 0);
});

const SOUNDS: readonly [string, Json][] = [
  ['input_audio', { type: 'input_audio', input_audio: { data: DATA.slice(22), format: 'mp3' } }],
  ['a data URL', { type: 'video_url', video_url: { url: DATA.replace('image/png', 'video/mp4') } }],
];

for (const [name, part] of SOUNDS)
  test(`K44 tokens.count: sound and film are counted by their length, not as text: ${name}`, async () => {
    const d = new BenchDaemon();
    const content = [part, { type: 'text', text: 'What is said?' }];
    const { tokens } = await d.call('tokens.count', { messages: [{ role: 'user', content }] });
    assert.ok(tokens > 100 && tokens < 500, `${tokens} tokens`);
  });

test('F26 tokens.count of nothing is a typed error, of an empty text 0', async () => {
  const d = new BenchDaemon();
  for (const params of [{}, { model: 'gpt-5.4' }, { encoding: 'o200k_base' }])
    await assert.rejects(d.call('tokens.count', params), { kind: 'BAD_TYPE', path: '/text' });
  assert.equal((await d.call('tokens.count', { text: '' })).tokens, 0);
});
