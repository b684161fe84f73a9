// Maps a case's config hints to what the product offers: params of session.open and its config in the YAML shape.
import { type Case, isObj, num, type Obj, ruleFormat, scriptOf, strings } from '../types.js';

const CLEAR = 'nexus.memory.tool_result_clear';
const PRUNE = 'nexus.memory.tool_def_pruner';
const TOPIC = 'nexus.memory.topic_pruner';
const COMPACT = 'nexus.memory.compaction';
const GATE = 'nexus.gate.context_window';
const BUFFER = 'nexus.memory.summary_buffer';

const STACK = [CLEAR, PRUNE, TOPIC, BUFFER, COMPACT, GATE];

/** The plugins that a layer name stands for; thinking_clear and shrink are rules of the `curated` block. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  tool_result_clear: [CLEAR],
  tool_def_pruner: [PRUNE],
  topic_pruner: [TOPIC],
  thinking_clear: [],
  compaction: [COMPACT],
  window: [COMPACT],
  shrink: [],
  error_purge: [CLEAR],
  validate: [],
  count: [],
  noop: [],
  ingest: [],
};

const PASSIVE = new Set(['validate', 'count', 'noop', 'ingest']);
const WINDOWED = new Set(['compaction', 'window']);

export function layerOf(config: Obj): string | undefined {
  return typeof config['layer'] === 'string' ? config['layer'] : undefined;
}

/** Does the case's layer make summaries on its own trigger? */
export function makesWindow(config: Obj): boolean {
  return WINDOWED.has(layerOf(config) ?? '');
}

function activePlugins(c: Case, config: Obj): string[] {
  const layer = layerOf(config);
  const active = new Set(layer === undefined || layer === 'all' ? STACK : (LAYERS[layer] ?? STACK));
  if (config['tool_def_pruning'] === true) active.add(PRUNE);
  if (scriptOf(c).some((s) => s['force'] === 'compaction')) active.add(COMPACT);
  return [...active];
}

function defined(o: Obj): Obj {
  return Object.fromEntries(Object.entries(o).filter(([, v]) => v !== undefined));
}

function keepOf(config: Obj): Obj | undefined {
  const keep = config['keep'];
  if (!isObj(keep)) return undefined;
  const out = defined({
    tool_uses: keep['tool_uses'],
    turns: keep['turns'],
    messages: keep['messages'] ?? keep['items'],
    tokens: keep['tokens'],
    thinking_turns: keep['thinking_turns'],
    first_messages: keep['first_messages'],
  });
  return Object.keys(out).length === 0 ? undefined : out;
}

/** The configured trigger in tokens, 0 when the case says nothing (the trigger counts as met). */
export function triggerTokens(config: Obj, window: number | undefined): number | undefined {
  const trigger = config['trigger'];
  if (!isObj(trigger)) return 0;
  const tokens = num(trigger['tokens']);
  if (tokens !== undefined) return tokens;
  const fraction = num(trigger['fraction']);
  return fraction === undefined || window === undefined ? undefined : Math.floor(fraction * window);
}

function curatedBlock(config: Obj): Obj {
  const layer = layerOf(config);
  const passive = PASSIVE.has(layer ?? '');
  const cache = config['cache'];
  const ttl = isObj(cache) ? num(cache['ttl_sec']) : undefined;
  const trigger = isObj(config['trigger']) ? config['trigger'] : { tokens: 0 };
  const shrink = num(config['max_block_tokens']);
  return defined({
    boundary: 'round',
    // Without a stated cache the case does not ask whether an edit pays.
    cost_rule: ttl === undefined ? 'off' : 'on',
    cache_ttl: ttl === undefined ? undefined : `${ttl}s`,
    trigger: passive ? undefined : [trigger],
    target: config['target'],
    clear_at_least: config['clear_at_least'],
    keep: keepOf(config),
    exclude_tools: config['exclude_tools'],
    clear_tool_inputs: layer === 'error_purge' ? true : config['clear_tool_inputs'],
    max_input_chars: config['max_input_chars'],
    dedup: config['dedup'],
    supersede: config['supersede'],
    images: config['images'],
    shape: shrink === undefined ? undefined : { enabled: true, max_tokens: shrink },
    alternation: config['alternation'],
    single_system: config['single_system'],
    fixed_overhead_tokens: config['fixed_overhead_tokens'],
    clear_errors_after_turns: config['after_turns'],
    summary:
      num(config['max_summary_tokens']) === undefined
        ? undefined
        : { max_tokens: Math.max(100, num(config['max_summary_tokens'])!) },
  });
}

function pluginBlocks(config: Obj, active: readonly string[], window: number | undefined): Obj {
  const keep = isObj(config['keep']) ? config['keep'] : {};
  const out: Obj = {};
  // In the cases only trigger and keep say when a result may go, never its age or size.
  if (active.includes(CLEAR)) out[CLEAR] = { age_turns: 0, size_bytes_threshold: 0 };
  if (active.includes(PRUNE)) out[PRUNE] = defined({ unused_turns_threshold: num(config['idle_turns']) });
  if (active.includes(TOPIC)) out[TOPIC] = defined({ similarity_threshold: num(config['similarity']) });
  if (active.includes(COMPACT)) {
    out[COMPACT] = defined({
      protect_recent: num(keep['messages']) ?? num(keep['items']),
      ...(makesWindow(config)
        ? { strategy: 'token_estimate', token_threshold: Math.max(1, triggerTokens(config, window) ?? 1) }
        : {}),
    });
  }
  return out;
}

/** `config` of session.open. */
export function productConfig(c: Case, config: Obj): Obj {
  const active = activePlugins(c, config);
  const blocks = pluginBlocks(config, active, num(config['window']));
  return { plugins: { active, ...blocks }, curated: curatedBlock(config) };
}

const FORMATS = {
  anthropic: 'anthropic',
  openai: 'openai-chat',
  'openai-responses': 'openai-responses',
} as const;
const MODELS = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-4o', 'openai-responses': 'gpt-5.4' } as const;

/** Params of session.open, `session` aside. */
export function openParams(c: Case, config: Obj): Obj {
  const format = ruleFormat(c);
  return defined({
    format: FORMATS[format],
    model: strings(config['model_history']).at(-1) ?? MODELS[format],
    context_window: num(config['window']),
    max_output_tokens: num(config['max_output']),
    system: c.request['system'],
    tools: c.request['tools'],
    config: productConfig(c, config),
  });
}
