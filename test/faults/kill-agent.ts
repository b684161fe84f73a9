// An agent that survives its daemon: one session over one WebSocket a life, and a log of all that was acknowledged to it. The log
// is the oracle: after each restart the daemon must hold exactly that, and what was under way wholly or not at all.
import assert from 'node:assert/strict';
import { connect as connectSocket } from 'node:net';
import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: values as the wire carries them
type Json = any;

/** A seeded die, so that a run can be had again. */
export function dice(seed: number): () => number {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1_664_525) + 1_013_904_223) >>> 0;
    return s / 2 ** 32;
  };
}

/** The connection ended: with a killed daemon that is no fault. */
export class Cut extends Error {}

interface Pending {
  method: string;
  params: Json;
  messages: Json[];
}

const WORD = 'alpha beta gamma delta ';

export class Agent {
  readonly session: string;
  /** Its calls come into a narrow window, and wait for summaries that it writes itself. */
  readonly narrow: boolean;
  readonly #roll: () => number;
  /** Messages, in order, as acknowledged. */
  readonly log: Json[] = [];
  /** Events that were heard, by seq. */
  readonly events = new Map<number, string>();
  /** Prepared requests that were acknowledged: hash by seq. */
  readonly requests = new Map<number, string>();
  #seq = 0;
  #heard = 0;
  #calls = 0;
  #pending: Pending | undefined;
  /** What `session.state` said while nothing was under way. */
  #noted: string | undefined;
  #ws: WebSocket | undefined;
  #ended = true;
  #id = 0;
  readonly #waiting = new Map<number, { resolve: (v: Json) => void; reject: (e: Error) => void }>();
  acknowledged = 0;
  compared = 0;
  repeated = 0;
  held = 0;
  refused = 0;

  constructor(session: string, narrow: boolean, seed: number) {
    this.session = session;
    this.narrow = narrow;
    this.#roll = dice(seed);
  }

  /** From connecting until the connection ends. Resolves at the end; rejects only with a broken promise of the daemon. */
  async live(socket: string, ready: () => void): Promise<void> {
    try {
      await this.#connect(socket);
      await this.#take();
      ready();
      for (;;) {
        if (this.#pending === undefined && this.#noted !== undefined) {
          // At rest until the kill: the next daemon must say of the session what this one said.
          if (!this.#ended) await new Promise<void>((resolve) => this.#ws!.once('close', () => resolve()));
          return;
        }
        await this.#act();
      }
    } catch (e) {
      if (!(e instanceof Cut)) throw e;
    } finally {
      this.#ws?.terminate();
    }
  }

  /** Opens the session and checks all that it was promised. */
  async #take(): Promise<void> {
    await this.#call('initialize', {
      protocol: 1,
      client: { name: 'kill', version: '1' },
      ...(this.narrow ? { capabilities: { llm: {} } } : {}),
    });
    const opened = await this.#call('session.open', {
      session: this.session,
      format: 'openai-chat',
      model: 'gpt-4o',
      preset: 'balanced',
      ...(this.narrow ? { context_window: 16_384, max_output_tokens: 4096 } : {}),
    });
    assert.ok(
      opened.seq >= this.#seq,
      `${this.session}: seq ${opened.seq} after a restart, ${this.#seq} acknowledged`,
    );
    await this.checkMessages();
    if (this.#noted !== undefined) {
      assert.equal(await this.#stateText(), this.#noted, `${this.session}: the replayed state`);
      this.#noted = undefined;
      this.compared += 1;
    }
    const from = Math.max(1, this.#heard - 40);
    const { events } = await this.#call('journal.read', { session: this.session, from_seq: from, limit: 41 });
    for (const e of events) if (this.events.has(e.seq)) assert.equal(canon(e), this.events.get(e.seq));
    await this.#call('session.subscribe', { session: this.session, from_seq: this.#heard + 1 });
  }

  /** The stored history is the log; a call under way stands behind it as a whole, or not at all. */
  async checkMessages(): Promise<void> {
    const { messages } = await this.#call('session.messages', { session: this.session });
    const stored = messages.map((m: Json) => m.message);
    const more = this.#pending?.messages ?? [];
    const landed = more.length > 0 && stored.length > this.log.length;
    assert.deepEqual(stored, landed ? [...this.log, ...more] : this.log, `${this.session}: the history`);
    let last = 0;
    for (const m of messages) {
      assert.ok(m.seq > last, 'messages come in the order of their events');
      last = m.seq;
    }
  }

  /** One call, or the one that was under way once more with the same key. */
  async #act(): Promise<void> {
    if (this.#pending === undefined) this.#pending = this.#next();
    else this.repeated += 1;
    const { method, params, messages } = this.#pending;
    let result: Json;
    try {
      result = await this.#call(method, params);
    } catch (e) {
      if (e instanceof Cut) throw e;
      const kind = (e as { kind?: string }).kind ?? '';
      assert.ok(
        ['SUMMARY_FAILED', 'CONTEXT_IRREDUCIBLE'].includes(kind),
        `${method}: ${(e as Error).message}`,
      );
      // Nothing of a failed call stays.
      this.refused += 1;
      this.#pending = undefined;
      await this.checkMessages();
      return;
    }
    this.#pending = undefined;
    this.log.push(...messages);
    this.#seq = Math.max(this.#seq, result.seq);
    if (result.hash !== undefined) this.requests.set(result.seq, result.hash);
    this.acknowledged += 1;
    if (this.narrow) return;
    if (this.#roll() < 0.08) await this.checkMessages();
    if (this.#roll() < 0.1) this.#noted = await this.#stateText();
  }

  #next(): Pending {
    const n = ++this.#calls;
    const key = `k${n}`;
    const { session } = this;
    const message = (role: string, i: number, words: number) => ({
      role,
      content: `${session} call ${n} message ${i} ${WORD.repeat(words)}`,
    });
    if (n % 5 === 0) return { method: 'turn.end', params: { session, key }, messages: [] };
    // Some are long enough to be stored as texts of their own.
    const words = this.narrow ? 250 : this.#roll() < 0.2 ? 150 : 4;
    const messages = Array.from({ length: this.narrow ? 4 : 1 + Math.floor(this.#roll() * 3) }, (_, i) =>
      message(i % 2 === 0 ? 'user' : 'assistant', i, words),
    );
    return n % 5 === 2 || n % 5 === 4
      ? { method: 'llm.prepare', params: { session, append: messages, key }, messages }
      : { method: 'session.append', params: { session, messages, key }, messages };
  }

  async #stateText(): Promise<string> {
    // Each opening counts up seq.
    const { seq: _seq, ...state } = await this.#call('session.state', {
      session: this.session,
    });
    return canon(state);
  }

  /** Every request again from the journal, and the hashes that were acknowledged among them. */
  async replay(): Promise<number> {
    const found = await this.#call('journal.replay', { session: this.session });
    assert.equal(found.identical, true, JSON.stringify(found.mismatches));
    let next = 1;
    for (;;) {
      const page = await this.#call('journal.read', { session: this.session, from_seq: next, limit: 1000 });
      for (const e of page.events) {
        assert.equal(e.seq, next++, `${this.session}: seq without a gap`);
        if (this.events.has(e.seq)) assert.equal(canon(e), this.events.get(e.seq));
        const hash = this.requests.get(e.seq);
        if (hash !== undefined) assert.equal(e.hash, hash);
      }
      if (page.events.length === 0) break;
    }
    assert.ok(next > this.#seq && next > this.#heard);
    return found.requests;
  }

  /** Connects for the last check alone. */
  async attend(socket: string): Promise<void> {
    await this.#connect(socket);
    await this.#take();
  }

  leave(): void {
    this.#ws?.terminate();
  }

  #connect(socket: string): Promise<void> {
    const ws = new WebSocket('ws://localhost/v1', ['curated.v1.json'], {
      perMessageDeflate: false,
      maxPayload: 2 ** 28,
      createConnection: () => connectSocket(socket),
    });
    this.#ws = ws;
    this.#ended = false;
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#ended = true;
        for (const w of this.#waiting.values()) w.reject(new Cut());
        this.#waiting.clear();
        reject(new Cut());
      };
      ws.on('open', () => resolve());
      ws.on('error', end);
      ws.on('close', end);
      ws.on('message', (data) => this.#frame(JSON.parse(String(data))));
    });
  }

  #call(method: string, params: Json): Promise<Json> {
    if (this.#ended) return Promise.reject(new Cut());
    const id = ++this.#id;
    this.#ws!.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #frame(frame: Json): void {
    if (frame.method === 'llm.complete') {
      this.held += 1;
      const answer = { text: `The talk of ${this.session} so far, in short.`, stop_reason: 'end_turn' };
      // Long enough that some kills fall into the wait.
      setTimeout(() => {
        if (!this.#ended) this.#ws!.send(JSON.stringify({ jsonrpc: '2.0', id: frame.id, result: answer }));
      }, 25);
    } else if (frame.method !== undefined) {
      const { session: _session, ...event } = frame.params;
      if (event.seq === undefined) return;
      const e = { type: frame.method, ...event };
      // One after the other, over every restart.
      if (e.seq !== this.#heard + 1) this.#fail(`${this.session}: event ${e.seq} after ${this.#heard}`);
      this.#heard = e.seq;
      this.events.set(e.seq, canon(e));
    } else {
      const w = this.#waiting.get(frame.id);
      this.#waiting.delete(frame.id);
      if (frame.error === undefined) w?.resolve(frame.result);
      else w?.reject(Object.assign(new Error(frame.error.message), { kind: frame.error.data?.kind }));
    }
  }

  #fail(why: string): void {
    for (const w of this.#waiting.values()) w.reject(new assert.AssertionError({ message: why }));
    this.#waiting.clear();
  }
}

/** One text for equal values, whatever the order of their fields. */
function canon(value: Json): string {
  return JSON.stringify(value, (_k, v) =>
    v !== null && typeof v === 'object' && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
      : v,
  );
}
