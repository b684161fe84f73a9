// What one call did to the request, stage by stage: a span each, in the order in which they ran (P-3). Pure; the clock is
// handed in.

/** Stages behind the deterministic layers; every layer has a span of its own name. */
export type Stage = 'measure' | 'summary_buffer' | 'context_window' | 'compaction';

export interface Span {
  /** A layer's name as in events, or a stage. */
  layer: string;
  /** Since the call began, and how long it took. Milliseconds. */
  start_ms: number;
  ms: number;
  /** Tokens of the request when the stage began, and what its decisions change. */
  tokens: number;
  tokens_delta: number;
  /** `none`: nothing to decide. `waits`: what is offered does not go now. `edits`: the request changes. `holds`: the call waits. */
  decision: 'none' | 'waits' | 'edits' | 'holds';
  /** Events of decisions, envelopes aside. */
  decisions: number;
}

/** How a stage ended. */
export type SpanEnd = Pick<Span, 'tokens_delta' | 'decision' | 'decisions'>;

export interface Open {
  end(end?: Partial<SpanEnd>): void;
  /** More work for it, behind that of other stages: until the next `end`. */
  resume(): void;
}

/** Each session keeps that of its last call, and few are ever read: spans are written out when somebody asks. */
export class Trace {
  readonly #spans: Running[] = [];
  readonly #mono: () => number;
  readonly #began: number;

  /** @param mono milliseconds that only grow */
  constructor(mono: () => number) {
    this.#mono = mono;
    this.#began = mono();
  }

  get spans(): Span[] {
    return this.#spans.map((s) => s.told());
  }

  /** Opens a span; it runs until its `end`. */
  begin(layer: string, tokens: number): Open {
    const span = new Running(this, layer, tokens);
    this.#spans.push(span);
    return span;
  }

  /** Whole microseconds since the call began. */
  now(): number {
    return Math.round((this.#mono() - this.#began) * 1000);
  }
}

class Running implements Open {
  readonly #trace: Trace;
  readonly #layer: string;
  readonly #tokens: number;
  /** Microseconds: when it began, when it began to run again, and how long it has run. */
  readonly #start: number;
  #from: number;
  #took = 0;
  #delta = 0;
  #decision: Span['decision'] = 'none';
  #decisions = 0;

  constructor(trace: Trace, layer: string, tokens: number) {
    this.#trace = trace;
    this.#layer = layer;
    this.#tokens = tokens;
    this.#start = trace.now();
    this.#from = this.#start;
  }

  end(end?: Partial<SpanEnd>): void {
    this.#took += this.#trace.now() - this.#from;
    if (end === undefined) return;
    this.#delta = end.tokens_delta ?? this.#delta;
    this.#decision = end.decision ?? this.#decision;
    this.#decisions = end.decisions ?? this.#decisions;
  }

  resume(): void {
    this.#from = this.#trace.now();
  }

  told(): Span {
    return {
      layer: this.#layer,
      start_ms: this.#start / 1000,
      ms: this.#took / 1000,
      tokens: this.#tokens,
      tokens_delta: this.#delta,
      decision: this.#decision,
      decisions: this.#decisions,
    };
  }
}
