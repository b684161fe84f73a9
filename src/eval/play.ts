// Plays a recorded conversation through the daemon as its agent would have: one request before each recorded answer, the
// answer appended, rounds and turns ended, usage reported. Holds every request and every cleared result against the rules.
import type { Client, CuratedEvent, Prepared, Session } from '../client/index.js';
import { RawJson, writeJson } from '../json/index.js';
import { profileOf } from '../providers/profile.js';
import { Bill, DEFAULT_MODEL, tariffOf } from './bill.js';
import type { Conversation } from './conversation.js';
import { Originals } from './originals.js';
import { type Part, partsOf } from './parts.js';
import { addFigures, type ConversationReport, type Figures, noFigures } from './report.js';
import { RequestReader, type SeenRequest } from './request.js';
import { type Envelope, RequestCheck } from './request-check.js';
import { type Round, roundsOf } from './rounds.js';
import type { CountText } from './tally.js';
import { recordedClasses, usageReport } from './usage-report.js';
import { stretchedWindow } from './window-of.js';

export interface PlayOptions {
  client: Client;
  preset: string;
  /** Value of the YAML configuration, for `session.open`. */
  config?: Record<string, unknown>;
  /** Exact tokens of a text, for the bill. */
  count: CountText;
  /** Day of the prices, epoch ms. */
  now: number;
  /** Erase the sessions afterwards; default true. */
  forget?: boolean;
  /** Sees every step; what the demo prints. */
  onStep?: (step: Step) => void | Promise<void>;
}

/** One request and what was decided up to it. */
export interface Step {
  session: Session;
  /** From 1, over the conversation. */
  request: number;
  turn: number;
  /** The turn before ended with this request's user message. */
  isNewTurn: boolean;
  tokens: { off: number; curated: number };
  cost: { off: number | undefined; curated: number | undefined };
  /** `memory.tool_result_cleared` since the request before. */
  cleared: readonly CuratedEvent[];
  /** `memory.curated` since then: what each pass cost the cache, and what it saves. */
  passes: readonly CuratedEvent[];
  prepared: Prepared;
}

export async function play(conversation: Conversation, o: PlayOptions): Promise<ConversationReport> {
  const model = conversation.model ?? DEFAULT_MODEL[conversation.format];
  const report: ConversationReport = {
    id: conversation.id,
    format: conversation.format,
    model,
    ...noFigures(),
    parts: 0,
    breaches: [],
    failures: [],
  };
  for (const part of partsOf(conversation)) {
    report.parts++;
    const player = new Player(conversation, part, model, o, report);
    addFigures(report, await player.run());
  }
  return report;
}

/** One session: one part of a conversation. */
class Player {
  readonly #c: Conversation;
  readonly #part: Part;
  readonly #o: PlayOptions;
  readonly #report: ConversationReport;
  readonly #rounds: Round[];
  readonly #reader: RequestReader;
  readonly #check: RequestCheck;
  readonly #bills: { off: Bill; curated: Bill };
  readonly #figures: Figures = noFigures();
  readonly #model: string;
  #session!: Session;
  #stored: string[] = [];
  #envelopes: Envelope[] = [];
  #clearedNow: CuratedEvent[] = [];
  #passesNow: CuratedEvent[] = [];
  readonly #handles = new Map<string, CuratedEvent>();
  #usage: Record<string, unknown> | undefined;

  constructor(c: Conversation, part: Part, model: string, o: PlayOptions, report: ConversationReport) {
    const profile = profileOf(c.format, model);
    const tariff = tariffOf(profile, o.now);
    this.#c = c;
    this.#part = part;
    this.#model = model;
    this.#o = o;
    this.#report = report;
    this.#rounds = roundsOf(part, c.format);
    this.#reader = new RequestReader(profile, o.count);
    this.#check = new RequestCheck(profile);
    this.#bills = { off: new Bill(tariff), curated: new Bill(tariff) };
  }

  async run(): Promise<Figures> {
    const { client, preset, config } = this.#o;
    const window = stretchedWindow(this.#model, this.#largest());
    if (window !== undefined) this.#report.window = Math.max(window, this.#report.window ?? 0);
    this.#session = await client.session({
      format: this.#c.format,
      model: this.#model,
      preset: preset as 'balanced',
      ...(window === undefined ? {} : { context_window: window }),
      ...(this.#c.system === undefined ? {} : { system: this.#c.system }),
      ...(this.#c.tools === undefined ? {} : { tools: this.#c.tools }),
      ...(config === undefined ? {} : { config }),
    });
    this.#session.on('memory.tool_result_cleared', (e) => this.#cleared(e));
    this.#session.on('memory.curated', (e) => this.#passesNow.push(e));
    await this.#session.subscribed;
    for (const [i, round] of this.#rounds.entries()) await this.#playRound(round, i);
    if (this.#rounds.length > 0) await this.#endTurn(true);
    await this.#recallAll();
    await this.#replay();
    return this.#close();
  }

  async #playRound(round: Round, index: number): Promise<void> {
    await this.#append(round.results);
    if (index > 0 && (round.userTurn || round.results.length > 0)) await this.#endTurn(round.userTurn);
    // A part may open with an answer whose question the old context held: there is nothing to ask with.
    if (this.#stored.length + round.news.length > 0) await this.#request(round, index);
    await this.#append([round.answer]);
  }

  async #request(round: Round, index: number): Promise<void> {
    const append = round.news;
    let prepared: Prepared;
    try {
      prepared = await this.#session.prepare(append.length === 0 ? {} : { append });
    } catch (e) {
      this.#failed(`prepare ${index + 1}`, e);
      // Nothing was applied: the messages still have to be stored.
      await this.#append(round.news);
      return;
    }
    this.#remember(round.news);
    this.#envelopes.push(...(prepared.curated as Envelope[]));
    const curated = this.#reader.read(prepared.requestText!);
    const off = this.#off(curated);
    const { preset } = this.#o;
    this.#check.look(curated, this.#envelopes, preset !== 'off' && preset !== 'observe');
    const output = Math.max(this.#reader.message(round.answer.text).tokens, round.usage?.out ?? 0);
    this.#bills.off.add(off, output);
    const used = this.#bills.curated.add(curated, output);
    this.#usage = usageReport(
      this.#c.format,
      preset === 'off' && round.usage !== undefined ? recordedClasses(round.usage) : used,
    );
    this.#figures.tokens.off += off.tokens;
    this.#figures.tokens.curated += curated.tokens;
    const cleared = this.#clearedNow;
    const passes = this.#passesNow;
    this.#envelopes = [];
    this.#clearedNow = [];
    this.#passesNow = [];
    await this.#o.onStep?.({
      session: this.#session,
      request: this.#bills.off.requests,
      turn: prepared.turn,
      isNewTurn: round.userTurn,
      tokens: { off: off.tokens, curated: curated.tokens },
      cost: { off: this.#bills.off.cost, curated: this.#bills.curated.cost },
      cleared,
      passes,
      prepared,
    });
  }

  /** Tokens of the largest request that was recorded: the last one. */
  #largest(): number {
    const last = this.#part.messages.findLastIndex((m) => m.native === this.#rounds.at(-1)?.answer);
    const before = this.#part.messages.slice(0, Math.max(0, last)).map((m) => m.native.text);
    return this.#reader.make(this.#c.system?.text ?? '', this.#c.tools?.text ?? '', before).tokens;
  }

  /** The request as it would be without the daemon: what was recorded, in full. */
  #off(curated: SeenRequest): SeenRequest {
    const { system, tools } = this.#c;
    const isChat = this.#c.format === 'openai-chat';
    // Chat Completions takes the system text as a message; ours is the one the daemon puts first.
    const head =
      isChat && system !== undefined && curated.messages[0] !== undefined
        ? [writeJson({ role: 'system', content: new RawJson(system.text) })]
        : [];
    return this.#reader.make(isChat ? '' : (system?.text ?? ''), tools?.text ?? '', [
      ...head,
      ...this.#stored,
    ]);
  }

  async #append(messages: Round['news']): Promise<void> {
    if (messages.length === 0) return;
    try {
      await this.#session.append(messages);
      this.#remember(messages);
    } catch (e) {
      this.#failed('append', e);
    }
  }

  #remember(messages: Round['news']): void {
    for (const m of messages) this.#stored.push(m.text);
  }

  async #endTurn(final: boolean): Promise<void> {
    const usage = this.#usage;
    this.#usage = undefined;
    try {
      const ended = await this.#session.endTurn({ final, ...(usage === undefined ? {} : { usage }) });
      if (final) this.#figures.turns++;
      for (const d of ended.decisions) if (d.type === 'memory.curated') this.#envelopes.push(d as Envelope);
    } catch (e) {
      this.#failed('turn.end', e);
    }
  }

  #cleared(e: CuratedEvent): void {
    // Observed decisions take nothing away, so there is nothing to get back.
    if (e['observed'] === true) return;
    this.#clearedNow.push(e);
    const handle = String(e['handle']);
    // A result that was shaped first and cleared later is one result.
    if (!this.#handles.has(handle)) {
      this.#figures.cleared.results++;
      this.#figures.cleared.bytes += Number(e['original_size'] ?? 0);
    }
    this.#handles.set(handle, e);
  }

  async #recallAll(): Promise<void> {
    const originals = new Originals(this.#part, this.#c.format);
    for (const [handle, e] of this.#handles) {
      this.#figures.recalls.checked++;
      try {
        const { text } = await this.#o.client.callRaw('recall.get', { handle });
        if (originals.holds(String(e['tool_call_id']), text)) this.#figures.recalls.exact++;
        else this.#report.failures.push(`recall.get ${handle}: other bytes than were cleared`);
      } catch (e) {
        this.#report.failures.push(`recall.get ${handle}: ${(e as Error).message}`);
      }
    }
  }

  async #replay(): Promise<void> {
    try {
      const r = await this.#session.call('journal.replay', {});
      this.#figures.replayed.requests += r.requests;
      this.#figures.replayed.identical += r.requests - r.mismatches.length;
    } catch (e) {
      this.#failed('journal.replay', e);
    }
  }

  async #close(): Promise<Figures> {
    if (this.#o.forget !== false) await this.#session.forget();
    const f = this.#figures;
    const { off, curated } = this.#bills;
    f.requests = off.requests;
    f.cost =
      off.cost === undefined || curated.cost === undefined ? null : { off: off.cost, curated: curated.cost };
    f.cache_breaks = { off: off.breaks, curated: curated.breaks };
    f.violations = this.#check.breaches.length;
    this.#report.breaches.push(...this.#check.breaches);
    return f;
  }

  #failed(what: string, e: unknown): void {
    const kind = (e as { kind?: string }).kind;
    this.#figures.errors++;
    this.#report.failures.push(`${what}: ${kind === undefined ? '' : `${kind} `}${(e as Error).message}`);
  }
}
