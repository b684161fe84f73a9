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

export class Trace {
  readonly spans: Span[] = [];
  readonly #mono: () => number;
  readonly #began: number;

  /** @param mono milliseconds that only grow */
  constructor(mono: () => number) {
    this.#mono = mono;
    this.#began = mono();
  }

  /** Opens a span; `end` it once. Work for the same stage after that is added with `extend`. */
  begin(layer: string, tokens: number): Open {
    const from = this.#mono();
    const span: Span = {
      layer,
      start_ms: round(from - this.#began),
      ms: 0,
      tokens,
      tokens_delta: 0,
      decision: 'none',
      decisions: 0,
    };
    this.spans.push(span);
    return new OpenSpan(span, this.#mono, from);
  }
}

class OpenSpan implements Open {
  readonly #span: Span;
  readonly #mono: () => number;
  readonly #from: number;

  constructor(span: Span, mono: () => number, from: number) {
    this.#span = span;
    this.#mono = mono;
    this.#from = from;
  }

  end(end?: Partial<SpanEnd>): void {
    this.#span.ms = round(this.#mono() - this.#from);
    if (end !== undefined) Object.assign(this.#span, end);
  }

  extend(work: () => Partial<SpanEnd> | undefined): void {
    const again = this.#mono();
    const told = work();
    this.#span.ms = round(this.#span.ms + this.#mono() - again);
    if (told !== undefined) Object.assign(this.#span, told);
  }
}

export interface Open {
  end(end?: Partial<SpanEnd>): void;
  /** More work for it, behind that of other stages. */
  extend(work: () => Partial<SpanEnd> | undefined): void;
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
