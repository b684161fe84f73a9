// Every default of the configuration, pinned. Changing one needs a comparison of both values in the same change (E-6).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describe, PLUGIN_IDS, type PRESETS, resolveSettings } from '../../src/settings/index.js';

const PHRASES = [
  'different question',
  'different topic',
  'new topic',
  'new question',
  "let's move on",
  'moving on',
  'change of subject',
  'switching gears',
  'unrelated:',
  'separately,',
  'on a different note',
];

const SUMMARY = {
  strategy: 'message_count',
  messageThreshold: 50,
  tokenThreshold: 30000,
  turnThreshold: 10,
  charsPerToken: 4,
  modelRole: 'quick',
};

test('E-6 the defaults of the eight plugins are those of the requirements', () => {
  assert.deepEqual(resolveSettings().plugins, {
    toolResultClear: {
      enabled: true,
      ageTurns: 5,
      sizeBytesThreshold: 1000,
      preserveRecentKinds: ['error', 'user_question'],
      dropStrategy: 'replace_with_envelope',
      askUserTools: ['ask_user'],
      subsequentCallExempt: [],
      extraReasons: [],
    },
    toolDefPruner: { enabled: true, unusedTurnsThreshold: 6, neverPrune: ['discover', 'ask_user'] },
    topicPruner: {
      enabled: true,
      similarityThreshold: 0.55,
      keepLastTopicFull: true,
      explicitPhrases: PHRASES,
      leadAnchor: 'strict',
      match: 'word',
      embedMaxTokens: 512,
      embedDeadlineMs: 500,
      mode: 'model',
      sensitivity: 'balanced',
      phrasePacks: true,
    },
    summaryBuffer: {
      ...SUMMARY,
      maxRecent: 8,
      qualityRetry: false,
      requirePreservedKinds: ['decision', 'rationale'],
      requireOverBudget: true,
      timeout: 60_000,
      attempts: 3,
    },
    compaction: {
      ...SUMMARY,
      protectRecent: 4,
      persist: true,
      requireApproval: { enabled: false, defaultChoice: 'reject', match: { sizeThresholdBytes: 0 } },
      mustPreserve: [],
    },
    capped: { maxMessages: 100, persist: true },
    contextWindow: {
      maxContextTokens: 100_000,
      triggerRatio: 0.85,
      charsPerToken: 4,
      mode: 'formula',
      deadline: 120_000,
      maxAttempts: 3,
      ratioGate: false,
    },
    progressive: {
      scope: 'session',
      idlePruneTurns: 5,
      classlessBehavior: 'include',
      alwaysInclude: [],
      defaultDepth: 'class',
    },
  });
});

test('E-6 the defaults of the journal', () => {
  assert.deepEqual(resolveSettings().journal, {
    fsync: 'turn-boundary',
    retainDays: 30,
    rotateSizeMb: 4,
    excludeEvents: ['core.tick'],
    redact: [],
    encrypt: {},
  });
});

test('E-6 the defaults of the block curated', () => {
  assert.deepEqual(resolveSettings().curated, {
    preset: 'conservative',
    boundary: 'turn',
    costRule: 'on',
    mostLoss: 0.06,
    trigger: [],
    clearAtLeast: 0,
    keep: {},
    excludeTools: [],
    clearToolInputs: false,
    dedup: false,
    supersede: false,
    images: 'keep',
    shape: { enabled: false, maxTokens: 2000 },
    prices: { own: {}, overrides: {} },
    holdout: 0,
    observe: false,
    durable: { maxTokens: 2000 },
    summary: {},
    context: { format: 'map', maxTokens: 900, staleDays: 7, onMention: false },
    breakpoints: 'keep',
    fixedOverheadTokens: 0,
    summarizer: { kind: 'auto', api: 'openai-chat' },
    embedder: { kind: 'auto' },
    native: { anthropic: [], openaiResponses: [] },
    listen: { port: 7477, allowOrigins: [] },
    limits: {},
    models: {},
  });
});

test('E-6 without a configuration the conservative stack runs', () => {
  const s = resolveSettings();
  assert.equal(s.mode, 'enforce');
  assert.deepEqual(
    [...s.active],
    [
      PLUGIN_IDS.toolResultClear,
      PLUGIN_IDS.toolDefPruner,
      PLUGIN_IDS.topicPruner,
      PLUGIN_IDS.summaryBuffer,
      PLUGIN_IDS.contextWindow,
    ],
  );
});

test('E-5 E-6 the aggressive preset has the six numbers of the requirements', () => {
  const s = resolveSettings([], 'aggressive');
  assert.equal(s.plugins.toolResultClear.ageTurns, 2);
  assert.equal(s.plugins.toolResultClear.sizeBytesThreshold, 400);
  assert.equal(s.plugins.toolDefPruner.unusedTurnsThreshold, 3);
  assert.equal(s.plugins.summaryBuffer.messageThreshold, 24);
  assert.equal(s.plugins.summaryBuffer.maxRecent, 4);
  assert.equal(s.plugins.contextWindow.triggerRatio, 0.6);
  assert.equal(s.plugins.contextWindow.ratioGate, true);
});

test('E-5 presets: boundaries, modes, and conservative is the defaults', () => {
  const of = (name: keyof typeof PRESETS) => resolveSettings([], name);
  assert.deepEqual(
    (['off', 'observe', 'conservative', 'balanced', 'aggressive'] as const).map((n) => [
      of(n).mode,
      of(n).curated.boundary,
      of(n).active.size,
    ]),
    [
      ['off', 'turn', 0],
      ['observe', 'turn', 5],
      ['enforce', 'turn', 5],
      ['enforce', 'round', 5],
      ['enforce', 'round', 5],
    ],
  );
  assert.deepEqual(of('conservative'), resolveSettings());
  assert.deepEqual(of('observe').plugins, resolveSettings().plugins);
});

test('E-6 every key has a meaning, and its default lies in its own range', () => {
  const rows = describe();
  assert.ok(rows.length > 100, String(rows.length));
  for (const row of rows) {
    assert.ok(row.text.length > 5, row.path);
    assert.match(row.path, /^(plugins\.nexus\.[a-z_.]+|journal\.[a-z_.]+|curated\.[a-z0-9_.]+)$/);
  }
  assert.equal(new Set(rows.map((r) => r.path)).size, rows.length);
  const gate = rows.find((r) => r.path === 'plugins.nexus.gate.context_window.trigger_ratio');
  assert.deepEqual(
    { default: gate?.default, range: gate?.range, type: gate?.type },
    { default: 0.85, range: 'in (0, 1)', type: 'float' },
  );
});
