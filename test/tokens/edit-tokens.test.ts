// What an edit changes is what a count of the whole message before and after it would say, in every format.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyEdits, type TextEdit } from '../../src/json/index.js';
import { Native } from '../../src/json/native.js';
import { shrinkInput } from '../../src/providers/edits.js';
import { profileOf } from '../../src/providers/profile.js';
import { specOf } from '../../src/providers/spec.js';
import type { Format, Reading } from '../../src/providers/types.js';
import { tokensChanged } from '../../src/tokens/edit-tokens.js';
import { combine, measureMessage } from '../../src/tokens/request-count.js';

const FORMATS: readonly Format[] = ['anthropic', 'openai-chat', 'openai-responses'];

/** Not linear in the length, so that what is counted in pieces or in another spelling shows. */
const count = (text: string): number => Math.ceil(text.length / 3) + (text.match(/[\\"\n]/g)?.length ?? 0);

function callMessage(format: Format, args: unknown): unknown {
  const text = JSON.stringify(args);
  if (format === 'anthropic') {
    return { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'write', input: args }] };
  }
  if (format === 'openai-responses') {
    return { type: 'function_call', call_id: 'a', name: 'write', arguments: text };
  }
  const call = { id: 'a', type: 'function', function: { name: 'write', arguments: text } };
  return { role: 'assistant', content: 'here it is', tool_calls: [call] };
}

function whole(reading: Reading, rule = profileOf('anthropic', 'claude-sonnet-4-5').image): number {
  const measure = measureMessage(reading, rule);
  return combine(measure, measure.texts.map(count)).tokens;
}

function changed(format: Format, message: unknown, edit: (reading: Reading) => TextEdit | undefined) {
  const spec = specOf(format);
  const native = new Native(JSON.stringify(message));
  const before = spec.read(native);
  const made = edit(before);
  const after = spec.read(new Native(applyEdits(native.text, made === undefined ? [] : [made])));
  const { image } = profileOf('anthropic', 'claude-sonnet-4-5');
  return { delta: tokensChanged(before, after, image, count), before: whole(before), after: whole(after) };
}

const long = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '\n', '数', '🙂', '{'),
  minLength: 0,
  maxLength: 300,
});

test('NS-6 L1-1: what a shortened input saves is what the message lost, quotes and escapes included', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...FORMATS),
      fc.dictionary(fc.constantFrom('path', 'content', 'n'), long),
      (format, args) => {
        const c = changed(format, callMessage(format, args), (reading) =>
          shrinkInput(
            reading.parts.find((p) => p.kind === 'tool_call')!,
            40,
            (t) => `${[...t].slice(0, 5).join('')}…`,
          ),
        );
        assert.equal(c.delta, c.after - c.before);
        assert.ok(c.before + c.delta >= 0, 'no message has fewer tokens than none');
        assert.ok(c.delta <= 0);
      },
    ),
  );
});

test('NS-6: a result that becomes a line, a block that goes, a text that is added', () => {
  fc.assert(
    fc.property(long, long, (body, more) => {
      const message = {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [
              { type: 'text', text: body },
              { type: 'text', text: more },
            ],
          },
          { type: 'text', text: more },
        ],
      };
      const edits: TextEdit[] = [
        { op: 'set', path: ['content', 0, 'content'], json: '"gone"' },
        { op: 'set', path: ['content', 0, 'content', 1], json: '{"type":"text","text":"short"}' },
        { op: 'remove', path: ['content', 1] },
        { op: 'append', path: ['content'], json: JSON.stringify({ type: 'text', text: body }) },
      ];
      for (const edit of edits) {
        const c = changed('anthropic', message, () => edit);
        assert.equal(c.delta, c.after - c.before, JSON.stringify(edit));
      }
    }),
  );
});
