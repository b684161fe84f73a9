// A history that arrives piece by piece, broken in any way: what goes out at each step is a request that the provider takes, what
// was sent stays, and no user is left with a session that can never send again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isEffortOnly } from '../../src/providers/anthropic/check.js';
import { type ProfileOverrides, profileOf } from '../../src/providers/profile.js';
import { isOfRepair } from '../../src/providers/repair/draft.js';
import { isPlain } from '../../src/providers/repair/template.js';
import { applyDocEdits, repair } from '../../src/providers/repair.js';
import { specOf } from '../../src/providers/spec.js';
import type { DocEdit, Format, HistoryMessage } from '../../src/providers/types.js';
import { historyOf, nativeOf, validateRequest } from '../../src/providers/validate.js';
import { checkRequest } from '../conformance/rules/check.js';
import {
  anthropicProfile,
  chatProfile,
  type RuleProfile,
  responsesProfile,
} from '../conformance/rules/profile.js';
import { type Msg, natives } from './kit.js';
import { looseMessages } from './loose-messages.js';

interface Case {
  format: Format;
  model: string;
  over?: ProfileOverrides;
  rules: RuleProfile;
}

const MISTRAL_IDS = /^[a-zA-Z0-9]{9}$/;
const CASES: readonly Case[] = [
  {
    format: 'anthropic',
    model: 'claude-sonnet-4-5',
    rules: anthropicProfile('claude-sonnet-4-5'),
  },
  { format: 'anthropic', model: 'claude-opus-4-8', rules: anthropicProfile('claude-opus-4-8') },
  { format: 'openai-chat', model: 'gpt-5.5', rules: chatProfile() },
  {
    format: 'openai-chat',
    model: 'gemma-3-9b',
    over: { plainContent: true, maxCalls: 2 },
    rules: chatProfile({ alternation: 'strict', singleSystem: true, plainContent: true, maxCalls: 2 }),
  },
  {
    format: 'openai-chat',
    model: 'mistral-7b-v0.3',
    rules: chatProfile({ alternation: 'template', singleSystem: true, ids: MISTRAL_IDS }),
  },
  { format: 'openai-responses', model: 'gpt-6', rules: responsesProfile(true) },
  {
    format: 'openai-responses',
    model: 'gpt-6',
    over: { store: false },
    rules: responsesProfile(false),
  },
];

const TOOLS = [{ name: 'read' }, { name: 'later', defer_loading: true }];
const DECLARED = new Set(['read', 'later']);
/** Pairs that neighbouring messages of one turn share, and a paused turn at the end: the checker of single requests knows neither. */
const OF_A_TURN = new Set(['PV-A34', 'PV-A15']);

/** Messages of one session as they come, with the repairs so far. */
class Arrivals {
  readonly #case: Case;
  readonly #all: HistoryMessage[];
  readonly #edits: DocEdit[] = [];
  #from = 0;
  #sent: string[] = [];

  constructor(c: Case, messages: readonly Msg[]) {
    this.#case = c;
    this.#all = historyOf(specOf(c.format), natives(messages));
  }

  /** A request with the first `stop` messages; one that cannot be mended is not sent, and all stays as it was. */
  prepare(stop: number, pending: ReadonlySet<string>): { broken: string[]; out: string[] } {
    const { format, model, over, rules } = this.#case;
    const spec = specOf(format);
    const profile = profileOf(format, model, over);
    const history = this.#all.slice(0, stop);
    const sent = this.#sent.map((t) => spec.read(nativeOf(t)));
    const repairs = repair(spec, history, this.#from, {
      pending,
      profile,
      closed: this.#closed(),
      sent: sent.slice(Math.max(0, sent.findLastIndex(isPlain) - 1)),
      ...(format === 'anthropic' ? { declared: DECLARED, endsInSystem: this.#endsInSystem() } : {}),
    });
    const edits = [...this.#edits, ...repairs.flatMap((r) => r.edits)];
    const out = applyDocEdits(
      history.map((m) => m.native),
      edits,
    );
    const tools = format === 'anthropic' ? { tools: TOOLS } : {};
    const found = validateRequest(spec, profile, { messages: out.map(nativeOf), ...tools });
    if (found.length > 0) return { broken: found.map((v) => `${v.rule} ${v.path} ${v.message}`), out };
    const list = out.map((t) => JSON.parse(t) as Msg);
    const request = format === 'openai-responses' ? { input: list } : { messages: list, ...tools };
    const refused = checkRequest(request, rules).filter((v) => !OF_A_TURN.has(v.rule));
    assert.deepEqual(refused, [], out.join('\n'));
    assert.deepEqual(out.slice(0, this.#sent.length), this.#sent, 'what was sent stays');
    this.#edits.splice(0, this.#edits.length, ...edits);
    this.#sent = out;
    this.#from = stop;
    return { broken: [], out };
  }

  #endsInSystem(): boolean {
    let first = this.#from;
    while (isEffortOnly(this.#all[first - 1]?.native.value)) first -= 1;
    return this.#edits.some(
      (e) =>
        e.op === 'insert' &&
        e.before >= first &&
        e.before <= this.#from &&
        isOfRepair(e.id) &&
        (JSON.parse(e.json) as Msg)['role'] === 'system',
    );
  }

  /** As the session tells it (src/session/mending/repair.ts). */
  #closed(): boolean {
    const { format } = this.#case;
    const isModels = (at: number) => this.#all[at]?.reading.role === 'assistant';
    for (let at = this.#from; ; at -= 1) {
      for (const e of this.#edits)
        if (e.op === 'insert' && e.before === at && isOfRepair(e.id) && answers(format, e.json)) return true;
      if (format !== 'openai-responses' || !isModels(at - 1)) return false;
      const gone = this.#edits.some((e) => e.op === 'drop' && e.at === at - 1);
      if (gone && this.#all[at - 1]!.reading.parts[0]?.kind === 'tool_call') return true;
      if (!isModels(at - 2)) return false;
    }
  }
}

function answers(format: Format, json: string): boolean {
  return specOf(format)
    .read(nativeOf(json))
    .parts.some((p) => p.kind === 'tool_result');
}

/** What a user or the model said in words. */
function words(m: Msg): string[] {
  if (m['role'] !== 'user' && m['role'] !== 'assistant') return [];
  const { content } = m;
  const texts = Array.isArray(content) ? (content as Msg[]).map((b) => b['text']) : [content];
  return texts.flatMap((t) => (typeof t === 'string' ? (/^#\d+#/.exec(t) ?? []) : []));
}

const END: Record<Format, Msg> = {
  anthropic: { role: 'user', content: 'go on' },
  'openai-chat': { role: 'user', content: 'go on' },
  'openai-responses': { type: 'message', role: 'user', content: 'go on' },
};

for (const c of CASES) {
  const name = `${c.model}${c.over === undefined ? '' : ` ${Object.keys(c.over).join(', ')}`}`;
  test(`F32 PV-G ${name}: broken messages that come bit by bit go out valid, what was sent stays, nothing said is lost`, () => {
    fc.assert(
      fc.property(
        looseMessages(c.format),
        fc.array(fc.tuple(fc.nat(10), fc.subarray(['call_0', 'call_1', 'call_2'])), { maxLength: 4 }),
        (messages, stops) => {
          const arrivals = new Arrivals(c, [...messages, END[c.format]]);
          const sorted = [...stops].sort(([a], [b]) => a - b);
          for (const [i, [stop, pending]] of sorted.entries())
            if (stop > 0 && stop <= messages.length && stop !== sorted[i - 1]?.[0])
              arrivals.prepare(stop, new Set(pending));
          const { broken, out } = arrivals.prepare(messages.length + 1, new Set());
          // What was on its way as a paused turn is for the mending of what was sent, where the user speaks instead.
          const sentTurn = broken.every(
            (b) => b.startsWith('PV-A34') && b.includes('server tool call without'),
          );
          if (!sentTurn) assert.deepEqual(broken, [], out.join('\n'));
          for (const said of messages.flatMap(words)) assert.ok(out.join('\n').includes(said), said);
        },
      ),
      { numRuns: 250 },
    );
  });
}
