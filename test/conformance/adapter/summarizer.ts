// The fake summariser (README 3): answers llm.complete as a case wants it and records what it was given.
import { textTokens } from '../tokens.js';
import { arr, isObj, num, type Obj, objs, str } from '../types.js';

const ECHO_CHARS = 80;

/** All text of the messages of an llm.complete request. */
function inputText(params: Obj): string {
  return objs(params['messages'])
    .flatMap((m) => {
      const content = m['content'];
      if (typeof content === 'string') return [content];
      return objs(content).map((b) => str(b['text']) ?? JSON.stringify(b));
    })
    .join('\n');
}

export class FakeSummarizer {
  readonly calls: { input_text: string }[] = [];
  readonly #fake: unknown;
  readonly #delay: number;
  readonly #maxInput: number | undefined;
  #used = 0;

  constructor(config: unknown) {
    const spec = isObj(config) ? config : {};
    this.#fake = spec['fake'] ?? 'echo';
    const inner = isObj(this.#fake) ? this.#fake : {};
    this.#delay = num(spec['delay_ms']) ?? num(inner['delay_ms']) ?? 0;
    this.#maxInput = num(spec['max_input_tokens']) ?? num(inner['max_input_tokens']);
  }

  /** Capability that a client with this model declares. */
  get capability(): Obj {
    return this.#maxInput === undefined ? {} : { max_input_tokens: this.#maxInput };
  }

  async complete(params: Obj): Promise<Obj> {
    const text = inputText(params);
    this.calls.push({ input_text: text });
    const behaviour = this.#behaviour();
    if (this.#delay > 0) await new Promise((r) => setTimeout(r, this.#delay));
    if (this.#maxInput !== undefined && textTokens(text) > this.#maxInput) {
      throw new Error('prompt is too long for the summariser');
    }
    return answerOf(behaviour, text);
  }

  #behaviour(): unknown {
    const fake = this.#fake;
    if (!isObj(fake) || !('sequence' in fake)) return fake;
    const list = arr(fake['sequence']);
    return list[Math.min(this.#used++, list.length - 1)];
  }
}

function answerOf(fake: unknown, text: string): Obj {
  if (isObj(fake)) {
    if ('error' in fake)
      throw new Error(String(isObj(fake['error']) ? fake['error']['message'] : fake['error']));
    if ('tool_call' in fake) {
      const call = { id: 'call_fake', name: String(fake['tool_call']), arguments: '{}' };
      return { text: '', stop_reason: 'tool_use', tool_calls: [call] };
    }
    if ('text_repeat' in fake) {
      const [t, n] = arr(fake['text_repeat']);
      return { text: String(t).repeat(Number(n)), stop_reason: 'end_turn' };
    }
    if ('text' in fake) {
      return {
        text: String(fake['text']),
        stop_reason: fake['finish'] === 'length' ? 'max_tokens' : 'end_turn',
      };
    }
  }
  return { text: `ECHO: ${[...text].slice(0, ECHO_CHARS).join('')}`, stop_reason: 'end_turn' };
}
