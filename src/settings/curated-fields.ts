// Every key of the blocks `curated` (PROTOCOL 3) and `journal` (REQUIREMENTS 11) with default, range and meaning. Data.

import { LIMITS, type LimitRow } from '../config.js';
import { type RedactionRule, ruleFault } from '../redaction/rule.js';
import {
  block,
  bool,
  duration,
  type Field,
  float,
  int,
  isMap,
  items,
  type KeyPath,
  list,
  oneOf,
  type ReadContext,
  type Shape,
  shown,
  string,
  table,
} from './fields.js';
import { MOST_LOSS } from './most-loss.js';
import { nearest } from './nearest.js';
import { PRICES } from './price-field.js';
import {
  type CuratedSettings,
  type EncryptSettings,
  type JournalSettings,
  type KeepSettings,
  type ModelWindow,
  PRESET_NAMES,
  type TargetSettings,
  type TriggerSettings,
} from './types.js';

const tokens = (text: string, fallback?: number) =>
  int({ min: 0, unit: 'tokens', text, ...(fallback === undefined ? {} : { fallback }) });

const fraction = (text: string) => float({ min: 0, max: 1, text });

const TRIGGER: Shape<TriggerSettings> = {
  tokens: tokens('the view has at least so many'),
  fraction: fraction("the view fills at least this share of the model's window"),
  turns: int({ min: 0, unit: 'turns', text: 'at least so many final turns since the last edit' }),
  calls: int({ min: 0, unit: 'calls', text: 'at least so many tool calls since the last edit' }),
};

const TARGET: Shape<TargetSettings> = {
  tokens: tokens('size to clear down to'),
  fraction: fraction("the same, as a share of the model's window"),
};

const KEEP: Shape<KeepSettings> = {
  toolUses: int({ min: 0, unit: 'results', text: 'the newest tool results' }),
  turns: int({ min: 0, unit: 'turns', text: 'results of the newest turns' }),
  messages: int({ min: 0, unit: 'messages', text: 'the newest messages' }),
  tokens: tokens('the newest tokens'),
  thinkingTurns: int({ min: 0, unit: 'turns', text: 'thinking of the newest turns' }),
  firstMessages: int({
    min: 0,
    unit: 'messages',
    text: 'the first messages behind the system prompt: their results, and no summary takes them in',
  }),
};

const clearToolInputs: Field<boolean | readonly string[]> = {
  type: 'bool or list of tool names',
  fallback: false,
  text: 'clear the arguments of cleared calls too',
  read(v, path, context) {
    if (typeof v === 'boolean') return v;
    if (v === 'on' || v === 'off') return v === 'on';
    if (Array.isArray(v) && v.every((x) => typeof x === 'string')) return v;
    context.fault(path, `${shown(v)} is neither a boolean nor a list of tool names`);
    return undefined;
  },
  write: (v) => (typeof v === 'boolean' ? v : [...v]),
};

function oneCondition(item: object, path: KeyPath, context: ReadContext): void {
  if (Object.keys(item).length === 0) {
    context.fault(path, 'a trigger needs at least one of tokens, fraction, turns, calls');
  }
}

/** Unset by default, so that it stands in no session's configuration where nobody set it. */
const projectRoots: Field<readonly string[]> = {
  ...list<string>({
    fallback: [],
    text: "folders that tokens without the scope admin may have read as projects, with all below them; not in a session's config",
    item: (folder, path, context) => {
      if (folder.startsWith('/') || folder.startsWith('~/')) return folder;
      context.fault(path, `${shown(folder)} is no absolute path: it begins with / or ~/`);
      return '';
    },
  }),
  fallback: undefined,
};

const MODEL: Shape<ModelWindow> = {
  contextWindow: int({ min: 1024, unit: 'tokens', text: 'window of the models with this prefix' }),
  maxOutputTokens: int({ min: 1, unit: 'tokens', text: 'their largest answer' }),
};

const LIMIT_ROWS: Readonly<Record<string, LimitRow>> = LIMITS;

const limitOverrides: Field<Readonly<Record<string, number>>> = {
  type: 'map of limit -> int',
  fallback: {},
  text: "the daemon's limits by name; not in a session's config",
  read(v, path, context) {
    if (!isMap(v)) {
      context.fault(path, `${shown(v)} is not a map of limits`);
      return undefined;
    }
    const out: Record<string, number> = {};
    for (const [name, value] of Object.entries(v)) {
      const row = Object.hasOwn(LIMIT_ROWS, name) ? LIMIT_ROWS[name] : undefined;
      if (row === undefined) {
        const near = nearest(name, Object.keys(LIMIT_ROWS));
        context.fault([...path, name], `unknown limit; the nearest valid one is ${near}`);
        continue;
      }
      const read = int({ min: row.min, max: row.max, text: '' }).read(value, [...path, name], context);
      if (read !== undefined) out[name] = read;
    }
    return out;
  },
  write: (v) => ({ ...v }),
};

export const CURATED_FIELDS: Shape<CuratedSettings> = {
  preset: oneOf(PRESET_NAMES, 'conservative', 'what applies below this file'),
  boundary: oneOf(
    ['turn', 'round'],
    'turn',
    'when history may be edited: at final turn ends, or after each round',
  ),
  costRule: oneOf(['on', 'off'], 'on', 'on: an edit behind the known prefix is made only when it pays'),
  mostLoss: float({
    fallback: MOST_LOSS,
    min: 0,
    max: 1,
    text: 'share of what a session would cost uncurated that an edit may lose if the session ends right after it',
  }),
  trigger: items(
    TRIGGER,
    'when to consider an edit; all of an item must hold, any item suffices',
    oneCondition,
  ),
  target: block(TARGET, 'how far an edit goes; unset: as far as it pays'),
  clearAtLeast: tokens('an edit that frees less is not made', 0),
  keep: block(KEEP, 'what the newest part of the conversation keeps'),
  excludeTools: list({ fallback: [], text: 'tools whose results are never cleared' }),
  onlyTools: list({ text: 'only results of these tools may be cleared; unset: of all' }),
  clearToolInputs,
  maxInputChars: int({ min: 1, unit: 'characters', text: 'longer call arguments may be shortened' }),
  dedup: bool(false, 'a result equal to a visible one becomes a pointer to it'),
  supersede: bool(false, 'a read that a later read or write of the same range outdates may be cleared'),
  images: oneOf(['keep', 'clear'], 'keep', 'old images outside of results'),
  shape: block<CuratedSettings['shape']>(
    {
      enabled: bool(false, 'shorten big results before they are first sent'),
      maxTokens: int({ fallback: 2000, min: 16, unit: 'tokens', text: 'what is left of a result at most' }),
    },
    'shaping of new results; every removed byte has a handle',
  ),
  prices: PRICES,
  holdout: float({
    fallback: 0,
    min: 0,
    max: 1,
    text: 'share of sessions that stay uncurated, to compare with',
  }),
  observe: bool(false, 'change nothing, and tell what would have been done'),
  durable: block<CuratedSettings['durable']>(
    {
      maxTokens: int({
        fallback: 2000,
        min: 1,
        unit: 'tokens',
        text: 'size of the durable block; the oldest decisions go first',
      }),
    },
    'durable state',
  ),
  summary: block<CuratedSettings['summary']>(
    {
      maxTokens: int({
        min: 100,
        unit: 'tokens',
        text: 'all summary text in the request, headings and verbatim user words included; unset: by the window',
      }),
    },
    'summaries in the request',
  ),
  context: block<CuratedSettings['context']>(
    {
      format: oneOf(['map', 'heading'], 'map', 'form of the topic map'),
      maxTokens: int({ fallback: 900, min: 1, unit: 'tokens', text: 'size of the session-start packet' }),
      staleDays: int({ fallback: 7, min: 0, unit: 'days', text: 'an older map says so' }),
      onMention: bool(false, 'llm.prepare tells what is known of topics that the input names'),
      roots: projectRoots,
    },
    'the packet at session start',
  ),
  breakpoints: oneOf(['keep', 'auto'], 'keep', "cache marks: the client's own, or set by us"),
  cacheTtl: duration(undefined, 'life of a cached prefix; unset: by provider'),
  alternation: oneOf(
    ['none', 'strict', 'template'],
    undefined,
    "role order of the model's template; unset: by model",
  ),
  singleSystem: bool(undefined, 'the template takes one system message; unset: by model'),
  fixedOverheadTokens: tokens('what the host adds to each request out of our sight', 0),
  clearErrorsAfterTurns: int({
    min: 0,
    unit: 'turns',
    text: 'older error results may be cleared; unset: never',
  }),
  summarizer: block<CuratedSettings['summarizer']>(
    {
      kind: oneOf(
        ['auto', 'client', 'http', 'extractive'],
        'auto',
        'who writes summaries; auto: client, else http if url is set, else extractive',
      ),
      url: string(undefined, 'base URL for http'),
      model: string(undefined, 'model for http'),
      api: oneOf(['anthropic', 'openai-chat'], 'openai-chat', 'format for http'),
      keyEnv: string(undefined, 'name of the environment variable that holds the key for http'),
    },
    'who writes summaries',
  ),
  embedder: block<CuratedSettings['embedder']>(
    {
      kind: oneOf(
        ['auto', 'client', 'http', 'local', 'builtin', 'off'],
        'auto',
        'who embeds; auto: the client where it can, else http if url is set, else the built-in features; local: an encoder beside curated (doc/topics.md)',
      ),
      url: string(
        undefined,
        "base URL of /v1/embeddings for http; not in a session's config, as the next three",
      ),
      model: string(undefined, 'model for http'),
      dimensions: int({ min: 1, text: 'of its vectors; unset: as the model has them' }),
      keyEnv: string(
        undefined,
        'name of the environment variable that holds the key for http, or with _FILE its file',
      ),
    },
    'who embeds',
  ),
  native: block<CuratedSettings['native']>(
    {
      anthropic: list({
        fallback: [],
        values: ['clear_tool_uses_20250919', 'clear_thinking_20251015', 'compact_20260112', 'tool_changes'],
        text: "edits left to Anthropic's API",
      }),
      openaiResponses: list({
        fallback: [],
        values: ['truncation', 'compaction'],
        text: "edits left to OpenAI's Responses API",
      }),
    },
    'provider-native edits, opt-in',
  ),
  listen: block<CuratedSettings['listen']>(
    {
      port: int({
        fallback: 7477,
        min: 0,
        max: 65_535,
        text: 'TCP port on 127.0.0.1; 0: any free one',
      }),
      socket: string(undefined, 'path of the unix socket; unset: in the run folder'),
      allowOrigins: list({
        fallback: [],
        text: 'web origins that may connect, exactly as browsers send them',
      }),
    },
    "where the daemon listens; not in a session's config",
  ),
  limits: limitOverrides,
  models: table(MODEL, 'windows by model prefix, before the built-in table'),
};

/** J-15: without these there is no replay. */
const RECORDED =
  /^(io\.input|tool\.(invoke|result)|agent\.turn\.(start|end)|llm\.(request|response|error)|before:llm\.request)$|^(memory|durable|session|hitl|gate)\./;
const RECORDED_NAMES = [
  'io.input',
  'tool.invoke',
  'tool.result',
  'agent.turn.',
  'llm.',
  'memory.',
  'durable.',
];

function excludable(name: string, path: KeyPath, context: ReadContext): string {
  const prefix = name.endsWith('*') ? name.slice(0, -1) : undefined;
  const taken =
    prefix === undefined
      ? RECORDED.test(name)
      : RECORDED.test(`${prefix}x`) ||
        RECORDED_NAMES.some((r) => r.startsWith(prefix) || prefix.startsWith(r));
  if (taken) {
    context.fault(
      path,
      `${shown(name)} cannot be excluded: inputs, turn starts and ends, decisions and requests are the journal`,
    );
  }
  return name;
}

const REDACT: Shape<RedactionRule> = {
  name: string(undefined, 'told in place of what was taken out'),
  pattern: string(undefined, 'RE2 syntax; linear on every text'),
  replacement: string(undefined, '$1 .. $9: groups of the pattern; unset: [redacted:NAME]'),
};

const redactRules = items(
  REDACT,
  'taken out of what agents send before anything is stored: the session holds the redacted text',
  (rule, path, context) => {
    const { name, pattern, replacement } = rule;
    if (name === undefined || pattern === undefined) {
      context.fault(path, 'a rule needs a name and a pattern');
      return;
    }
    const fault = ruleFault({ name, pattern, ...(replacement === undefined ? {} : { replacement }) });
    if (fault !== undefined) context.fault([...path, fault.key], `${shown(rule[fault.key])} ${fault.text}`);
  },
);

const ENCRYPT: Shape<EncryptSettings> = {
  keyFile: string(undefined, 'file with the key, mode 0600'),
  keyEnv: string(undefined, 'name of the environment variable that holds the key'),
};

export const JOURNAL_FIELDS: Shape<JournalSettings> = {
  fsync: oneOf(
    ['turn-boundary', 'every-event', 'none'],
    'turn-boundary',
    'when answers wait for the disk itself, not only for the operating system',
  ),
  retainDays: int({
    fallback: 30,
    unit: 'days',
    text: 'older journals are removed, at start and every 6 hours; 0 or less: never',
  }),
  rotateSizeMb: int({ fallback: 4, min: 1, unit: 'MiB', text: 'for a store with segments' }),
  excludeEvents: list<string>({
    fallback: ['core.tick'],
    text: 'events that are not recorded',
    item: excludable,
  }),
  redact: redactRules,
  encrypt: block(ENCRYPT, 'values sealed at rest: 32 bytes in hex or base64, from a file or the environment'),
};
