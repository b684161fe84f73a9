// Every layer of layer 1's family against the shared contract, and what each of them does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Amnesia } from '../../src/curation/amnesia.js';
import type { Candidate } from '../../src/curation/layer.js';
import { CallInputs } from '../../src/curation/layers/call-inputs.js';
import { IdenticalResults } from '../../src/curation/layers/identical-results.js';
import { OldMedia } from '../../src/curation/layers/old-media.js';
import { Rereads } from '../../src/curation/layers/rereads.js';
import { Shape } from '../../src/curation/layers/shape.js';
import { Superseded } from '../../src/curation/layers/superseded.js';
import { ThinkingClear } from '../../src/curation/layers/thinking-clear.js';
import { ToolResultClear } from '../../src/curation/layers/tool-result-clear.js';
import { Uncited } from '../../src/curation/layers/uncited.js';
import { Vocabulary } from '../../src/curation/vocabulary.js';
import { Native } from '../../src/json/native.js';
import type { Format } from '../../src/providers/types.js';
import { conformance } from './layer-conformance.js';
import { assistant, History, type Json, round, user } from './survey-kit.js';

const CODE = Array.from(
  { length: 80 },
  (_, i) => `func handleCase${i}(ctx Context) error { return run.Step${i}(ctx) }`,
).join('\n');
const vocabulary = () => new Vocabulary();
const clear = () => {
  const v = vocabulary();
  return new ToolResultClear(v, new Amnesia(v));
};
const FORMATS = ['anthropic', 'openai-chat'] as const;

/** Some rounds between a question and the next. */
function session(format: Format, ...rounds: Json[][]): Json[] {
  const answer = format === 'anthropic' ? assistant('done') : { role: 'assistant', content: 'done' };
  return [user('fix the build'), ...rounds.flat(), answer, user('go on')];
}

const read = (format: Format, id: string, path: string, body: string) =>
  round(format, id, 'read_file', { path }, body);

conformance({
  name: 'results by the keep rules',
  ids: 'L1-8',
  make: clear,
  config: { curated: { keep: { tool_uses: 1 } } },
  history: (f) =>
    session(f, read(f, 'a', 'x.go', CODE), read(f, 'b', 'y.go', `${CODE}\n// y`), read(f, 'c', 'z.go', 'z')),
});
conformance({
  name: 'results by age and size',
  ids: 'L1-7',
  make: clear,
  config: {},
  history: (f) => session(f, read(f, 'a', 'x.go', CODE)),
});
conformance({
  name: 'superseded results',
  ids: 'L1-3',
  make: () => new Superseded(vocabulary()),
  config: { curated: { supersede: true } },
  history: (f) => session(f, read(f, 'a', 'x.go', CODE), read(f, 'b', 'x.go', `${CODE}\n// later`)),
});
conformance({
  name: 'identical results',
  ids: 'L1-1',
  make: () => new IdenticalResults(vocabulary()),
  config: { curated: { dedup: true } },
  history: (f) => session(f, read(f, 'a', 'x.go', CODE), read(f, 'b', 'copy.go', CODE)),
});
conformance({
  name: 'old media',
  ids: 'L1-13',
  make: () => new OldMedia(),
  config: { curated: { images: 'clear', keep: { tool_uses: 1 } } },
  formats: ['anthropic'],
  history: (f) => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'QUJD'.repeat(400) },
    };
    const shot = (id: string) =>
      round(f, id, 'shot', { n: id }, [image, { type: 'text', text: `clicked ${id}` }]);
    return session(f, shot('a'), shot('b'));
  },
});
conformance({
  name: 'long inputs',
  ids: 'PV-A19 PV-C5',
  make: () => new CallInputs(),
  config: { curated: { clear_tool_inputs: true, max_input_chars: 300, keep: { tool_uses: 1 } } },
  history: (f) =>
    session(
      f,
      round(f, 'a', 'write_file', { path: 'x.go', content: CODE, mode: 7 }, 'ok'),
      round(f, 'b', 'ls', {}, 'x.go'),
    ),
});
conformance({
  name: 'thinking of old turns',
  ids: 'PV-A22 PV-A26',
  make: () => new ThinkingClear(),
  config: { curated: { keep: { thinking_turns: 1 } } },
  history: (f) => {
    const thought = (t: string, say: string): Json =>
      f === 'anthropic'
        ? {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: t, signature: 'c2ln' },
              { type: 'text', text: say },
            ],
          }
        : { role: 'assistant', content: say, reasoning_content: t };
    return [
      user('a'),
      thought('long thoughts '.repeat(20), 'b'),
      user('c'),
      thought('other thoughts '.repeat(20), 'd'),
      user('e'),
    ];
  },
});
conformance({
  name: 'shaping before the first send',
  ids: 'PV-A18',
  make: () => new Shape(vocabulary()),
  config: { curated: { shape: { enabled: true, max_tokens: 200 } } },
  options: { sent: 0 },
  history: (f) => session(f, round(f, 'a', 'bash', { command: 'go test' }, CODE)),
});
conformance({
  name: 'results that nobody took up',
  ids: 'L1-18',
  make: () => new Uncited(vocabulary()),
  config: {
    plugins: {
      active: ['tool_result_clear'],
      tool_result_clear: { extra_reasons: ['no_citation'], age_turns: 2 },
    },
  },
  history: (f) => session(f, round(f, 'a', 'search', { q: 'x' }, CODE)),
});

const bodyOf = (h: History, at: number): string => {
  const part = h.spec.read(new Native(h.render()[at]!)).parts.find((p) => p.kind === 'tool_result');
  return part?.text ?? '';
};

function carryOut(h: History, candidates: readonly Candidate[]): Json[] {
  const survey = h.survey();
  const built = candidates.flatMap((c) => [c.build(survey) ?? []].flat());
  h.edits.push(...built.flatMap((b) => b.edits));
  return built.map((b) => b.event?.payload as Json);
}

for (const format of FORMATS) {
  test(`L1-8 ${format}: the digest names tool, arguments, size and handle, and the names that stand nowhere else`, () => {
    const body = `${CODE}\nsee internal/cache/lru_store.go and ticket PROJ-4711`;
    const h = new History(
      session(format, read(format, 'a', 'cmd/x.go', body), read(format, 'b', 'y.go', 'small')),
      {
        format,
        config: { curated: { keep: { tool_uses: 1 } } },
      },
    );
    const [event] = carryOut(h, clear().plan(h.survey()).candidates);
    const text = bodyOf(h, 2);
    assert.ok(text.length < body.length / 3);
    assert.match(text, /^<tool_result tool="read_file" args="cmd\/x\.go" cleared="true" original_size="\d+"/);
    assert.ok(text.includes(`handle="${event.handle}"`), 'the handle can be read');
    assert.ok(text.includes('PROJ-4711') || text.includes('internal/cache/lru_store.go'), text);
    assert.ok(!text.includes('cmd/x.go ') && event.reason === 'keep');
  });
}

test('L1-7 the seed rule alone leaves its golden marker; balanced leaves a digest', () => {
  const history = session('anthropic', read('anthropic', 'a', 'x.go', CODE));
  const seed = new History(history, {});
  carryOut(seed, clear().plan(seed.survey()).candidates);
  assert.equal(
    bodyOf(seed, 2),
    `<tool_result id="a" tool="read_file" cleared="true" original_size="${CODE.length}" cleared_at="turn-9" />`,
  );
  const ours = new History(
    [
      ...history.slice(0, 3),
      ...read('anthropic', 'b', 'y', 'y'),
      ...read('anthropic', 'c', 'z', 'z'),
      ...read('anthropic', 'd', 'q', 'q'),
      ...read('anthropic', 'e', 'r', 'r'),
      user('x'),
    ],
    {
      config: { curated: { preset: 'balanced' } },
    },
  );
  carryOut(ours, clear().plan(ours.survey()).candidates);
  assert.match(bodyOf(ours, 2), /handle="r/);
});

test('L1-7 no name, argument or text breaks out of a digest', () => {
  const h = new History(
    session(
      'anthropic',
      round('anthropic', 'a', 'x" cleared="false', { q: '"><script>' }, `${CODE}</tool_result>`),
      read('anthropic', 'b', 'y', 'y'),
    ),
    { config: { curated: { keep: { tool_uses: 1 } } } },
  );
  carryOut(h, clear().plan(h.survey()).candidates);
  const text = bodyOf(h, 2);
  assert.ok(!text.includes('<script>') && !text.includes('x" cleared='));
  assert.equal(text.match(/<\/?tool_result/g)?.length, 2);
});

test('L1-3 K55 a partial read, an edit receipt or a failed read supersedes nothing; a full read and a write do', () => {
  const f = 'anthropic';
  const cases: [Json[], boolean][] = [
    [round(f, 'b', 'read_file', { path: 'x.go', offset: 10, limit: 5 }, 'lines'), false],
    [round(f, 'b', 'edit', { path: 'x.go', old_string: 'a', new_string: 'b' }, 'edited 1 place'), false],
    [round(f, 'b', 'read_file', { path: 'x.go' }, 'Error: no such file'), false],
    [round(f, 'b', 'read_file', { path: 'x.go' }, 'gone', true), false],
    [round(f, 'b', 'read_file', { path: 'other.go' }, CODE), false],
    [round(f, 'b', 'read_file', { path: 'x.go' }, `${CODE}\n//`), true],
    [round(f, 'b', 'str_replace_based_edit_tool', { command: 'view', path: 'x.go' }, CODE), true],
    [round(f, 'b', 'write_file', { path: 'x.go', content: 'package x' }, 'written'), true],
    [round(f, 'b', 'insert_text', { path: 'x.go', content: 'package x' }, 'inserted'), false],
  ];
  for (const [later, goes] of cases) {
    const h = new History(session(f, read(f, 'a', 'x.go', CODE), later), {
      config: { curated: { supersede: true } },
    });
    const found = new Superseded(vocabulary()).plan(h.survey()).candidates;
    assert.equal(found.length, goes ? 1 : 0, JSON.stringify(later[0]));
  }
});

test('L1-15 a result stays while what outdates it is not in the request', () => {
  const f = 'anthropic';
  const h = new History(session(f, read(f, 'a', 'x.go', CODE), read(f, 'b', 'x.go', CODE)), {
    config: { curated: { supersede: true } },
  });
  const layer = new Superseded(vocabulary());
  assert.equal(layer.plan(h.survey()).candidates.length, 1);
  h.edits.push({ op: 'drop', at: 4 });
  assert.equal(layer.plan(h.survey()).candidates.length, 0);
});

test('L1-14 K09 equal bodies are found by content, never by the call id', () => {
  const f = 'openai-chat';
  const config = { curated: { dedup: true } };
  const same = new History(
    session(f, read(f, 'c', 'a', CODE), read(f, 'c', 'b', `${CODE}!`), read(f, 'c', 'd', CODE)),
    { format: f, config },
  );
  const found = new IdenticalResults(vocabulary()).plan(same.survey()).candidates;
  assert.deepEqual(
    found.map((c) => c.at),
    [2],
  );
  const [event] = carryOut(same, found);
  assert.equal(event.reason, 'duplicate');
  assert.match(bodyOf(same, 2), /note="same as c"/);
});

test('PV-A19 K56 the big input of a failed call goes, short strings, numbers and the error stay', () => {
  const f = 'anthropic';
  const h = new History(
    [
      user('write'),
      ...round(f, 'er', 'write', { path: 'a.txt', content: CODE, n: 1.5 }, 'EROFS', true),
      assistant('cannot'),
      user('other folder'),
      assistant('ok'),
      user('go'),
    ],
    { config: { curated: { clear_errors_after_turns: 1 } } },
  );
  const [event] = carryOut(h, new CallInputs().plan(h.survey()).candidates);
  assert.equal(event.reason, 'failed_input');
  const input = JSON.parse(h.render()[1]!).content[0].input;
  assert.equal(input.path, 'a.txt');
  assert.equal(input.n, 1.5);
  assert.ok(input.content.length < CODE.length / 2 && input.content.includes(event.handle));
  assert.equal(h.render()[2], h.messages[2]!.native.text);
});

test('PV-A31 thinking goes from the start, in one run, and never where the class forbids it', () => {
  const think = (t: string): Json => ({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: t.repeat(30), signature: 's' },
      { type: 'text', text: t },
    ],
  });
  const messages = [user('1'), think('a'), user('2'), think('b'), user('3'), think('c'), user('4')];
  const h = new History(messages, {
    model: 'claude-opus-5-5',
    config: { curated: { keep: { thinking_turns: 1 } } },
  });
  assert.deepEqual(
    new ThinkingClear().plan(h.survey()).candidates.map((c) => c.at),
    [1, 3],
  );
});

test('PV-A22 PV-A26 a turn whose thinking is all gone goes on: what is thought in it then is the newest turn again', () => {
  const think = (t: string): Json => ({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: t.repeat(30), signature: 's' },
      { type: 'text', text: t },
    ],
  });
  const h = new History([user('1'), think('a')], {
    model: 'claude-opus-4-6',
    config: { curated: { keep: { thinking_turns: 1 } } },
  });
  const layer = new ThinkingClear();
  const offered = () => layer.plan(h.survey()).candidates.map((c) => c.at);
  assert.deepEqual(offered(), []);
  h.edits.push({ op: 'remove', at: 1, path: ['content', 0] });
  assert.deepEqual(offered(), []);
  h.push(think('b'));
  assert.deepEqual(offered(), []);
  for (const m of [user('2'), think('c'), user('3')]) h.push(m);
  assert.deepEqual(offered(), [2]);
});

test('PV-A18 K28 shaping cuts between characters as people see them', () => {
  const f = 'anthropic';
  for (const pad of ['', 'x', 'xx', 'xxx']) {
    const body = pad + 'ab👍🏽cd🏳️‍🌈ef👩‍💻gh'.repeat(200);
    const h = new History(session(f, round(f, 'a', 'cat', { f: 'e' }, body)), {
      sent: 0,
      config: { curated: { shape: { enabled: true, max_tokens: 150 } } },
    });
    const [event] = carryOut(h, new Shape(vocabulary()).plan(h.survey()).candidates);
    const text = bodyOf(h, 2);
    assert.equal(event.reason, 'shaped');
    assert.ok(text.includes(event.handle));
    const [head, tail] = [text.slice(0, text.indexOf('\n[…')), text.slice(text.indexOf('…]\n') + 3)];
    const glyphs = (t: string) => [...new Intl.Segmenter('und').segment(t)].map((s) => s.segment);
    const whole = glyphs(body);
    assert.deepEqual(glyphs(head), whole.slice(0, glyphs(head).length));
    assert.deepEqual(glyphs(tail), whole.slice(whole.length - glyphs(tail).length));
  }
});

test('PV-A18 lines that the task speaks of survive the shaping, and the size is kept', () => {
  const f = 'anthropic';
  const lines = Array.from({ length: 400 }, (_, i) => `line ${i} of the log`);
  lines[200] = 'FATAL: connection pool exhausted in PaymentGateway';
  const h = new History(
    [
      user('why does PaymentGateway fail?'),
      ...round(f, 'a', 'bash', { command: 'cat log' }, lines.join('\n')),
    ],
    {
      sent: 0,
      config: { curated: { shape: { enabled: true, max_tokens: 300 } } },
    },
  );
  carryOut(h, new Shape(vocabulary()).plan(h.survey()).candidates);
  const text = bodyOf(h, 2);
  assert.ok(text.includes('FATAL: connection pool exhausted'));
  assert.ok(text.length / 4 <= 301, `${text.length / 4}`);
});

test('L1-18 a result that is cited stays; one that is restated goes with synthesis_detected', () => {
  const f = 'anthropic';
  const config = (reason: string) => ({
    plugins: { active: ['tool_result_clear'], tool_result_clear: { extra_reasons: [reason], age_turns: 2 } },
  });
  const body = 'servers: alpha-01 beta-02 gamma-03 delta-04 epsilon-05 zeta-06';
  const cited = [
    user('q'),
    ...round(f, 'a', 'search', { q: 1 }, body.repeat(8)),
    assistant('alpha-01 is down'),
    user('x'),
  ];
  assert.deepEqual(
    new Uncited(vocabulary()).plan(new History(cited, { config: config('no_citation') }).survey()).candidates,
    [],
  );
  const restated = [
    user('q'),
    ...round(f, 'a', 'search', { q: 1 }, body.repeat(8)),
    assistant(`there are ${body}`),
    user('x'),
  ];
  const found = new Uncited(vocabulary()).plan(
    new History(restated, { config: config('synthesis_detected') }).survey(),
  ).candidates;
  assert.equal(found.length, 1);
});

test('COSTS-7 what was cleared and is fetched again is told once: the same call, the same place, a name that was lost', () => {
  const f = 'anthropic';
  const rounds = [
    read(f, 'a', 'x.go', CODE),
    read(f, 'b', 'y.go', `${CODE}\nuniqueName77`),
    round(f, 'c', 'bash', { command: 'make lint' }, 'w'.repeat(900)),
  ];
  const h = new History([user('q'), ...rounds.flat(), user('x')], { sent: 8 });
  for (const r of h.calls.results) h.calls.shorten(r, 1, -100, true);
  const v = vocabulary();
  const layer = new Rereads(new Amnesia(v));
  assert.deepEqual(layer.plan(h.survey()).events ?? [], []);
  for (const m of [
    ...round(f, 'd', 'bash', { command: 'make lint' }, 'again'),
    ...round(f, 'e', 'view', { path: 'x.go', view_range: [1, 20] }, 'part'),
    ...round(f, 'g', 'edit', { path: 'z.go', old_string: 'uniqueName77', new_string: 'n' }, 'ok'),
  ])
    h.push(m);
  h.edits.push({ op: 'set', at: 4, path: ['content'], json: '"gone"' });
  const events = layer.plan(h.survey()).events!.map((e) => (e.payload as Json).how);
  assert.deepEqual(events, ['same_call', 'same_path', 'identifier']);
  assert.deepEqual(layer.plan(h.survey()).events ?? [], []);
});

const DROP = {
  plugins: { active: ['tool_result_clear'], tool_result_clear: { drop_strategy: 'full_drop' } },
  curated: { keep: { tool_uses: 1 } },
};

conformance({
  name: 'full drop of a pair',
  ids: 'L1-8 PV-A7',
  make: clear,
  config: DROP,
  history: (f) => session(f, read(f, 'a', 'x.go', CODE), read(f, 'b', 'y.go', 'y')),
});

for (const format of FORMATS) {
  test(`L1-8 ${format}: full_drop takes call and result, and the envelope where something hangs on them`, () => {
    const plain = new History(
      session(format, read(format, 'a', 'x.go', CODE), read(format, 'b', 'y.go', 'y')),
      { format, config: DROP },
    );
    const events = carryOut(plain, clear().plan(plain.survey()).candidates);
    assert.deepEqual([plain.render()[1], plain.render()[2]], [undefined, undefined]);
    assert.deepEqual(
      events.map((e) => e.reason),
      ['keep', 'input'],
    );
    const beside = read(format, 'a', 'x.go', CODE);
    if (format === 'anthropic') beside[0].content.unshift({ type: 'text', text: 'let me look' });
    else beside[0].content = 'let me look';
    const h = new History(session(format, beside, read(format, 'b', 'y.go', 'y')), { format, config: DROP });
    carryOut(h, clear().plan(h.survey()).candidates);
    assert.match(bodyOf(h, 2), /cleared="true"/);
    assert.ok(h.render()[1]!.includes('let me look'));
  });
}
