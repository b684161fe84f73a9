// Our own journals: exports (header, blobs and records, one a line) and events as `journal.read` gives them. What was stored
// is the log; what was decided then is left aside.
import type { TokenClasses } from '../../economics/index.js';
import { attach } from '../../journal/index.js';
import { sliceValue } from '../../json/index.js';
import { Native } from '../../json/native.js';
import { specOf } from '../../providers/spec.js';
import type { Format } from '../../providers/types.js';
import { classesOf } from '../usage-report.js';
import { isJson, type Json, type LoggedSession, type LogShape, stringOf } from './logged.js';

export class JournalLog implements LogShape {
  readonly #blobs = new Map<string, Uint8Array>();
  #id = '';
  #session: LoggedSession | undefined;
  #done: LoggedSession[] = [];

  static knows(v: Json): boolean {
    if (typeof v['schema_version'] === 'string') return typeof v['session_id'] === 'string';
    if (typeof v['blob'] === 'string') return typeof v['base64'] === 'string';
    if (typeof v['seq'] !== 'number' || typeof v['type'] !== 'string') return false;
    if (isJson(v['payload'])) return typeof v['event_id'] === 'string';
    return typeof v['turn'] === 'number' && typeof v['ts'] === 'number';
  }

  take(v: Json, text: string): boolean {
    if ('schema_version' in v) {
      this.end();
      this.#id = stringOf(v['session_id']) ?? '';
    } else if (typeof v['blob'] === 'string')
      this.#blobs.set(v['blob'], Buffer.from(String(v['base64']), 'base64'));
    else return this.#record(v, text);
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

  #record(v: Json, text: string): boolean {
    const { type } = v;
    let p: Json;
    try {
      p = isJson(v['payload'])
        ? attach(v['payload'] as Record<string, unknown>, (hash) => this.#blobs.get(hash))
        : projected(v, text);
    } catch {
      return false;
    }
    if (type === 'session.opened') {
      const system = textOf(p['system']);
      const tools = textOf(p['tools']);
      this.#session = {
        id: stringOf(v['session_id']) ?? this.#id,
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

/** An event as it goes over the wire: its exact texts stand in it as the values they are. */
function projected(v: Json, text: string): Json {
  const fields = v['type'] === 'session.message' ? ['message'] : ['system', 'tools'];
  const texts = fields.map((f) => [f === 'message' ? 'text' : f, sliceValue(text, [f])] as const);
  return { ...v, ...Object.fromEntries(texts.filter(([, t]) => t !== undefined)) };
}

function textOf(v: unknown): Native | undefined {
  return typeof v === 'string' && v !== '' ? new Native(v) : undefined;
}

/** The journal keeps reports in one shape: prompt with what of it was read and written. */
function usageOf(v: unknown): TokenClasses | undefined {
  if (!isJson(v)) return undefined;
  const num = (key: string): number => (typeof v[key] === 'number' ? (v[key] as number) : 0);
  const [prompt, cached] = [num('prompt'), num('cached')];
  const written = Math.min(num('written'), Math.max(0, prompt - cached));
  if (prompt === 0) return undefined;
  const written1h = Math.min(num('written1h'), written);
  return classesOf({ prompt, cached: Math.min(cached, prompt), written, written1h, output: num('output') });
}
