// The report of `curated whatif` as people read it: what was used, what each preset would have made of it, where it went.
import { promptOf, WHATIF_PRESETS, type WhatIfReport } from '../eval/whatif/index.js';
import { paint } from './paint.js';
import { bytes, counted, gain, money, pricesOf, short, table, whole } from './table.js';

/** Tools that are shown; --json has all. */
const TOOLS = 8;
const KINDS: Readonly<Record<string, string>> = {
  tool_result: 'tool results',
  tool_call: 'tool calls',
  text_user: "users' text",
  text_assistant: 'answers',
  text_system: 'system messages',
  text_tool: 'other tool text',
  thinking: 'thinking',
  system: 'system prompt',
  tools: 'tool definitions',
  image: 'images',
  document: 'documents',
  opaque: 'other',
};
const BREAKS = {
  idle: 'pauses longer than the cache lives',
  model: 'changes of the model',
  prefix: 'changed history, prompt or tools',
} as const;

export function whatIfTable(r: WhatIfReport): string {
  const t = r.totals;
  return [
    `${counted(r.sessions, 'session')}, ${counted(r.requests, 'request')} in ${counted(r.files, 'file')} (${bytes(r.bytes)}); ${whole(r.skipped)} of ${whole(r.lines)} lines skipped\n`,
    `input ${short(t.input)}, cache read ${short(t.cache_read)}, cache write ${short(t.cache_write)}, output ${short(t.output)} tokens; cost ${money(r.cost)}\n\n`,
    presets(r),
    ...notes(r),
    r.requests === 0 ? '' : `\n${kinds(r)}`,
    r.tools.length === 0 ? '' : `\n${tools(r)}`,
    breaks(r),
  ].join('');
}

function presets(r: WhatIfReport): string {
  return table(
    [
      { title: 'preset' },
      { title: 'prompt', right: true },
      { title: '', right: true },
      { title: 'cache read', right: true },
      { title: 'cache write', right: true },
      { title: 'cost', right: true },
      { title: 'saved', right: true },
      { title: '', right: true },
      { title: 'names kept', right: true },
      { title: 'cleared', right: true },
      { title: 'breaks', right: true },
      { title: 'of it rewriting', right: true },
    ],
    WHATIF_PRESETS.map((name) => {
      const p = r.presets[name];
      const prompt = promptOf(p);
      const off = promptOf(r.presets.off);
      const isOff = name === 'off';
      return [
        name,
        short(prompt),
        isOff || off === 0 ? '' : gain(1 - prompt / off),
        short(p.cache_read),
        short(p.cache_write),
        money(p.cost),
        isOff ? '' : money(p.saved),
        isOff || p.saved_share === null ? '' : gain(p.saved_share),
        p.names.needed === 0 ? '-' : `${((100 * p.names.kept) / p.names.needed).toFixed(1)} %`,
        whole(p.cleared),
        whole(p.cache_breaks),
        isOff ? '' : money(p.rewrite_cost),
      ];
    }),
  );
}

function notes(r: WhatIfReport): string[] {
  const out: string[] = [];
  if (r.played.requests < r.requests) {
    const ranges = WHATIF_PRESETS.flatMap((name) => {
      const i = r.presets[name].saved_interval;
      return i === null ? [] : [`${name} ${(100 * i.low).toFixed(1)} to ${(100 * i.high).toFixed(1)} %`];
    });
    out.push(
      `the presets were played on ${whole(r.played.requests)} of ${whole(r.requests)} requests, in ${whole(r.played.sessions)} of ${whole(r.sessions)} sessions that were drawn; the table is of those, all else of all; --sample 1 plays all`,
      ranges.length === 0
        ? 'too few sessions to say how far off that may be'
        : `saved, 95 %: ${ranges.join(', ')}`,
    );
  }
  if (r.counted_requests > 0)
    out.push(
      `${counted(r.counted_requests, 'request')} without a report of usage: counted, with a cache as the provider's rules say`,
    );
  if (r.unpriced_requests > 0)
    out.push(
      `${counted(r.unpriced_requests, 'request')} without a known price, not in the money: ${r.unpriced_models.map((m) => m || 'no model named').join(', ')}`,
    );
  for (const name of WHATIF_PRESETS)
    if (r.presets[name].refused > 0)
      out.push(`${name}: ${counted(r.presets[name].refused, 'request')} would not have fitted the window`);
  out.push(
    `cost in USD, ${pricesOf()}; what the agent would have done otherwise, such as reading again, is not in it`,
    'names kept: identifiers that a later call used, that only tool results had told, and that were still there then',
  );
  return out.map((line) => `${paint.yellow('note')} ${line}\n`);
}

function kinds(r: WhatIfReport): string {
  const all = Object.values(r.kinds).reduce((a, b) => a + b, 0);
  return table(
    [{ title: 'where prompts went' }, { title: 'tokens', right: true }, { title: 'share', right: true }],
    Object.entries(r.kinds).map(([kind, tokens]) => [
      KINDS[kind] ?? kind,
      short(tokens),
      `${((100 * tokens) / all).toFixed(1)} %`,
    ]),
  );
}

function tools(r: WhatIfReport): string {
  return table(
    [
      { title: 'results of' },
      { title: 'results', right: true },
      { title: 'tokens', right: true },
      { title: 'over all requests', right: true },
      { title: 'read again', right: true },
      { title: 'tokens', right: true },
    ],
    r.tools
      .slice(0, TOOLS)
      .map((t) => [
        t.tool || '(unknown)',
        whole(t.results),
        short(t.tokens),
        short(t.carried),
        whole(t.reread.results),
        short(t.reread.tokens),
      ]),
  );
}

function breaks(r: WhatIfReport): string {
  const rows = (Object.keys(BREAKS) as (keyof typeof BREAKS)[])
    .filter((why) => r.breaks[why].times > 0)
    .map((why) => {
      const b = r.breaks[why];
      return [BREAKS[why], whole(b.times), short(b.tokens), money(b.cost)];
    });
  if (rows.length === 0) return '';
  const columns = [
    { title: 'what broke the cache' },
    { title: 'times', right: true },
    { title: 'tokens paid again', right: true },
    { title: 'cost', right: true },
  ];
  return `\n${table(columns, rows)}`;
}
