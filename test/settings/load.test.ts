// Loading: ids and aliases, foreign parts, faults with path, line and the nearest key (P-12, P-13, P-14, J-15).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  configError,
  faultText,
  type LoadResult,
  loadSettings,
  PLUGIN_IDS,
} from '../../src/settings/index.js';
import { faults, good, load, ORIGIN } from './support.js';

test('P-12 a Nexus configuration loads unchanged, with one notice for each foreign id and block', () => {
  const r = load(`
core: {log: info}
engine: {}
capabilities:
  tools: [shell]
plugins:
  active:
    - nexus.agent.react
    - nexus.agent.react/researcher
    - nexus.embeddings.openai
    - nexus.memory.tool_result_clear
    - nexus.memory.topic_pruner
  nexus.agent.react: {max_iterations: 20}
  nexus.embeddings.openai: {model: text-embedding-3-small}
  nexus.memory.tool_result_clear:
    age_turns: 3
    preserve_recent_kinds: []
journal:
  fsync: every-event
`);
  assert.ok(r.ok);
  assert.deepEqual([...r.settings.active], [PLUGIN_IDS.toolResultClear, PLUGIN_IDS.topicPruner]);
  assert.equal(r.settings.plugins.toolResultClear.ageTurns, 3);
  assert.deepEqual(r.settings.plugins.toolResultClear.preserveRecentKinds, []);
  assert.equal(r.settings.journal.fsync, 'every-event');
  assert.deepEqual(r.notices.map((n) => n.path).sort(), [
    'capabilities',
    'core',
    'engine',
    'plugins.active[0]',
    'plugins.active[1]',
    'plugins.active[2]',
  ]);
});

test('P-12 aliases without the first two segments work, in the list and as blocks', () => {
  const s = good(`
plugins:
  active: [tool_result_clear, context_window, progressive]
  tool_result_clear: {age_turns: 7}
  progressive: {scope: hybrid}
`);
  assert.deepEqual(
    [...s.active],
    [PLUGIN_IDS.toolResultClear, PLUGIN_IDS.contextWindow, PLUGIN_IDS.progressive],
  );
  assert.equal(s.plugins.toolResultClear.ageTurns, 7);
  assert.equal(s.plugins.progressive.scope, 'hybrid');
});

test('P-12 both spellings of a plugin at once are an error', () => {
  assert.deepEqual(
    faults(`
plugins:
  tool_result_clear: {age_turns: 7}
  nexus.memory.tool_result_clear: {age_turns: 8}
`),
    [
      'plugins.nexus.memory.tool_result_clear|4|nexus.memory.tool_result_clear and tool_result_clear are the same plugin: use one spelling',
    ],
  );
  assert.equal(faults({ plugins: { active: ['capped', 'nexus.memory.capped'] } }).length, 1);
});

test('P-12 unknown keys name the full path, the line and the nearest valid key', () => {
  assert.deepEqual(
    faults(`plugins:
  tool_result_clear:
    age_truns: 3
  nexus.gate.context_window:
    trigger_ration: 0.5
journal:
  fsink: none
curated:
  keep: {tool_use: 3}
jurnal: {}
`),
    [
      'plugins.tool_result_clear.age_truns|3|unknown key; the nearest valid key is age_turns',
      'plugins.nexus.gate.context_window.trigger_ration|5|unknown key; the nearest valid key is trigger_ratio',
      'journal.fsink|7|unknown key; the nearest valid key is fsync',
      'curated.keep.tool_use|9|unknown key; the nearest valid key is tool_uses',
      'jurnal|10|unknown block; the nearest valid block is journal',
    ],
  );
});

test('P-12 a value outside its enum names the valid values; an unknown plugin the nearest id', () => {
  assert.deepEqual(
    faults({
      plugins: {
        active: ['tool_result_cleer', 'nexus.memory.tool_result_cler'],
        compaction: { strategy: 'x' },
      },
      journal: { fsync: 'sometimes' },
      curated: { preset: 'agressive' },
    }),
    [
      'plugins.active[0]|-|unknown plugin "tool_result_cleer"; the nearest valid id is tool_result_clear',
      'plugins.active[1]|-|unknown plugin "nexus.memory.tool_result_cler"; the nearest valid id is nexus.memory.tool_result_clear',
      'plugins.compaction.strategy|-|"x" is not valid here: valid values are message_count, token_estimate, turn_count',
      'journal.fsync|-|"sometimes" is not valid here: valid values are turn-boundary, every-event, none',
      'curated.preset|-|"agressive" is not valid here: valid values are off, observe, conservative, balanced, aggressive',
    ],
  );
});

test('P-12 types and ranges are checked at every depth', () => {
  const texts = faults({
    plugins: {
      tool_result_clear: { age_turns: -1, enabled: 'maybe', preserve_recent_kinds: 'error' },
      topic_pruner: { similarity_threshold: 1.01 },
      summary_buffer: { chars_per_token: 0, timeout: 'soon', require_preserved_kinds: [1] },
      compaction: { require_approval: { match: { size_threshold_bytes: -5 } } },
      context_window: { trigger_ratio: 1 },
      capped: [],
    },
    curated: {
      trigger: [{ tokens: 5 }, {}],
      target: { tokens: 1, fraction: 0.5 },
      holdout: 2,
      most_loss: 1.5,
    },
  });
  assert.deepEqual(
    texts.map((t) => t.split('|')[0]),
    [
      'plugins.tool_result_clear.age_turns',
      'plugins.tool_result_clear.enabled',
      'plugins.tool_result_clear.preserve_recent_kinds',
      'plugins.topic_pruner.similarity_threshold',
      'plugins.summary_buffer.chars_per_token',
      'plugins.summary_buffer.timeout',
      'plugins.summary_buffer.require_preserved_kinds[0]',
      'plugins.compaction.require_approval.match.size_threshold_bytes',
      'plugins.context_window.trigger_ratio',
      'plugins.capped',
      'curated.trigger[1]',
      'curated.holdout',
      'curated.most_loss',
      'curated.target',
    ],
  );
});

test('P-13 integers and floats alike; only a fraction where a whole number belongs is refused', () => {
  const s = good('plugins: {tool_result_clear: {age_turns: 5.0}, topic_pruner: {similarity_threshold: 1}}');
  assert.equal(s.plugins.toolResultClear.ageTurns, 5);
  assert.equal(s.plugins.topicPruner.similarityThreshold, 1);
  assert.equal(
    good({ plugins: { tool_result_clear: { age_turns: 7.0 } } }).plugins.toolResultClear.ageTurns,
    7,
  );
  assert.deepEqual(faults('plugins: {tool_result_clear: {age_turns: 5.5}}'), [
    'plugins.tool_result_clear.age_turns|1|5.5 is not an integer',
  ]);
  for (const bad of ['.nan', '.inf', '"5"', 'null', '[5]', 'true']) {
    assert.equal(faults(`plugins: {tool_result_clear: {age_turns: ${bad}}}`).length, 1, bad);
  }
});

test('P-13 property: every whole number is kept exactly, however it is written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e9 }), fc.constantFrom('', '.0', '.000'), (n, tail) => {
      const s = good(`plugins: {tool_result_clear: {size_bytes_threshold: ${n}${tail}}}`);
      return s.plugins.toolResultClear.sizeBytesThreshold === n;
    }),
    { numRuns: 50 },
  );
});

test('P-14 summary_buffer and compaction together give one warning that names both and who answers', () => {
  const r = load('plugins: {active: [summary_buffer, compaction]}');
  assert.ok(r.ok);
  assert.equal(r.notices.length, 1);
  assert.equal(r.notices[0]?.level, 'warning');
  assert.match(
    r.notices[0]?.text ?? '',
    /nexus\.memory\.summary_buffer.*nexus\.memory\.compaction.*nexus\.memory\.compaction answers/,
  );
  const alone = load('plugins: {active: [compaction]}');
  assert.ok(alone.ok && alone.notices.length === 0);
});

test('P-12 settings of a plugin that is not active are a notice, but compaction comes with the gate', () => {
  const r = load(
    'plugins: {active: [context_window], capped: {max_messages: 5}, compaction: {persist: false}}',
  );
  assert.ok(r.ok);
  assert.deepEqual(
    r.notices.map((n) => n.path),
    ['plugins.capped'],
  );
});

test('P-12 so are those of one that no preset runs, where nothing is listed: in the file, and in a session under it', () => {
  const plugins = { 'nexus.discovery.progressive': { scope: 'turn' }, compaction: { persist: false } };
  const paths = (r: LoadResult) => r.notices.map((n) => n.path);
  assert.deepEqual(paths(load({ plugins })), ['plugins.nexus.discovery.progressive']);
  assert.deepEqual(paths(load({ plugins: { topic_pruner: { mode: 'seed' } } })), []);
  const daemon = load({ plugins: { active: ['nexus.discovery.progressive'] } });
  assert.ok(daemon.ok);
  const under = [daemon.layer];
  assert.deepEqual(paths(load({ plugins }, { under, scope: 'session' })), ['plugins.compaction']);
  assert.deepEqual(paths(load({ plugins }, { scope: 'session' })), ['plugins.nexus.discovery.progressive']);
});

test('L4-7 an unreadable prompt file stops the start; a readable one wins over the prompt', () => {
  const readFile = (path: string) => {
    if (path !== 'ok.txt') throw new Error('no such file');
    return 'from the file';
  };
  const text = (f: string) => `plugins: {summary_buffer: {prompt: inline, prompt_file: ${f}}}`;
  assert.equal(good(text('ok.txt'), { readFile }).plugins.summaryBuffer.prompt, 'from the file');
  assert.deepEqual(faults(text('gone.txt'), { readFile }), [
    'plugins.summary_buffer.prompt_file|1|"gone.txt" cannot be read: no such file',
  ]);
  // A client may not make the daemon read files.
  assert.equal(faults({ plugins: { summary_buffer: { prompt_file: '/etc/passwd' } } }).length, 1);
});

test('J-15 inputs, turns, decisions and requests cannot be excluded from the journal', () => {
  const bad = [
    'io.input',
    'agent.turn.end',
    'memory.curated',
    'llm.request',
    'memory.*',
    '*',
    'agent.*',
    'i*',
  ];
  for (const name of bad) {
    assert.equal(faults({ journal: { exclude_events: [name] } }).length, 1, name);
  }
  assert.deepEqual(
    good({ journal: { exclude_events: ['core.tick', 'io.status', 'core.*'] } }).journal.excludeEvents,
    ['core.tick', 'io.status', 'core.*'],
  );
  assert.equal(good({ journal: { retain_days: -1 } }).journal.retainDays, -1);
});

test('P-12 YAML 1.1 and 1.2 spellings of on and off mean the same', () => {
  for (const off of ['off', '"off"', 'false']) {
    const s = good(`curated: {cost_rule: ${off}, preset: ${off}, dedup: ${off}}`);
    assert.equal(s.curated.costRule, 'off');
    assert.equal(s.mode, 'off');
    assert.equal(s.curated.dedup, false);
  }
  assert.equal(good({ curated: { cost_rule: true, dedup: 'on' } }).curated.costRule, 'on');
});

test('F37 all faults become one CONFIG error with origin, line and path', () => {
  const r = load('journal:\n  fsync: maybe\n  retain_days: x\n');
  assert.ok(!r.ok);
  const e = configError(r.errors, ORIGIN);
  assert.equal(e.kind, 'CONFIG');
  assert.equal(e.path, '/journal/fsync');
  const { errors } = e.detail as { errors: object[] };
  assert.deepEqual(
    errors.map((x) => ({ ...x, text: '' })),
    [
      { path: '/journal/fsync', key: 'journal.fsync', line: 2, text: '' },
      { path: '/journal/retain_days', key: 'journal.retain_days', line: 3, text: '' },
    ],
  );
  // A plugin's id has points of its own: only a pointer says where it ends.
  const wrong = load({ plugins: { 'nexus.memory.capped': { max_tokenz: 1 } } });
  assert.ok(!wrong.ok);
  const { path } = configError(wrong.errors, ORIGIN, '/config');
  assert.equal(path, '/config/plugins/nexus.memory.capped/max_tokenz');
  assert.match(
    e.message,
    /^config\.yaml:2: journal\.fsync: .*\nconfig\.yaml:3: journal\.retain_days: "x" is not an integer$/,
  );
  assert.equal(faultText({ path: '', text: 'no' }, ORIGIN), 'config.yaml: no');
});

test('a session may not name the server and the variable that a summary and its key come from', () => {
  const source = {
    curated: { summarizer: { kind: 'http', url: 'http://a/v1', model: 'm', key_env: 'SECRET' } },
  };
  const own = loadSettings(source, { origin: 'daemon' });
  assert.ok(own.ok);
  assert.equal(own.settings.curated.summarizer.url, 'http://a/v1');
  const asked = { curated: { summarizer: { url: 'http://b/v1', key_env: 'OTHER', model: 'n' } } };
  const session = loadSettings(asked, { origin: 'session', scope: 'session', under: [own.layer] });
  assert.ok(session.ok);
  const { url, keyEnv, model } = session.settings.curated.summarizer;
  assert.deepEqual([url, keyEnv, model], ['http://a/v1', 'SECRET', 'n']);
  assert.deepEqual(session.notices.map((n) => n.path).sort(), [
    'curated.summarizer.key_env',
    'curated.summarizer.url',
  ]);
});
