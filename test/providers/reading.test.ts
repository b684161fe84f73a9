// Readings are total and exact; groups, cut points and boundaries follow from them; shared cases and transcripts hold.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { locate, parseTree } from '../../src/json/index.js';
import { Groups, isGenuineUser } from '../../src/providers/groups.js';
import { profileOf } from '../../src/providers/profile.js';
import { applyDocEdits, repair } from '../../src/providers/repair.js';
import { specOf } from '../../src/providers/spec.js';
import type { Format } from '../../src/providers/types.js';
import { historyOf, nativeOf, validateRequest } from '../../src/providers/validate.js';
import { jsonText } from '../json/arbitrary.js';
import { build, steps } from './histories.js';
import { assistant, type Msg, natives, result, rules, sharedPath, text, use, user } from './kit.js';

const MODELS: Record<Format, string> = {
  anthropic: 'claude-sonnet-4-5',
  'openai-chat': 'gpt-5.5',
  'openai-responses': 'gpt-6',
};
const FORMATS = Object.keys(MODELS) as Format[];

/** JSON that looks like messages: known keys with values of any kind. */
const nearMessage = fc
  .record(
    {
      role: fc.constantFrom('user', 'assistant', 'system', 'tool', 'x', 7),
      type: fc.constantFrom(
        'message',
        'reasoning',
        'function_call',
        'function_call_output',
        'computer_call_output',
        'mcp_approval_request',
        3,
      ),
      content: fc.oneof(
        fc.array(
          fc.record(
            {
              type: fc.constantFrom(
                'text',
                'thinking',
                'tool_use',
                'tool_result',
                'image',
                'document',
                'server_tool_use',
                'refusal',
                'image_url',
                'file',
              ),
              text: fc.jsonValue(),
              id: fc.jsonValue(),
              tool_use_id: fc.constantFrom('a', 'b', 1, null),
              input: fc.jsonValue(),
              content: fc.jsonValue(),
              source: fc.jsonValue(),
              image_url: fc.jsonValue(),
              cache_control: fc.jsonValue(),
              _px: fc.jsonValue(),
            },
            { requiredKeys: [] },
          ),
        ),
        fc.jsonValue(),
      ),
      tool_calls: fc.oneof(
        fc.jsonValue(),
        fc.array(fc.record({ id: fc.jsonValue(), function: fc.jsonValue(), custom: fc.jsonValue() })),
      ),
      tool_call_id: fc.jsonValue(),
      call_id: fc.constantFrom('a', 'b', 5),
      output: fc.jsonValue(),
      arguments: fc.jsonValue(),
      summary: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  .map((m) => JSON.stringify(m));

for (const format of FORMATS) {
  const spec = specOf(format);
  const profile = profileOf(format, MODELS[format]);

  test(`PV-A20 ${format}: reading, checking and repairing never throw on any JSON, and every path leads to a value`, () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(nearMessage, jsonText), { maxLength: 6 }), (texts) => {
        const history = historyOf(spec, texts.map(nativeOf));
        for (const { native, reading } of history) {
          spec.check(native, 3);
          for (const part of reading.parts) {
            const node = locate(native.text, parseTree(native.text), part.path);
            assert.ok(node !== undefined, `${JSON.stringify(part.path)} of ${native.text}`);
            if (part.media)
              for (const m of part.media)
                assert.ok(locate(native.text, parseTree(native.text), m.path), native.text);
          }
        }
        validateRequest(spec, profile, { messages: texts.map(nativeOf) });
        const repairs = repair(spec, history, 0, { pending: new Set() });
        const out = applyDocEdits(
          history.map((h) => h.native),
          repairs.flatMap((r) => r.edits),
        );
        for (const t of out) assert.doesNotThrow(() => JSON.parse(t));
      }),
      { numRuns: 300 },
    );
  });

  test(`PV-A4 PV-C4 PV-R3 ${format}: every cut at a group boundary is valid, no other one is`, () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const messages = build(format, plan);
        const groups = new Groups(format);
        const history = historyOf(spec, natives(messages));
        for (const { reading } of history) groups.push(reading);
        for (let cut = 0; cut < messages.length; cut++) {
          const tail = [
            nativeOf(spec.textMessage('user', 'summary')),
            ...history.slice(cut).map((h) => h.native),
          ];
          const broken = rules(validateRequest(spec, profile, { messages: tail }));
          if (groups.canCut(cut)) assert.deepEqual(broken, [], `cut at ${cut}`);
          else if (format !== 'openai-responses') assert.notDeepEqual(broken, [], `cut at ${cut}`);
        }
      }),
    );
  });

  test(`PV-A9 ${format}: the open round is the newest group until the user or the model goes on`, () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const groups = new Groups(format);
        const missing = new Set<string>();
        for (const { reading } of historyOf(spec, natives(build(format, plan)))) {
          groups.push(reading);
          for (const p of reading.parts)
            if (p.kind === 'tool_call') missing.add(p.callId!);
            else if (p.kind === 'tool_result') missing.delete(p.callId!);
          if (missing.size > 0) assert.deepEqual([...groups.open()!.missing], [...missing]);
          if (groups.atBoundary()) assert.ok(missing.size === 0 && isGenuineUser(reading));
        }
      }),
    );
  });
}

test('a genuine user message has text or an attachment of its own (case 04)', () => {
  const { read } = specOf('anthropic');
  const [only, both, picture, plain] = natives([
    user([result('a')]),
    user([result('a'), text('mind this')]),
    user([{ type: 'image', source: { type: 'url', url: 'x' } }]),
    user('hi'),
  ]).map((n) => isGenuineUser(read(n)));
  assert.deepEqual([only, both, picture, plain], [false, true, true, true]);
});

test('PV-A20 argument texts are the bytes that came (case 34)', () => {
  const input = '{"2": 2, "10":1.0, "z":12345678901234567890, "u":"\\u00e9\\/"}';
  const n = nativeOf(
    `{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"a","name":"f","input":${input}}]}`,
  );
  assert.equal(specOf('anthropic').read(n).parts[1]!.argsText, input);
});

test('PV-A7 the body of a result: text, bytes, media and error flag', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
  const body = [text('é'), image, text('b')];
  const [m] = natives([user([{ ...result('a', body), is_error: true }, result('b', 'é')])]);
  const [list, plain] = specOf('anthropic').read(m!).parts;
  assert.equal(list!.text, 'é\nb');
  assert.equal(list!.bodyBytes, Buffer.byteLength(JSON.stringify(body)));
  assert.equal(list!.isError, true);
  assert.deepEqual(list!.media![0]!.path, ['content', 0, 'content', 1]);
  assert.equal(plain!.bodyBytes, 2);
  assert.deepEqual(plain!.bodyPath, ['content', 1, 'content']);
});

test('reading 10,000 blocks is linear', () => {
  const blocks = Array.from({ length: 10_000 }, (_, i) => use(`c${i}`, { path: 'x'.repeat(50) }));
  const [m] = natives([assistant(...blocks)]);
  const start = performance.now();
  assert.equal(specOf('anthropic').read(m!).parts.length, 10_000);
  assert.ok(performance.now() - start < 2_000);
});

interface Case {
  id: string;
  format: 'anthropic' | 'openai';
  config: { api?: string; pending?: string[] };
  request: { system?: unknown; tools?: unknown; messages?: unknown[]; input?: unknown[] };
}

function expand(v: unknown): unknown {
  if (Array.isArray(v)) return v.map(expand);
  if (typeof v !== 'object' || v === null) return v;
  const o = v as Record<string, unknown>;
  const repeat = o['$repeat'] as { text: string; times: number } | undefined;
  if (repeat) return repeat.text.repeat(repeat.times);
  if (Array.isArray(o['$concat'])) return o['$concat'].map(expand).join('');
  return Object.fromEntries(Object.entries(o).map(([k, x]) => [k, expand(x)]));
}

test('F32 every shared failure case can be made valid, and is left alone where it is', (t) => {
  const folder = sharedPath('cases');
  if (folder === undefined) return t.skip('shared cases are not on this machine');
  for (const file of readdirSync(folder).filter((f) => /^\d\d.*\.json$/.test(f))) {
    const c = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as Case;
    const format: Format =
      c.format === 'anthropic'
        ? 'anthropic'
        : c.config.api === 'responses'
          ? 'openai-responses'
          : 'openai-chat';
    const spec = specOf(format);
    const profile = profileOf(format, MODELS[format], { needsUser: false });
    const before = ((c.request.messages ?? c.request.input) as unknown[]).map((m) =>
      nativeOf(JSON.stringify(expand(m))),
    );
    const pending = new Set(c.config.pending ?? []);
    const was = rules(validateRequest(spec, profile, { messages: before }, { pending }));
    const repairs = repair(spec, historyOf(spec, before), 0, { pending });
    const after = applyDocEdits(
      before,
      repairs.flatMap((r) => r.edits),
    ).map(nativeOf);
    const left = rules(validateRequest(spec, profile, { messages: after }, { pending }));
    assert.deepEqual(left, [], `${c.id}: was ${was.join()}`);
    if (was.length === 0) assert.deepEqual(repairs, [], c.id);
  }
  return undefined;
});

test('F32 recorded conversations are valid as they are, up to empty results; raw repeated ids too', (t) => {
  const folder = sharedPath('data');
  if (folder === undefined) return t.skip('shared data are not on this machine');
  const files = [
    ...readdirSync(`${folder}/transcripts`)
      .filter((f) => f.endsWith('.jsonl'))
      .map((f) => `${folder}/transcripts/${f}`),
    `${folder}/quirks/duplicate-tool-call-ids.jsonl`,
  ];
  let conversations = 0;
  for (const file of files) {
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
      const c = JSON.parse(line) as { id: string; format: string; messages: Msg[] };
      const format: Format = c.format === 'anthropic' ? 'anthropic' : 'openai-chat';
      const spec = specOf(format);
      const profile = profileOf(format, MODELS[format]);
      const before = natives(c.messages);
      const history = historyOf(spec, before);
      const found = rules(validateRequest(spec, profile, { messages: before }));
      const may = ['PV-A17', 'PV-C6', 'PV-A15'];
      assert.deepEqual(
        found.filter((r) => !may.includes(r)),
        [],
        c.id,
      );
      const repairs = repair(spec, history, 0, { pending: new Set() });
      const after = applyDocEdits(
        before,
        repairs.flatMap((r) => r.edits),
      ).map(nativeOf);
      assert.deepEqual(
        rules(validateRequest(spec, profile, { messages: after })).filter((r) => r !== 'PV-A15'),
        [],
        c.id,
      );
      conversations++;
    }
  }
  assert.ok(conversations >= 33);
  return undefined;
});
