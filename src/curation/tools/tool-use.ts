// When each tool was last used: called, or named in what user and assistant wrote. An index over the messages, made
// anew from them after a restart. Pure.

import type { Survey } from '../survey.js';

/** Runs that may be a tool's name: words joined by the signs that names have inside. */
const RUN =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Nd}_]+(?:[.:/-][\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Nd}_]+)*/gu;

/** Names that a text may hold as whole words: `read` is not in `read-only`, `web.read` or `reads`. */
export function* namesIn(text: string): Generator<string> {
  for (const [run] of text.matchAll(RUN)) {
    yield run;
    if (/[:/]/.test(run)) yield* run.split(/[:/]/);
  }
}

export type UseReason = 'invoke' | 'mention' | 'discover';

export interface LastUse {
  turn: number;
  reason: UseReason;
}

export class ToolUse {
  readonly #mentioned = new Map<string, number>();
  /** Tools that a block in the history refers to: the provider wants them declared (PV-A46). */
  readonly #declared = new Set<string>();
  #scanned = 0;
  #names: ReadonlySet<string> = new Set();
  #namesOf: unknown;

  /** Takes in what is new. Costs what the new messages hold; everything anew after a divergence or another tool list. */
  sync(survey: Survey): void {
    const { tools, messages } = survey;
    if (tools === undefined) return;
    if (messages.length < this.#scanned || this.#namesOf !== tools.catalog) {
      this.#names = new Set(tools.catalog.map((t) => t.key));
      this.#namesOf = tools.catalog;
      this.#mentioned.clear();
      this.#declared.clear();
      this.#scanned = 0;
    }
    for (; this.#scanned < messages.length; this.#scanned += 1) {
      const { reading, native, turn } = messages[this.#scanned]!;
      if (reading.role === 'user' || reading.role === 'assistant') {
        for (const part of reading.parts) {
          if (part.kind !== 'text' || part.text === undefined) continue;
          for (const name of namesIn(part.text)) {
            if (this.#names.has(name)) this.#mentioned.set(name, turn);
          }
        }
      }
      if (/"tool_(?:reference|addition|removal)"/.test(native.text)) this.#declare(native.text);
    }
  }

  isDeclared(key: string): boolean {
    return this.#declared.has(key);
  }

  /** The newest use; of several in one turn the call counts before discovery, and that before a mention. */
  last(survey: Survey, key: string): LastUse | undefined {
    const { tools } = survey;
    let best: LastUse | undefined;
    const take = (turn: number | undefined, reason: UseReason) => {
      if (turn !== undefined && (best === undefined || turn > best.turn)) best = { turn, reason };
    };
    take(tools?.invoked.get(key), 'invoke');
    take(tools?.discovered.get(key), 'discover');
    take(this.#mentioned.get(key), 'mention');
    return best;
  }

  #declare(text: string): void {
    for (const [, name] of text.matchAll(/"(?:tool_name|name)"\s*:\s*"([^"\\]+)"/g))
      this.#declared.add(name!);
  }
}
