// What each preset saves and what it loses on recorded conversations, played through a real daemon: cost, tokens, names
// that later calls needed and no longer found, fetches of what had been cleared. Skips, visibly, without the data.
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { attach } from '../native/index.js';
import { withClient } from '../src/cli/connection.js';
import { startPrivateDaemon } from '../src/cli/private-daemon.js';
import type { Client } from '../src/client/index.js';
import { identifiersIn, leavesOf } from '../src/curation/identifiers.js';
import { argumentsIdentity } from '../src/curation/repeats.js';
import { type Conversation, readConversations } from '../src/eval/conversation.js';
import { partsOf } from '../src/eval/parts.js';
import { play, type Step } from '../src/eval/play.js';
import { RereadCount } from '../src/eval/rereads.js';
import { type Round, roundsOf } from '../src/eval/rounds.js';
import { sliceValues } from '../src/json/index.js';
import { Native } from '../src/json/native.js';
import { specOf } from '../src/providers/spec.js';
import type { FormatSpec, Reading } from '../src/providers/types.js';
import { transcriptsFolder } from './estimates.js';

const PLAYED = ['conservative', 'balanced', 'aggressive'] as const;
/** The recordings of coding sessions lack their host's system prompt and tools; both are about this large. */
const CODING = new Set(['cc', 'pi']);
const CODING_PREFIX = 20_000;
/** Input prices relative to uncached input: an unchanged prefix is read, the rest written. */
const READ = 0.1;
const WRITE = 1.25;
const DAY = Date.UTC(2026, 10, 29);

interface Score {
  id: string;
  file: string;
  requests: number;
  /** Units of the prefix rule. */
  cost: { off: number; curated: number };
  /** USD of the provider's own rules, output included. */
  usd: { off: number; curated: number };
  tokens: { off: number; curated: number };
  refs: number;
  refsLost: number;
  /** Names in calls that stood anywhere before, and those of them that the request no longer held. */
  names: number;
  namesGone: number;
  cleared: number;
  /** Results of which the whole body was cleared, and those of them that the same call fetched again, or one of the same place. */
  clearedResults: number;
  rereads: number;
  rereadPlaces: number;
  /** The same without clearing: all results, and those that the recording fetched again though it saw them. */
  results: number;
  repeats: number;
  /** The smallest saving at any point of the conversation, in percent. */
  worstPoint: number;
  breaks: number;
  faults: number;
}

/** Follows one conversation: the bill by the prefix rule, and which names are still there when a call needs them. */
class Meter {
  readonly score: Score;
  readonly #spec: FormatSpec;
  readonly #count: (text: string) => number;
  readonly #prefix: number;
  /** The rounds of all parts in order. */
  readonly #rounds: { round: Round; first: boolean }[];
  #next = 0;
  #cached: { off: number; curated: number } = { off: 0, curated: 0 };
  #before: string[] = [];
  /** The history as it was recorded, since the part began. */
  #stored: string[] = [];
  #said = new Set<string>();
  #held = new Map<string, string>();
  /** Calls by id until they are answered, and the calls that were. */
  #open = new Map<string, string>();
  #answers = new Set<string>();
  #readings = new Map<string, Reading>();
  #sizes = new Map<string, number>();

  constructor(file: string, c: Conversation, count: (text: string) => number) {
    this.#spec = specOf(c.format);
    this.#count = count;
    // Chat Completions has the system text as a message.
    const head = c.format === 'openai-chat' ? '' : (c.system?.text ?? '');
    const own = count(head) + count(c.tools?.text ?? '');
    this.#prefix = CODING.has(file) ? CODING_PREFIX : own;
    this.#rounds = partsOf(c).flatMap((part) =>
      roundsOf(part, c.format).map((round, i) => ({ round, first: i === 0 })),
    );
    this.score = {
      id: c.id,
      file,
      requests: 0,
      cost: { off: 0, curated: 0 },
      usd: { off: 0, curated: 0 },
      tokens: { off: 0, curated: 0 },
      refs: 0,
      refsLost: 0,
      names: 0,
      namesGone: 0,
      cleared: 0,
      clearedResults: 0,
      rereads: 0,
      rereadPlaces: 0,
      results: 0,
      repeats: 0,
      worstPoint: 100,
      breaks: 0,
      faults: 0,
    };
  }

  look(step: Step): void {
    // A part may open with an answer that no request asked for.
    while (this.#rounds[this.#next]?.round.news.length === 0 && this.#rounds[this.#next]!.first) this.#take();
    const { first } = this.#rounds[this.#next]!;
    const text = step.prepared.requestText!;
    const messages = sliceValues(text, ['messages']) ?? [];
    if (first) {
      this.#cached = { off: 0, curated: 0 };
      this.#before = [];
    }
    this.#bring();
    this.#bill(messages);
    this.#take(text, messages);
  }

  #bill(messages: readonly string[]): void {
    const { score } = this;
    let same = 0;
    let unchanged = this.#prefix;
    while (same < this.#before.length && this.#before[same] === messages[same]) {
      unchanged += this.#size(messages[same]!);
      same += 1;
    }
    if (same < this.#before.length) score.breaks += 1;
    const total = this.#prefix + messages.reduce((sum, m) => sum + this.#size(m), 0);
    const read = Math.min(this.#cached.curated, unchanged);
    const head = messages.length > this.#stored.length ? this.#size(messages[0]!) : 0;
    const off = this.#prefix + head + this.#stored.reduce((sum, m) => sum + this.#size(m), 0);
    score.requests += 1;
    score.tokens.off += off;
    score.tokens.curated += total;
    score.cost.curated += READ * read + WRITE * (total - read);
    score.cost.off += READ * this.#cached.off + WRITE * Math.max(0, off - this.#cached.off);
    this.#cached = { off, curated: total };
    this.#before = [...messages];
  }

  #size(message: string): number {
    let size = this.#sizes.get(message);
    if (size === undefined) {
      // Thinking is left out, as in the reference figures: hosts differ in what of it they send back.
      size = this.#read(message).parts.reduce((sum, p) => {
        if (p.kind === 'thinking') return sum;
        const named = p.kind === 'tool_call' ? `${p.tool} ${p.argsText ?? ''}` : (p.text ?? '');
        return sum + this.#count(named);
      }, 4);
      this.#sizes.set(message, size);
    }
    return size;
  }

  #read(message: string): Reading {
    let reading = this.#readings.get(message);
    if (reading === undefined) {
      reading = this.#spec.read(new Native(message));
      this.#readings.set(message, reading);
    }
    return reading;
  }

  /** What the next round brings, and what its answer calls for. */
  #take(request = '', messages: readonly string[] = []): void {
    if (request === '') this.#bring();
    const { round } = this.#rounds[this.#next]!;
    this.#next += 1;
    const reading = this.#spec.read(round.answer);
    if (request !== '')
      for (const part of reading.parts)
        if (part.kind === 'tool_call') this.#need(part.args, request, messages);
    this.#learn(round.answer);
  }

  /** What stands before the next request. */
  #bring(): void {
    const { round, first } = this.#rounds[this.#next]!;
    if (first) {
      this.#said = new Set();
      this.#held = new Map();
      this.#open = new Map();
      this.#answers = new Set();
      this.#stored = [];
    }
    for (const m of [...round.results, ...round.news]) this.#learn(m);
  }

  #learn(message: Native): void {
    this.#stored.push(message.text);
    for (const part of this.#spec.read(message).parts) {
      if (part.kind === 'tool_result') {
        this.#answered(part.callId ?? '');
        for (const run of identifiersIn(part.text ?? '').keys()) this.#held.set(run, part.callId ?? '');
      } else if (part.kind === 'tool_call') {
        this.#open.set(part.callId ?? '', `${part.tool}\u0000${argumentsIdentity(part.args)}`);
        this.#say(leavesOf(part.args).join('\n'));
      } else if (part.kind === 'text') this.#say(part.text ?? '');
    }
  }

  /** Each result counts once as fetched again, by the first equal call behind it. */
  #answered(callId: string): void {
    const call = this.#open.get(callId);
    if (call === undefined) return;
    this.#open.delete(callId);
    this.score.results += 1;
    if (this.#answers.has(call)) this.score.repeats += 1;
    this.#answers.add(call);
  }

  #say(text: string): void {
    for (const run of identifiersIn(text).keys()) this.#said.add(run);
  }

  #need(args: unknown, request: string, messages: readonly string[]): void {
    const { score } = this;
    for (const run of identifiersIn(leavesOf(args).join('\n')).keys()) {
      const holder = this.#held.get(run);
      if (holder === undefined && !this.#said.has(run)) continue;
      score.names += 1;
      if (!request.includes(run)) score.namesGone += 1;
      if (holder === undefined || this.#said.has(run)) continue;
      score.refs += 1;
      if (!this.#stands(run, holder, messages)) score.refsLost += 1;
    }
  }

  /** Is the name still in the result of that call, or in what stands for it? */
  #stands(run: string, callId: string, messages: readonly string[]): boolean {
    for (let i = messages.length - 1; i >= 0; i -= 1) {
      const part = this.#read(messages[i]!).parts.find(
        (p) => p.kind === 'tool_result' && p.callId === callId,
      );
      if (part !== undefined) return part.text?.includes(run) === true;
    }
    return false;
  }
}

async function playOne(
  client: Client,
  file: string,
  c: Conversation,
  preset: string,
  count: (text: string) => number,
): Promise<Score> {
  const meter = new Meter(file, c, count);
  let known: unknown;
  const rereads = new RereadCount();
  const report = await play(c, {
    client,
    preset,
    count,
    now: DAY,
    onStep: (step) => {
      meter.look(step);
      const { off, curated } = step.cost;
      if (off !== undefined && curated !== undefined)
        meter.score.worstPoint = Math.min(meter.score.worstPoint, saved({ off, curated }));
      for (const e of step.cleared) rereads.take(e);
      if (known === step.session) return;
      known = step.session;
      step.session.on('memory.reread', (e) => rereads.take(e));
    },
  });
  const { score } = meter;
  score.cleared = report.cleared.results;
  score.clearedResults = rereads.cleared.of;
  score.rereads = rereads.cleared.again;
  score.rereadPlaces = rereads.places;
  score.usd = report.cost ?? score.usd;
  // What is recorded whole is priced by its own model's rules; the prefix rule is for what lacks its head.
  if (!CODING.has(file)) score.cost = score.usd;
  score.faults = report.violations + report.errors + report.recalls.checked - report.recalls.exact;
  score.faults += report.replayed.requests - report.replayed.identical;
  return score;
}

function sum(scores: readonly Score[]): Score {
  const total = { ...structuredClone(scores[0]!), id: 'total' };
  for (const s of scores.slice(1)) {
    for (const key of ['cost', 'usd', 'tokens'] as const) {
      total[key].off += s[key].off;
      total[key].curated += s[key].curated;
    }
    total.worstPoint = Math.min(total.worstPoint, s.worstPoint);
    for (const key of ['clearedResults', 'rereadPlaces', 'results', 'repeats'] as const) total[key] += s[key];
    for (const key of ['requests', 'refs', 'refsLost', 'names', 'namesGone'] as const) total[key] += s[key];
    for (const key of ['cleared', 'rereads', 'breaks', 'faults'] as const) total[key] += s[key];
  }
  return total;
}

const saved = (s: { off: number; curated: number }) => (s.off === 0 ? 0 : 100 * (1 - s.curated / s.off));
const share = (part: number, of: number) => (of === 0 ? 0 : (100 * part) / of);
const round = (v: number) => Math.round(v * 100) / 100;

function row(preset: string, s: Score): string {
  return (
    `${preset.padEnd(13)} ${s.id.padEnd(34)} ${String(s.requests).padStart(5)} requests  cost saved ${saved(s.cost).toFixed(1).padStart(6)} %` +
    `  (usd ${saved(s.usd).toFixed(1).padStart(6)} %)  tokens ${saved(s.tokens).toFixed(1).padStart(5)} %` +
    `  refs lost ${s.refsLost}/${s.refs}  names gone ${s.namesGone}/${s.names}` +
    `  cleared ${s.cleared}  fetched again ${s.rereads} + ${s.rereadPlaces}  breaks ${s.breaks}${s.faults === 0 ? '' : `  FAULTS ${s.faults}`}`
  );
}

/** What the rates mean and don't: src/eval/rereads.ts. */
function rereadsOf(preset: string, s: Score): Record<string, number> {
  const cleared = share(s.rereads, s.clearedResults);
  const all = share(s.repeats, s.results);
  return {
    [`${preset}_reread_rate_pct`]: round(cleared),
    [`${preset}_reread_rate_of_all_results_in_view_pct`]: round(all),
    [`${preset}_reread_excess_points`]: round(cleared - all),
    [`${preset}_reread_places_pct`]: round(share(s.rereadPlaces, s.clearedResults)),
  };
}

function figuresOf(preset: string, scores: readonly Score[]): Record<string, number> {
  const coding = sum(scores.filter((s) => CODING.has(s.file)));
  const out: Record<string, number> = {
    [`${preset}_cost_saved_pct`]: round(saved(coding.cost)),
    [`${preset}_usd_saved_pct`]: round(saved(coding.usd)),
    [`${preset}_tokens_saved_pct`]: round(saved(coding.tokens)),
    [`${preset}_refs_lost_pct`]: round(share(coding.refsLost, coding.refs)),
    [`${preset}_names_gone_pct`]: round(share(coding.namesGone, coding.names)),
    ...rereadsOf(preset, coding),
    [`${preset}_worst_point_usd_saved_pct`]: round(Math.min(...scores.map((s) => s.worstPoint))),
    [`${preset}_worst_conversation_cost_saved_pct`]: round(Math.min(...scores.map((s) => saved(s.cost)))),
    [`${preset}_worst_conversation_usd_saved_pct`]: round(Math.min(...scores.map((s) => saved(s.usd)))),
    [`${preset}_faults`]: scores.reduce((n, s) => n + s.faults, 0),
  };
  const tau = scores.filter((s) => s.file === 'tau');
  if (tau.length > 0) out[`${preset}_tau_refs_lost`] = sum(tau).refsLost;
  const others = scores.filter((s) => !CODING.has(s.file));
  if (others.length > 0) {
    out[`${preset}_others_cost_saved_pct`] = round(saved(sum(others).cost));
    out[`${preset}_others_refs_lost_pct`] = round(share(sum(others).refsLost, sum(others).refs));
  }
  return out;
}

/** `npm run bench -- presets [--json] [preset..] [file..]`, files by name: cc, pi, tau ... */
export default async function run(o: {
  args: string[];
}): Promise<{ name: string; figures: Record<string, number> }> {
  const folder = transcriptsFolder();
  if (folder === undefined) {
    console.log('skipped: no recorded transcripts (CURATED_SHARED names their folder)');
    return { name: 'presets', figures: {} };
  }
  const asked = PLAYED.filter((p) => o.args.includes(p));
  const names = o.args.filter((a) => existsSync(resolve(folder, `${a}.jsonl`)));
  const files = (
    names.length > 0
      ? names
      : ['cc', 'pi', 'tau', 'deerflow', 'livemcp', 'sweagent', 'toolbench', 'intercode', 'aider']
  ).map((n) => resolve(folder, `${n}.jsonl`));
  const tokenizer = attach();
  const counted = new Map<string, number>();
  const count = (text: string) => {
    let n = counted.get(text);
    if (n === undefined) {
      n = tokenizer.count(text, 'o200k_base');
      counted.set(text, n);
    }
    return n;
  };
  const figures: Record<string, number> = {};
  const daemon = await startPrivateDaemon();
  try {
    await withClient(async (client) => {
      for (const preset of asked.length > 0 ? asked : PLAYED) {
        const scores: Score[] = [];
        for (const file of files) {
          for await (const line of readConversations(file)) {
            if (!line.ok) continue;
            scores.push(await playOne(client, basename(file, '.jsonl'), line.conversation, preset, count));
            console.log(row(preset, scores.at(-1)!));
          }
        }
        console.log(row(preset, sum(scores)));
        Object.assign(figures, figuresOf(preset, scores));
      }
    }, daemon.home);
  } finally {
    await daemon.stop();
    tokenizer.dispose();
  }
  return { name: 'presets', figures };
}
