// Drives one session of a case as its agent would: turns end before the next user message, requests are prepared.
import { isUserTurn } from '../request.js';
import type { Case, Obj, Step } from '../types.js';
import { arr, isObj, num, objs, ruleFormat, strings } from '../types.js';
import { hintsOf, strip } from './hints.js';
import type { Host, RawEvent } from './host.js';
import { type Answer, RpcError } from './link.js';
import { rawAt } from './raw-json.js';
import { openParams, triggerTokens } from './settings.js';

/** Smallest number of messages that every daemon takes in one append (PROTOCOL 1). */
const APPEND_MAX = 100;
const COMPACTION_MS = 60_000;
const ENDS = new Set(['memory.compacted', 'memory.compaction.failed']);

export interface Prepared {
  answer: Answer;
  bytesIn: string;
}

export class CaseSession {
  /** Events since the last `takeEvents`, in order. */
  events: RawEvent[] = [];
  /** How many calls of the current step issued an edit that invalidates the cache. */
  epochs = 0;
  /** Session index (README 2) of each message that the daemon has stored, by its position there. */
  stored: number[] = [];
  /** Everything that arrived, with its hints, by session index. */
  raw: Obj[] = [];
  /** What is live, stripped of hints, in the order of `stored`. */
  live: Obj[] = [];
  get arrived(): number {
    return this.raw.length;
  }
  /** Turn number of the daemon -> index among the user's own messages. */
  readonly userTurnOf = new Map<number, number>();
  lastPrepared: Answer | undefined;
  usageSeen = false;
  #userTurns = 0;
  #inTurn = 0;
  #boundary = false;
  #fresh = true;
  #usage: unknown;
  #compacting = false;
  #waiters: (() => void)[] = [];

  constructor(
    readonly host: Host,
    readonly c: Case,
    public config: Obj,
    readonly id: string,
    readonly tenant: string,
    /** One message an append, so that a rewind can end at each. */
    readonly single: boolean,
  ) {
    host.onEvent((tenant, e) => {
      if (tenant === this.tenant && e.session === this.id) this.#take(e);
    });
  }

  get listKey(): 'messages' | 'input' {
    return ruleFormat(this.c) === 'openai-responses' ? 'input' : 'messages';
  }

  #take(e: RawEvent): void {
    this.events.push(e);
    if (e.type === 'memory.compaction.triggered') this.#compacting = true;
    if (ENDS.has(e.type)) {
      this.#compacting = false;
      for (const done of this.#waiters.splice(0)) done();
    }
  }

  async call(method: string, params: Obj | string): Promise<Answer> {
    const from = this.events.length;
    const link = await this.host.link(this.tenant);
    try {
      return await link.call(method, params);
    } finally {
      const now = this.events.slice(from);
      if (now.some((e) => e.type === 'memory.curated' && e['cache_invalidates'] === true)) this.epochs++;
    }
  }

  /** Opens the session and gives it the case's request; `open` without `fresh` comes back after a restart. */
  async open(fresh: boolean): Promise<void> {
    const params = { session: this.id, ...(strip(openParams(this.c, this.config)) as Obj) };
    const opened = await this.#opened(params);
    await this.call('session.subscribe', {
      session: this.id,
      from_seq: fresh ? 1 : Number(opened.result['seq']) + 1,
    });
    if (!fresh) {
      // A cycle of the daemon that ended is nobody's to wait for: the new one says so before anybody can subscribe.
      this.#compacting = false;
      return;
    }
    await this.feed(objs(this.c.request['messages'] ?? this.c.request['input']), isObj(this.config['cache']));
    await this.#durable();
  }

  /** In the cases window and output reserve are configuration: a value that the frame's schema refuses is a bad one of it. */
  async #opened(params: Obj): Promise<Answer> {
    try {
      return await this.call('session.open', params);
    } catch (e) {
      if (!(e instanceof RpcError) || e.kind !== 'BAD_TYPE') throw e;
      throw new RpcError({ message: e.message, data: { kind: 'CONFIG' } });
    }
  }

  async #durable(): Promise<void> {
    const d = this.config['durable'];
    if (!isObj(d)) return;
    for (const text of strings(d['decisions']))
      await this.call('durable.add_decision', { session: this.id, text });
    const plan = d['plan'];
    if (plan !== undefined) {
      const given = isObj(plan) ? plan : { title: '', text: String(plan) };
      await this.call('durable.set_plan', {
        session: this.id,
        title: String(given['title'] ?? ''),
        text: String(given['text'] ?? ''),
      });
    }
    if (d['todos'] !== undefined)
      await this.call('durable.set_todos', { session: this.id, items: arr(d['todos']) });
  }

  /** Appends messages; each user message of its own text begins a turn. `sent`: the provider has seen them. */
  async feed(messages: readonly Obj[], sent = false): Promise<void> {
    let from = 0;
    while (from < messages.length) {
      if (isUserTurn(messages[from]!) && this.#inTurn > 0 && !this.#boundary) await this.endTurn(true);
      let to = from + 1;
      while (to < messages.length && !isUserTurn(messages[to]!) && to - from < (this.single ? 1 : APPEND_MAX))
        to++;
      await this.#append(messages.slice(from, to), sent);
      from = to;
    }
  }

  async #append(batch: readonly Obj[], sent: boolean): Promise<void> {
    const plain = batch.map((m) => strip(m) as Obj);
    const hints = hintsOf(batch);
    if (hints.some((h) => h.usage !== undefined)) this.usageSeen = true;
    const extra: Obj = {
      ...(this.host.hints && hints.length > 0 ? { hints } : {}),
      ...(sent ? { sent: true } : {}),
    };
    let answer: Answer;
    const base = { session: this.id, messages: plain };
    try {
      answer = await this.call('session.append', { ...base, ...extra });
    } catch (e) {
      if (!(e instanceof RpcError) || e.kind !== 'UNKNOWN_FIELD' || Object.keys(extra).length === 0) throw e;
      this.host.hints = false;
      answer = await this.call('session.append', base);
    }
    if (!this.host.hints) this.#usage = hints.findLast((h) => h.usage !== undefined)?.usage ?? this.#usage;
    plain.forEach((m, i) => {
      this.#arrive(m, batch[i]!, Number(answer.result['turn']));
    });
  }

  #arrive(m: Obj, raw: Obj, turn: number): void {
    if (isUserTurn(m)) this.userTurnOf.set(turn, this.#userTurns++);
    this.stored.push(this.raw.length);
    this.raw.push(raw);
    this.live.push(m);
    this.#inTurn++;
    this.#fresh = true;
    this.#boundary = this.#boundary && isUserTurn(m);
  }

  async endTurn(final: boolean): Promise<void> {
    const usage = this.#usage;
    this.#usage = undefined;
    await this.call('turn.end', {
      session: this.id,
      final,
      ...(isObj(usage) ? { usage } : {}),
      ...this.#inFlight(),
    });
    this.#boundary = true;
    if (final) this.#inTurn = 0;
  }

  /** The turn boundary of a `curate` step, unless the newest messages made one already. */
  async boundary(): Promise<void> {
    if (this.#boundary) return;
    const last = this.live.at(-1);
    const open =
      last !== undefined &&
      !isUserTurn(last) &&
      (last['role'] !== 'assistant' || arr(last['tool_calls']).length > 0);
    await this.endTurn(!open);
  }

  /** Asks for a compaction; true if one started. A daemon that cannot has said so, and the turn goes on. */
  async compact(): Promise<boolean> {
    this.#fresh = false;
    const from = this.events.length;
    try {
      const { result } = await this.call('memory.compact', {
        session: this.id,
        reason: 'host',
        ...this.#inFlight(),
      });
      const ended = this.events.slice(from).some((e) => ENDS.has(e.type));
      if (result['started'] === true && !ended) this.#compacting = true;
      return result['started'] === true || this.#compacting;
    } catch (e) {
      if (!(e instanceof RpcError) || e.kind === 'INTERNAL') throw e;
      this.events.push({ type: 'memory.diagnostic', session: this.id, what: `memory.compact: ${e.kind}` });
      return false;
    }
  }

  /** A host whose layer makes summaries asks for one when its trigger is met and something new has arrived. */
  async compactIfDue(): Promise<boolean> {
    if (!this.#fresh || this.events.some((e) => ENDS.has(e.type))) return this.#compacting;
    const limit = triggerTokens(this.config, num(this.config['window'])) ?? 0;
    const state = await this.call('session.state', { session: this.id });
    const total = isObj(state.result['tokens']) ? Number(state.result['tokens']['total']) : 0;
    return total >= limit ? this.compact() : this.#compacting;
  }

  /** Until the compaction that is under way has ended. */
  async compactionEnd(from: number): Promise<void> {
    if (this.events.slice(from).some((e) => ENDS.has(e.type))) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the compaction did not end')), COMPACTION_MS);
      this.#waiters.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  get compacting(): boolean {
    return this.#compacting;
  }

  /** The host's own request: exact text, in the key order of the wire. */
  bytesIn(messages: readonly Obj[] = this.live): string {
    const parts: string[] = [];
    for (const key of ['system', 'tools']) {
      if (this.c.request[key] !== undefined)
        parts.push(`"${key}":${JSON.stringify(strip(this.c.request[key]))}`);
    }
    return `{${[...parts, `"messages":${JSON.stringify(messages)}`].join(',')}}`;
  }

  #inFlight(): Obj {
    const pending = strings(this.config['pending']);
    return pending.length === 0 ? {} : { pending };
  }

  async prepare(extra: Obj = {}): Promise<Prepared> {
    const params: Obj = { session: this.id, return: 'full', ...this.#inFlight(), ...extra };
    const answer = await this.call('llm.prepare', params);
    this.#boundary = false;
    this.lastPrepared = answer;
    return { answer, bytesIn: this.bytesIn() };
  }

  /** The host sends its full history: everything arrives anew (README 2). */
  async ingest(messages: readonly Obj[]): Promise<Prepared> {
    if (this.lastPrepared !== undefined && !this.#boundary) await this.endTurn(true);
    const plain = messages.map((m) => strip(m) as Obj);
    const from = this.arrived;
    this.stored = plain.map((_, i) => from + i);
    this.raw.push(...messages);
    this.live = plain;
    this.#userTurns = 0;
    this.#fresh = true;
    return this.prepare({ messages: plain });
  }

  /** Keeps the messages up to the one with this session index. */
  async rewind(toMessage: number): Promise<void> {
    const keep = this.stored.filter((i) => i <= toMessage).length;
    const { result } = await this.call('session.messages', { session: this.id, view: 'stored' });
    const next = objs(result['messages'])[keep];
    if (next === undefined) return;
    // Up to the event before the next message: what else was noted about the kept ones stays.
    await this.call('session.rewind', { session: this.id, to_seq: Number(next['seq']) - 1 });
    this.stored = this.stored.slice(0, keep);
    this.live = this.live.slice(0, keep);
  }

  takeEvents(): RawEvent[] {
    return this.events.splice(0);
  }
}

/** Fields of a step that come from a prepared request. */
export function outputOf(s: CaseSession, p: Prepared): Partial<Step> {
  const bytes = rawAt(p.answer.frame, ['result', 'request']);
  const request = p.answer.result['request'];
  if (bytes === undefined || !isObj(request)) throw new Error('llm.prepare gave no request');
  const out: Obj = {};
  for (const [k, v] of Object.entries(request)) out[k === 'messages' ? s.listKey : k] = v;
  const tokens = isObj(p.answer.result['tokens']) ? p.answer.result['tokens'] : {};
  const size = num(tokens[s.usageSeen ? 'estimated' : 'raw']);
  const limit = triggerTokens(s.config, num(tokens['window']) ?? num(s.config['window']));
  const step: Partial<Step> = { out, bytes, bytes_in: p.bytesIn, summaries: summariesIn(out, s.listKey) };
  if (size !== undefined) {
    step.context_tokens = size;
    if (limit !== undefined) step.fired = size >= limit;
  }
  const budget = num(tokens['threshold']);
  if (budget !== undefined) step.budget = budget;
  return step;
}

/** Summaries stand under a heading of their own (REQUIREMENTS L4-10, L5-7). */
const HEADING = /## Prior Context \((?:Summarised|Compacted)\)/;

function summariesIn(out: Obj, key: 'messages' | 'input'): string[] {
  const texts: string[] = [];
  const look = (v: unknown): void => {
    if (typeof v === 'string') {
      const m = HEADING.exec(v);
      if (m !== null) texts.push(v.slice(m.index));
    } else if (Array.isArray(v)) v.forEach(look);
    else if (isObj(v) && !String(v['type']).endsWith('tool_result')) {
      look(v['content']);
      look(v['text']);
    }
  };
  look(out[key]);
  return texts;
}
