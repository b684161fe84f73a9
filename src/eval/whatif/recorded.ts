// Recorded conversations as sessions: `{id, format, model?, system?, tools?, messages, meta?}`, one a line.
import { specOf } from '../../providers/spec.js';
import { parseConversation } from '../conversation.js';
import { partsOf } from '../parts.js';
import { recordedClasses } from '../usage-report.js';
import type { Json, LoggedRequest, LoggedSession, LogShape } from './logged.js';

export class RecordedLog implements LogShape {
  readonly #file: string;
  #lines = 0;
  #done: LoggedSession[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  static knows(v: Json): boolean {
    return typeof v['format'] === 'string' && Array.isArray(v['messages']);
  }

  take(_v: Json, text: string): boolean {
    const parsed = parseConversation(text, `${this.#file}#${++this.#lines}`);
    if (!parsed.ok) return false;
    const c = parsed.conversation;
    const spec = specOf(c.format);
    for (const [k, part] of partsOf(c).entries()) {
      const requests: LoggedRequest[] = [];
      for (const [i, { native, usage }] of part.messages.entries()) {
        if (i === 0 || spec.read(native).role !== 'assistant') continue;
        // With Responses one answer is several items; with the others each is a message of its own.
        const before = requests.at(-1);
        if (c.format === 'openai-responses' && before !== undefined && before.carried + before.answer === i) {
          before.answer++;
          continue;
        }
        requests.push({
          carried: i,
          answer: 1,
          ...(usage?.model === undefined ? {} : { model: usage.model }),
          ...(usage === undefined ? {} : { usage: recordedClasses(usage) }),
        });
      }
      if (requests.length === 0) continue;
      this.#done.push({
        id: k === 0 ? c.id : `${c.id}#${k + 1}`,
        isPart: k > 0,
        format: c.format,
        ...(c.model === undefined ? {} : { model: c.model }),
        ...(c.system === undefined ? {} : { system: c.system }),
        ...(c.tools === undefined ? {} : { tools: c.tools }),
        messages: part.messages.map((m) => m.native),
        attached: 0,
        requests,
      });
    }
    return true;
  }

  drain(): LoggedSession[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  end(): void {}
}
