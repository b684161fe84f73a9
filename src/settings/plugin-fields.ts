// Every key of our plugins' blocks with default, range and meaning (REQUIREMENTS 4 to 9 and 13). Data; test E-6 pins it.
import { block, bool, duration, float, int, list, oneOf, type Shape, string } from './fields.js';
import type {
  CappedSettings,
  CompactionSettings,
  ContextWindowSettings,
  ProgressiveSettings,
  SummaryBufferSettings,
  ToolDefPrunerSettings,
  ToolResultClearSettings,
  TopicPrunerSettings,
} from './types.js';

const TOOL_RESULT_CLEAR: Shape<ToolResultClearSettings> = {
  enabled: bool(true, 'off: no edit, no event, no tracking'),
  ageTurns: int({
    fallback: 5,
    min: 0,
    unit: 'turns',
    text: 'a result is old from this many final turns on',
  }),
  ageRounds: int({ min: 1, unit: 'rounds', text: 'a result is old from this many model rounds on as well' }),
  sizeBytesThreshold: int({
    fallback: 1000,
    min: 0,
    unit: 'bytes',
    text: 'smaller results are not cleared for age',
  }),
  preserveRecentKinds: list({
    fallback: ['error', 'user_question'],
    text: 'kinds that are never cleared; replaces the default, [] preserves nothing',
  }),
  dropStrategy: oneOf(
    ['replace_with_envelope', 'full_drop'],
    'replace_with_envelope',
    'keep a marker in place of the body, or remove call and result together where that is valid',
  ),
  askUserTools: list({ fallback: ['ask_user'], text: 'tools whose results have the kind user_question' }),
  subsequentCallExempt: list({
    fallback: [],
    text: 'tools whose results are not cleared for a later equal call',
  }),
  extraReasons: list({
    fallback: [],
    values: ['no_citation', 'synthesis_detected'],
    text: 'opt-in reasons to clear',
  }),
};

const TOOL_DEF_PRUNER: Shape<ToolDefPrunerSettings> = {
  enabled: bool(true, 'off: the tool list is left alone'),
  unusedTurnsThreshold: int({
    fallback: 6,
    min: 1,
    unit: 'turns',
    text: 'a definition unused for this many turns is pruned',
  }),
  neverPrune: list({
    fallback: ['discover', 'ask_user'],
    text: 'tools that always stay; replaces the default',
  }),
};

/** The seed's phrases, tried in this order. */
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
] as const;

const TOPIC_PRUNER: Shape<TopicPrunerSettings> = {
  enabled: bool(true, 'off: no topic is tracked'),
  similarityThreshold: float({
    fallback: 0.55,
    min: 0,
    max: 1,
    text: 'a cosine below it is a shift',
  }),
  keepLastTopicFull: bool(true, 'summaries take nothing of the current topic while the view fits without it'),
  explicitPhrases: list<string>({
    fallback: PHRASES,
    text: 'cues of a shift, in order; replaces the default; lower-cased, empty ones dropped',
    item: (v) => v.trim().toLowerCase(),
  }),
  leadAnchor: oneOf(
    ['strict', 'any'],
    'strict',
    'strict: only a phrase ending in : or , at the start is user_explicit',
  ),
  match: oneOf(['word', 'substring'], 'word', 'whole words, or plain containment'),
  embedMaxTokens: int({ fallback: 512, min: 1, unit: 'tokens', text: 'how much of an input is embedded' }),
  embedDeadlineMs: int({ fallback: 500, min: 1, unit: 'ms', text: 'a later vector does not count' }),
  mode: oneOf(
    ['model', 'seed'],
    'model',
    "model: a trained rule over words, decided again when the reply is known; seed: phrases and an embedder's centroid alone",
  ),
  sensitivity: oneOf(['balanced', 'precise'], 'balanced', 'precise: fewer shifts, nearly all of them right'),
  phrasePacks: bool(true, 'phrases of ten languages at the start of a sentence; not in mode seed'),
};

/** The keys that layers 4 and 5 share. */
const SUMMARY = {
  strategy: oneOf(
    ['message_count', 'token_estimate', 'turn_count'],
    'message_count',
    'what is measured against its threshold',
  ),
  messageThreshold: int({ fallback: 50, min: 1, unit: 'messages', text: 'for message_count' }),
  tokenThreshold: int({
    fallback: 30_000,
    min: 1,
    unit: 'tokens',
    text: 'for token_estimate, and the P-2 gate',
  }),
  turnThreshold: int({ fallback: 10, min: 1, unit: 'turns', text: 'for turn_count' }),
  charsPerToken: float({
    fallback: 4.0,
    min: 0,
    open: true,
    unit: 'characters',
    text: 'only for a model without tokenizer',
  }),
  modelRole: string('quick', 'role of the summarising model, passed to the client'),
  prompt: string(undefined, 'own instructions for the summariser'),
  promptFile: string(
    undefined,
    'file with them, from the folder of this one; wins over prompt; unreadable: no start',
  ),
};

const SUMMARY_BUFFER: Shape<SummaryBufferSettings> = {
  ...SUMMARY,
  maxRecent: int({ fallback: 8, min: 0, unit: 'messages', text: 'the newest ones stay verbatim' }),
  model: string(undefined, 'summarising model, passed to the client'),
  qualityRetry: bool(false, 'ask once more when a required kind is missing'),
  requirePreservedKinds: list({
    fallback: ['decision', 'rationale'],
    text: 'kinds that a summary must state for quality_retry',
  }),
  requireOverBudget: bool(true, 'run only while the view is over budget after layers 1 to 3'),
  timeout: duration('60s', 'of one summary call'),
  attempts: int({ fallback: 3, min: 1, unit: 'calls', text: 'tries before a cycle fails' }),
};

const COMPACTION: Shape<CompactionSettings> = {
  ...SUMMARY,
  protectRecent: int({ fallback: 4, min: 0, unit: 'messages', text: 'the newest ones stay verbatim' }),
  persist: bool(true, 'keep current.jsonl and the archive beside the journal'),
  requireApproval: block<CompactionSettings['requireApproval']>(
    {
      enabled: bool(false, 'a summary waits for approval.respond'),
      defaultChoice: string('reject', 'taken when nobody answers in time'),
      timeout: duration(undefined, "how long to wait; unset: the gate's deadline"),
      match: block<CompactionSettings['requireApproval']['match']>(
        {
          sizeThresholdBytes: int({
            fallback: 0,
            min: 0,
            unit: 'bytes',
            text: 'smaller summaries need no approval',
          }),
        },
        'which summaries wait',
      ),
    },
    'approval of summaries by a person',
  ),
  mustPreserve: list({ fallback: [], text: 'texts that every summary must keep' }),
};

const CAPPED: Shape<CappedSettings> = {
  maxMessages: int({ fallback: 100, min: 1, unit: 'messages', text: 'the view keeps the newest ones' }),
  persist: bool(true, 'keep context/conversation.jsonl'),
};

const CONTEXT_WINDOW: Shape<Omit<ContextWindowSettings, 'ratioGate'>> = {
  maxContextTokens: int({
    fallback: 100_000,
    min: 1,
    unit: 'tokens',
    text: 'for the ratio gate; setting it turns the gate on',
  }),
  triggerRatio: float({
    fallback: 0.85,
    min: 0,
    max: 1,
    open: true,
    text: 'for the ratio gate; setting it turns the gate on',
  }),
  charsPerToken: SUMMARY.charsPerToken,
  mode: oneOf(['formula', 'ratio'], 'formula', "by the model's window and output reserve, or by the ratio"),
  deadline: duration('120s', 'every held request ends within it'),
  maxAttempts: int({ fallback: 3, min: 1, unit: 'cycles', text: 'ever deeper tries to make a request fit' }),
};

const PROGRESSIVE: Shape<ProgressiveSettings> = {
  scope: oneOf(['session', 'turn', 'hybrid'], 'session', 'how long a revealed class stays'),
  idlePruneTurns: int({
    fallback: 5,
    min: 0,
    unit: 'turns',
    text: 'hybrid: idle classes are hidden after it',
  }),
  classlessBehavior: oneOf(['include', 'exclude'], 'include', 'tools without a class'),
  alwaysInclude: list({ fallback: [], text: 'classes or tools that are always listed' }),
  defaultDepth: oneOf(['class', 'full'], 'class', 'full: every tool is listed'),
};

export const PLUGIN_FIELDS = {
  toolResultClear: TOOL_RESULT_CLEAR,
  toolDefPruner: TOOL_DEF_PRUNER,
  topicPruner: TOPIC_PRUNER,
  summaryBuffer: SUMMARY_BUFFER,
  compaction: COMPACTION,
  capped: CAPPED,
  contextWindow: CONTEXT_WINDOW,
  progressive: PROGRESSIVE,
} as const;
