// Cases of the evaluator: loading with its errors, the seven assertions each passing and failing, reports and baselines.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseAssertions } from '../../src/eval/cases/assertions.js';
import { loadCases } from '../../src/eval/cases/case.js';
import { caseReport, parseCaseReport, summaryText } from '../../src/eval/cases/case-report.js';
import { check, distanceShare, type Run } from '../../src/eval/cases/check.js';
import { type CaseResult, runCase } from '../../src/eval/cases/run-case.js';
import { roughTokens } from '../session/bench-daemon.js';

const NOW = Date.parse('2026-11-29T00:00:00Z');

function folderOf(t: TestContext, files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), 'cases-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

/** Thirty rounds of reading files of 50,000 characters, then an answer. */
function conversation(): string {
  const messages: unknown[] = [{ role: 'user', content: 'read all' }];
  for (let i = 0; i < 30; i++) {
    messages.push(
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: `t${i}`, name: 'Read', input: { path: `f${i}` } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `t${i}`, content: `body ${i} `.repeat(6000) }],
      },
    );
  }
  messages.push({ role: 'assistant', content: [{ type: 'text', text: 'done' }] });
  return `${JSON.stringify({ id: 'c', format: 'anthropic', model: 'claude-sonnet-4-5', messages })}\n`;
}

const aCase = (name: string, assertions: string, more: Record<string, string> = {}) => ({
  [`${name}/case.yaml`]: `name: ${name}\ntags: [a, ${name}]\nowner: me\nrecorded_at: 2026-11-01\n`,
  [`${name}/input/conversation.jsonl`]: conversation(),
  [`${name}/journal/session.jsonl`]: conversation(),
  [`${name}/assertions.yaml`]: assertions,
  ...more,
});

test('E-1 cases are folders; names with _ or . are left out, tags select', (t) => {
  const one = '- {kind: event_emitted, type: llm.request}\n';
  const dir = folderOf(t, {
    ...aCase('x', one),
    ...aCase('y', one),
    ...aCase('_draft', 'nonsense: ['),
    ...aCase('.git', 'nonsense: ['),
    'not-a-case.txt': '',
  });
  const names = (tags: string[]) => loadCases(dir, tags).cases.map((c) => c.meta.name);
  assert.deepEqual(names([]), ['x', 'y']);
  assert.deepEqual(names(['a', 'y']), ['y']);
  assert.deepEqual(names(['a', 'z']), []);
  assert.deepEqual(loadCases(dir).errors, []);
  assert.deepEqual(
    loadCases(join(dir, 'x')).cases.map((c) => c.meta.name),
    ['x'],
  );
});

test('E-1 E-2 what is wrong with a case is an error that says where', (t) => {
  const dir = folderOf(t, {
    ...aCase('kind', '- {kind: event_emited, type: x}\n'),
    ...aCase('none', '[]\n'),
    ...aCase('twin', '- {kind: latency, p95_ms: 5}\n', { 'twin/case.yaml': 'name: kind2\n' }),
    ...aCase('twin2', '- {kind: latency, p95_ms: 5}\n', { 'twin2/case.yaml': 'name: kind2\n' }),
    ...aCase('config', '- {kind: latency, p95_ms: 5}\n', {
      'config/input/config.yaml': 'curated: {boundery: x}\n',
    }),
    'noname/case.yaml': 'description: x\n',
    'empty/case.yaml': 'name: empty\n',
    'empty/assertions.yaml': '- {kind: latency, p95_ms: 5}\n',
  });
  const errors = Object.fromEntries(loadCases(dir).errors.map((e) => [e.folder, e.message]));
  assert.match(errors['kind']!, /unknown kind "event_emited"; there are event_emitted, /);
  assert.match(errors['none']!, /could never fail/);
  assert.match(errors['twin2']!, /another case is named "kind2"/);
  assert.match(errors['config']!, /boundery/);
  assert.match(errors['noname']!, /case\.yaml: name/);
  assert.match(errors['empty']!, /neither input\/ nor journal\//);
  assert.equal(Object.keys(errors).length, 6);
});

test('E-2 an assertion that nothing could break is refused', () => {
  const never = [
    { kind: 'event_emitted', type: 'x', count: { min: 0 } },
    { kind: 'event_count_bounds', type: 'x' },
    { kind: 'event_count_bounds', min: 0 },
    { kind: 'event_sequence_strict', pattern: [] },
    { kind: 'event_sequence_distance', threshold: 1 },
    { kind: 'token_budget', per_turn: true },
    { kind: 'latency' },
    { kind: 'token_budget', max_input_token: 5 },
  ];
  for (const a of never) assert.throws(() => parseAssertions([a]), Error, JSON.stringify(a));
});

const run: Run = {
  events: [
    { type: 'a', turn: 0, payload: { n: 1, deep: { x: 'y' } } },
    { type: 'b', turn: 0, payload: {} },
    { type: 'a', turn: 1, payload: { n: 2 } },
  ],
  calls: [
    { tool: 'Read', args: { path: 'a' } },
    { tool: 'Read', args: { path: 'b' } },
  ],
  turns: [
    { input: 100, output: 10 },
    { input: 300, output: 5 },
  ],
  latencies: [1, 2, 3, 4, 100],
};
const recorded = {
  events: [...run.events, { type: 'c', turn: 1, payload: {} }],
  calls: [...run.calls, { tool: 'Bash', args: { command: 'ls' } }],
};

/** Each passes as it stands, and fails with the planted change. */
const PLANTED: readonly [holds: Record<string, unknown>, breaks: Record<string, unknown>][] = [
  [
    { event_emitted: { type: 'a', where: { 'deep.x': 'y' } } },
    { event_emitted: { type: 'a', where: { n: 3 } } },
  ],
  [
    { event_emitted: { type: 'a', count: { min: 2, max: 2 } } },
    { event_emitted: { type: 'a', count: { max: 1 } } },
  ],
  [{ event_count_bounds: { type: 'b', max: 1 } }, { event_count_bounds: { type: 'b', min: 2 } }],
  [{ event_count_bounds: { min: 3, max: 3 } }, { event_count_bounds: { max: 2 } }],
  [
    { event_sequence_strict: { filter: ['a', 'b'], pattern: ['a', 'b', 'a'] } },
    { event_sequence_strict: { pattern: ['a', 'b'] } },
  ],
  [{ event_sequence_distance: { threshold: 0.25 } }, { event_sequence_distance: { threshold: 0.2 } }],
  [
    { event_sequence_distance: { threshold: 0, filter: ['a', 'b'] } },
    { event_sequence_distance: { threshold: 0.5, filter: ['c'] } },
  ],
  [
    { tool_invocation_parity: { count_tolerance: 1, arg_keys: ['path'] } },
    { tool_invocation_parity: { arg_keys: ['path'] } },
  ],
  [
    { token_budget: { max_input_tokens: 400, max_output_tokens: 15 } },
    { token_budget: { max_input_tokens: 399 } },
  ],
  [
    { token_budget: { max_input_tokens: 300, per_turn: true } },
    { token_budget: { max_output_tokens: 9, per_turn: true } },
  ],
  [{ latency: { p50_ms: 3 } }, { latency: { p50_ms: 3, p95_ms: 50 } }],
];

test('E-2 each of the seven assertions holds where it should and breaks where a fault is planted', () => {
  const kinds = new Set<string>();
  for (const [holds, breaks] of PLANTED) {
    const [good, bad] = parseAssertions([holds, breaks]);
    kinds.add(good!.kind);
    const [yes, no] = [check(good!, run, recorded), check(bad!, run, recorded)];
    assert.equal(yes.passed, true, `${JSON.stringify(holds)}: ${yes.message}`);
    assert.equal(no.passed, false, `${JSON.stringify(breaks)}: ${no.message}`);
  }
  assert.equal(kinds.size, 7);
  const other = { ...run, calls: [{ tool: 'Read', args: { path: 'z' } }, ...run.calls.slice(1)] };
  const [parity] = parseAssertions({ assertions: [PLANTED[7]![0]] });
  assert.match(check(parity!, other, recorded).message, /path of call 1 differs/);
});

test('E-2 the distance is Levenshtein over the longer sequence', () => {
  assert.equal(distanceShare([], []), 0);
  assert.equal(distanceShare(['a'], []), 1);
  assert.equal(distanceShare([...'kitten'], [...'sitting']), 3 / 7);
});

test('E-5 a case runs under its own configuration or a preset, and events tell them apart', async (t) => {
  const dir = folderOf(
    t,
    aCase(
      'x',
      '- {kind: event_emitted, type: memory.tool_result_cleared}\n- {kind: tool_invocation_parity}\n',
    ),
  );
  const [one] = loadCases(dir).cases;
  const under = (preset?: 'balanced' | 'off') =>
    runCase(one!, { count: roughTokens, now: NOW, ...(preset === undefined ? {} : { preset }) });
  const [own, off, balanced] = [await under(), await under('off'), await under('balanced')];
  assert.deepEqual([own.passed, off.passed, balanced.passed], [false, false, true]);
  assert.equal(off.score, 0.5);
  assert.equal(balanced.requests, 31);
  assert.ok(balanced.tokens.input < off.tokens.input);
});

test('E-2 a case in which nothing is played fails, whatever its bounds', async (t) => {
  const files = aCase('x', '- {kind: event_count_bounds, type: llm.error, max: 0}\n');
  files['x/input/conversation.jsonl'] = 'damaged\n';
  const [one] = loadCases(folderOf(t, files)).cases;
  const result = await runCase(one!, { count: roughTokens, now: NOW });
  assert.equal(result.passed, false);
  assert.match(result.assertions[0]!.message, /no request/);
});

const result = (name: string, passed: boolean, score: number, ms: number): CaseResult => ({
  name,
  tags: [],
  passed,
  score,
  assertions: [{ kind: 'latency', passed, message: 'as planted' }],
  requests: 1,
  tokens: { input: 1, output: 1 },
  latencies: [ms],
});

test('E-3 the report has schema_version "1"; a flip, a gone case, a lower score and a slower p95 fail', () => {
  const before = caseReport([result('x', true, 1, 10), result('y', false, 0.5, 10)], [], undefined);
  assert.equal(before.schema_version, '1');
  assert.equal(before.ok, false);
  const read = parseCaseReport(JSON.stringify(before));
  const against = (results: CaseResult[], gates = {}) => caseReport(results, [], undefined, read, gates);
  assert.equal(against([result('x', true, 1, 10), result('y', false, 0.5, 10)]).ok, true);
  const flipped = against([result('x', false, 0.9, 10), result('y', false, 0.5, 10)]);
  assert.equal(flipped.ok, false);
  assert.match(summaryText(flipped), /worse x: passed before, fails now/);
  assert.equal(against([result('y', false, 0.5, 10)]).ok, false);
  const lower = [result('x', true, 1, 10), result('y', false, 0.1, 10)];
  assert.equal(against(lower).ok, true);
  assert.equal(against(lower, { scoreDrop: 0.1 }).ok, false);
  assert.equal(against(lower, { scoreDrop: 0.2 }).ok, true);
  const slow = [result('x', true, 1, 14), result('y', false, 0.5, 14)];
  assert.equal(against(slow, { latencyP95Drop: 0.5 }).ok, true);
  assert.equal(against(slow, { latencyP95Drop: 0.3 }).ok, false);
  assert.throws(() => parseCaseReport('{"schema_version":"2","cases":[],"totals":{}}'), /schema_version/);
  assert.equal(caseReport([], [], undefined).ok, false);
  assert.equal(caseReport([result('x', true, 1, 1)], [{ folder: 'z', message: '' }], undefined).ok, false);
});
