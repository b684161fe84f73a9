// Histories that providers refuse as they stand, each taken in step by step and resent: what goes out is valid, only grows, and
// nothing that was said is missing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '../../src/providers/profile.js';
import { specOf } from '../../src/providers/spec.js';
import { nativeOf, validateRequest } from '../../src/providers/validate.js';
import { BenchDaemon, type Json, user } from './bench-daemon.js';

type Format = 'anthropic' | 'openai-chat';

const say = (text: string): Json => ({ role: 'assistant', content: text });
const order = (text: string): Json => ({ role: 'system', content: text });
const use = (...ids: string[]): Json => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })),
});
const got = (...ids: string[]): Json => ({
  role: 'user',
  content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `told ${id}` })),
});
const call = (...ids: string[]): Json => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});
const told = (id: string): Json => ({ role: 'tool', tool_call_id: id, content: `told ${id}` });

/** A title, the model, and the messages of each call. */
const CASES: [title: string, format: Format, model: string, steps: Json[][], system?: string][] = [
  ...(['claude-sonnet-4-5', 'claude-opus-4-8', 'claude-opus-5-5'] as const).flatMap(
    (model): [string, Format, string, Json[][]][] => [
      [
        `PV-A11 PV-A12 ${model}: system messages behind the assistant and before the user`,
        'anthropic',
        model,
        [
          [user('go'), say('ok'), order('one'), user('now')],
          [say('k'), order('two'), order('three'), user('r')],
        ],
      ],
      [
        `PV-A11 PV-A12 ${model}: a system message that was sent last, and the user behind it`,
        'anthropic',
        model,
        [
          [user('go'), order('one')],
          [user('really')],
          [say('k'), user('r'), order('two')],
          [say('q'), user('t')],
        ],
      ],
      [
        `PV-A6 PV-A12 ${model}: a system message between calls and results, and the user behind them`,
        'anthropic',
        model,
        [
          [user('go'), use('a', 'b'), order('one'), got('b', 'a'), user('now')],
          [say('k'), user('r')],
        ],
      ],
      [
        `PV-A10 PV-A11 ${model}: system messages at the head`,
        'anthropic',
        model,
        [
          [order('one'), order('two'), user('go')],
          [say('k'), user('r')],
        ],
      ],
      [
        `PV-A34 ${model}: half of a server tool pair in the second message of a turn`,
        'anthropic',
        model,
        [
          [
            user('go'),
            say('one'),
            {
              role: 'assistant',
              content: [
                { type: 'text', text: 'two' },
                { type: 'web_search_tool_result', tool_use_id: 'gone', content: [] },
              ],
            },
            user('r'),
          ],
        ],
      ],
    ],
  ),
  [
    'PV-S4 a conversation that no user began',
    'openai-chat',
    'gpt-5',
    [
      [say('hello'), call('a'), told('a')],
      [say('k'), user('r')],
    ],
  ],
  ['PV-S4 a system prompt alone', 'openai-chat', 'gpt-5', [[order('one')], [say('k'), user('r')]]],
  [
    'PV-S7 a template that takes one call at once',
    'openai-chat',
    'llama-3.1-8b',
    [
      [user('go'), call('a', 'b', 'c'), told('c'), user('meanwhile'), told('a'), told('b')],
      [say('k'), call('d', 'e'), told('d'), user('and?')],
      [say('z'), user('r')],
    ],
  ],
  [
    'PV-S3 a system message behind the system prompt',
    'openai-chat',
    'gemma-3-9b',
    [
      [order('one'), user('go')],
      [say('k'), order('two'), user('r')],
    ],
    'be brief',
  ],
  [
    'PV-S1 turns that follow on what a repair has put there',
    'openai-chat',
    'gemma-3-9b',
    [
      [user('go'), call('a', 'b'), user('never mind')],
      [told('a'), order('one'), user('x'), user('y')],
      [call('c'), order('two'), told('c')],
      [told('b'), user('z'), say('k')],
      [user('end')],
    ],
  ],
];

for (const [title, format, model, steps, system] of CASES)
  for (const resends of [false, true])
    test(`F32 ${title} (${resends ? 'resent' : 'appended'})`, async () => {
      const d = new BenchDaemon();
      const given = system === undefined ? {} : { system };
      await d.call('session.open', { session: 's', format, model, preset: 'balanced', ...given });
      const all: Json[] = [];
      let before: string[] = [];
      for (const step of steps) {
        all.push(...step);
        const more = resends ? { messages: all } : { append: step };
        const { request } = await d.call('llm.prepare', { session: 's', ...more });
        const texts: string[] = request.messages.map((m: Json) => JSON.stringify(m));
        const parts = { ...request, messages: texts.map(nativeOf) };
        assert.deepEqual(validateRequest(specOf(format), profileOf(format, model), parts), []);
        assert.deepEqual(texts.slice(0, before.length), before);
        before = texts;
        await d.call('turn.end', { session: 's', final: false });
      }
      const sent = before.join();
      const words = JSON.stringify(all).match(/(?<="(?:content|text)":")[^"]+/g)!;
      for (const word of words) assert.ok(sent.includes(word), `${word} is missing`);
      assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
    });
