// Codex' rollout files: `{timestamp, type, payload}` a line, or bare items in old ones. Items are those of the Responses
// API; `token_count` reports what a request used, sometimes twice.
import { NO_TOKENS, type TokenClasses } from '../../economics/index.js';
import { sliceValue } from '../../json/index.js';
import { Native } from '../../json/native.js';
import {
  isJson,
  type Json,
  type LoggedRequest,
  type LoggedSession,
  type LogShape,
  nativeOf,
  stringOf,
  timeOf,
} from './logged.js';

const LINES = new Set(['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted']);
const ITEMS = new Set([
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'web_search_call',
]);

export class CodexLog implements LogShape {
  #id = '';
  #parts = 0;
  #model: string | undefined;
  #system: Native | undefined;
  #items: Native[] = [];
  #requests: LoggedRequest[] = [];
  /** First item of the answer that is coming in. */
  #answerFrom: number | undefined;
  #answerTo = 0;
  #at: number | undefined;
  #totals = '';
  #before: TokenClasses = { ...NO_TOKENS };
  #done: LoggedSession[] = [];

  static knows(v: Json): boolean {
    const type = stringOf(v['type']);
    if (type !== undefined && LINES.has(type)) return isJson(v['payload']);
    if (type !== undefined && ITEMS.has(type)) return !('payload' in v);
    return type === undefined && 'instructions' in v && 'timestamp' in v && typeof v['id'] === 'string';
  }

  take(v: Json, text: string): boolean {
    const payload = v['payload'];
    const at = timeOf(v['timestamp']);
    const type = stringOf(v['type']);
    if (!isJson(payload)) {
      if (type === undefined) this.#open(v);
      else this.#item(v, text, at);
      return true;
    }
    if (type === 'session_meta') this.#open(payload);
    else if (type === 'turn_context') this.#model = stringOf(payload['model']) ?? this.#model;
    else if (type === 'compacted') this.#compacted(payload);
    else if (type === 'event_msg') this.#event(payload, at);
    else if (ITEMS.has(String(payload['type'])))
      this.#item(payload, sliceValue(text, ['payload']) ?? JSON.stringify(payload), at);
    else return false;
    return true;
  }

  drain(): LoggedSession[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  end(): void {
    this.#close();
    this.#parts = 0;
  }

  #open(meta: Json): void {
    this.#close();
    this.#parts = 0;
    this.#totals = '';
    this.#before = { ...NO_TOKENS };
    this.#id = stringOf(meta['id']) ?? '';
    this.#model = stringOf(meta['model']);
    const base = meta['base_instructions'];
    this.#system = nativeOf(stringOf(isJson(base) ? base['text'] : undefined) ?? meta['instructions']);
  }

  #item(item: Json, text: string, at: number | undefined): void {
    const type = String(item['type'] ?? 'message');
    const isAnswer =
      type === 'message' ? item['role'] === 'assistant' : !type.endsWith('_output') && type !== 'message';
    if (isAnswer) {
      if (this.#answerFrom === undefined) {
        this.#answerFrom = this.#items.length;
        this.#at = at;
      } else if (this.#answerTo < this.#items.length) {
        // Something came between: an answer without a report, then the next one.
        this.#answered(undefined);
        this.#answerFrom = this.#items.length;
        this.#at = at;
      }
    }
    this.#items.push(new Native(text));
    if (isAnswer) this.#answerTo = this.#items.length;
  }

  #event(payload: Json, at: number | undefined): void {
    if (payload['type'] !== 'token_count' || !isJson(payload['info'])) return;
    const total = payload['info']['total_token_usage'];
    if (!isJson(total)) return;
    const key = JSON.stringify(total);
    if (key === this.#totals) return;
    this.#totals = key;
    const sum = classes(total);
    const last = payload['info']['last_token_usage'];
    const used = isJson(last) ? classes(last) : less(sum, this.#before);
    this.#before = sum;
    this.#at ??= at;
    this.#answered(used);
  }

  #answered(usage: TokenClasses | undefined): void {
    const from = this.#answerFrom ?? this.#items.length;
    const to = Math.max(from, this.#answerFrom === undefined ? from : this.#answerTo);
    this.#answerFrom = undefined;
    this.#requests.push({
      carried: from,
      answer: to - from,
      ...(this.#at === undefined ? {} : { at: this.#at }),
      ...(this.#model === undefined ? {} : { model: this.#model }),
      ...(usage === undefined ? {} : { usage }),
    });
    this.#at = undefined;
  }

  /** The context was replaced by a summary, or by what the line says. */
  #compacted(payload: Json): void {
    this.#close();
    const history = payload['replacement_history'];
    const items = Array.isArray(history) ? history.filter(isJson) : [];
    const summary = stringOf(payload['message']);
    if (items.length === 0 && summary !== undefined)
      items.push({ type: 'message', role: 'user', content: [{ type: 'input_text', text: summary }] });
    this.#items = items.map((i) => new Native(JSON.stringify(i)));
  }

  #close(): void {
    if (this.#answerFrom !== undefined) this.#answered(undefined);
    if (this.#requests.length > 0) {
      this.#done.push({
        id: this.#parts === 0 ? this.#id : `${this.#id}#${this.#parts + 1}`,
        isPart: this.#parts > 0,
        format: 'openai-responses',
        ...(this.#model === undefined ? {} : { model: this.#model }),
        ...(this.#system === undefined ? {} : { system: this.#system }),
        messages: this.#items,
        attached: 0,
        requests: this.#requests,
      });
      this.#parts++;
    }
    this.#items = [];
    this.#requests = [];
  }
}

/** Codex' own names; cached input is part of the input. */
function classes(u: Json): TokenClasses {
  const num = (key: string): number => {
    const v = u[key];
    return typeof v === 'number' && v > 0 ? v : 0;
  };
  const read = Math.min(num('cached_input_tokens'), num('input_tokens'));
  return { ...NO_TOKENS, uncached: num('input_tokens') - read, read, output: num('output_tokens') };
}

function less(a: TokenClasses, b: TokenClasses): TokenClasses {
  const d = (key: keyof TokenClasses) => Math.max(0, a[key] - b[key]);
  return { ...NO_TOKENS, uncached: d('uncached'), read: d('read'), output: d('output') };
}
