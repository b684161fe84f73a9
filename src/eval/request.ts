// A prepared request taken apart: exact texts of its messages, read and counted once each however often they come back.
import { sliceValue, sliceValues } from '../json/index.js';
import { Native } from '../json/native.js';
import { withoutMarks } from '../providers/marks.js';
import type { Profile } from '../providers/types.js';
import { type Counted, type CountText, Tally } from './tally.js';

export interface SeenRequest {
  /** Exact texts; '' when absent. */
  system: string;
  tools: string;
  systemTokens: number;
  toolTokens: number;
  messages: Counted[];
  tokens: number;
}

export class RequestReader {
  readonly #tally: Tally;
  readonly #format: Profile['format'];
  readonly #messages = new Map<string, Counted>();
  readonly #heads = new Map<string, number>();

  constructor(profile: Profile, count: CountText) {
    this.#format = profile.format;
    this.#tally = new Tally(profile, count, withoutMarks);
  }

  /** From the exact JSON text of `{system?, tools?, messages}`. */
  read(text: string): SeenRequest {
    return this.make(
      sliceValue(text, ['system']) ?? '',
      sliceValue(text, ['tools']) ?? '',
      sliceValues(text, ['messages']) ?? [],
    );
  }

  make(system: string, tools: string, messageTexts: readonly string[]): SeenRequest {
    const messages = messageTexts.map((t) => this.message(t));
    const systemTokens = this.#head(
      `s${system}`,
      () => this.#tally.system(JSON.parse(system)),
      system === '',
    );
    const toolTokens = this.#head(
      `t${tools}`,
      () => this.#tally.tools(JSON.parse(tools), this.#format),
      tools === '',
    );
    const tokens = messages.reduce((sum, m) => sum + m.tokens, systemTokens + toolTokens);
    return { system, tools, systemTokens, toolTokens, messages, tokens };
  }

  message(text: string): Counted {
    let found = this.#messages.get(text);
    if (found === undefined) {
      found = this.#tally.message(new Native(text));
      this.#messages.set(text, found);
    }
    return found;
  }

  #head(key: string, count: () => number, isEmpty: boolean): number {
    if (isEmpty) return 0;
    let tokens = this.#heads.get(key);
    if (tokens === undefined) {
      tokens = count();
      this.#heads.set(key, tokens);
    }
    return tokens;
  }
}
