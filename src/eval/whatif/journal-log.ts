// Our own exports: header, blobs and records of one session, one a line. What was stored is the log; what was decided then
// is left aside.
import { classesOfUsage, NO_TOKENS, type TokenClasses } from '../../economics/index.js';
import { attach } from '../../journal/index.js';
import { Native } from '../../json/native.js';
import { specOf } from '../../providers/spec.js';
import type { Format } from '../../providers/types.js';
import { isJson, type Json, type LoggedSession, type LogShape, stringOf } from './logged.js';

export class JournalLog implements LogShape {
  readonly #blobs = new Map<string, Uint8Array>();
  #session: LoggedSession | undefined;
  #done: LoggedSession[] = [];

  static knows(v: Json): boolean {
    if (typeof v['schema_version'] === 'string') return typeof v['session_id'] === 'string';
    if (typeof v['blob'] === 'string') return typeof v['base64'] === 'string';
    return typeof v['event_id'] === 'string' && typeof v['seq'] === 'number' && isJson(v['payload']);
  }

  take(v: Json): boolean {
    if ('schema_version' in v) this.end();
    else if (typeof v['blob'] === 'string')
      this.#blobs.set(v['blob'], Buffer.from(String(v['base64']), 'base64'));
    else return this.#record(v);
    return true;
  }

  drain(): LoggedSession[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  end(): void {
    if (this.#session !== undefined && this.#session.requests.length > 0) this.#done.push(this.#session);
    this.#session = undefined;
    this.#blobs.clear();
  }

  #record(v: Json): boolean {
    const { type } = v;
    let p: Json;
    try {
      p = attach(v['payload'] as Record<string, unknown>, (hash) => this.#blobs.get(hash));
    } catch {
      return false;
    }
    if (type === 'session.opened') {
      const system = textOf(p['system']);
      const tools = textOf(p['tools']);
      this.#session = {
        id: stringOf(v['session_id']) ?? '',
        isPart: false,
        format: p['format'] as Format,
        ...(typeof p['model'] === 'string' ? { model: p['model'] } : {}),
        ...(system === undefined ? {} : { system }),
        ...(tools === undefined ? {} : { tools }),
        messages: [],
        attached: 0,
        requests: [],
      };
    }
    const s = this.#session;
    if (s === undefined) return true;
    if (type === 'session.message') {
      const native = textOf(p['text']);
      if (native === undefined) return false;
      const last = s.requests.at(-1);
      if (
        last !== undefined &&
        last.carried + last.answer === s.messages.length &&
        specOf(s.format).read(native).role === 'assistant'
      )
        last.answer++;
      s.messages.push(native);
    } else if (type === 'llm.request' && p['passthrough'] === undefined) {
      const at = typeof v['ts'] === 'number' ? { at: v['ts'] } : {};
      s.requests.push({ carried: s.messages.length, answer: 0, ...at });
    } else if (type === 'agent.turn.end' || type === 'session.usage') {
      const last = s.requests.at(-1);
      const usage = usageOf(p['usage']);
      if (last !== undefined && usage !== undefined && last.usage === undefined) last.usage = usage;
    }
    return true;
  }
}

function textOf(v: unknown): Native | undefined {
  return typeof v === 'string' && v !== '' ? new Native(v) : undefined;
}

/** The journal keeps reports in one shape: prompt with what of it was read and written. */
function usageOf(v: unknown): TokenClasses | undefined {
  if (!isJson(v) || typeof v['prompt'] !== 'number') return classesOfUsage(v);
  const num = (key: string): number => (typeof v[key] === 'number' ? (v[key] as number) : 0);
  const read = num('cached');
  const write5m = num('written');
  return {
    ...NO_TOKENS,
    uncached: Math.max(0, num('prompt') - read - write5m),
    read,
    write5m,
    output: num('output'),
  };
}
