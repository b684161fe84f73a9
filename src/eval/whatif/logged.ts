// What an agent's log says about one session, whatever tool wrote it: messages in the provider's shape and the requests
// that were made of them. Pure.
import type { TokenClasses } from '../../economics/index.js';
import { Native } from '../../json/native.js';
import type { Format } from '../../providers/types.js';

/** One request to the model: it carried the session's first `carried` messages, `answer` messages behind them answer it. */
export interface LoggedRequest {
  carried: number;
  answer: number;
  /** Epoch ms. */
  at?: number;
  model?: string;
  /** As the provider reported it; absent: to be counted. */
  usage?: TokenClasses;
}

/** Messages that one context held. A session whose context was replaced comes in several. */
export interface LoggedSession {
  id: string;
  /** Whose context this continues or is part of: it does not count as a session of its own. */
  isPart: boolean;
  format: Format;
  model?: string;
  system?: Native;
  tools?: Native;
  messages: Native[];
  /** Leading messages that were sent before, in requests that are counted elsewhere. */
  attached: number;
  /** In order; `carried` grows. */
  requests: LoggedRequest[];
}

/** A reader of one kind of log. It takes line after line and hands out sessions as they are complete. */
export interface LogShape {
  /** @returns false for a line that it can make nothing of */
  take(value: Json, text: string): boolean;
  /** Sessions that are complete by now; each is handed out once. */
  drain(): LoggedSession[];
  /** The file is over. */
  end(): void;
}

export type Json = Readonly<Record<string, unknown>>;

export function isJson(v: unknown): v is Json {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}

export function stringOf(v: unknown): string | undefined {
  return typeof v === 'string' && v !== '' ? v : undefined;
}

/** ISO text, seconds or milliseconds as epoch ms. */
export function timeOf(v: unknown): number | undefined {
  if (typeof v === 'number' && Number.isFinite(v) && v > 0) return v < 1e11 ? Math.round(v * 1000) : v;
  if (typeof v !== 'string') return undefined;
  const at = Date.parse(v);
  return Number.isNaN(at) ? undefined : at;
}

export function nativeOf(value: unknown): Native | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (Array.isArray(value) && value.length === 0) return undefined;
  return new Native(JSON.stringify(value), value);
}

/** UTF-16 units of all its texts. */
export function sizeOf(session: LoggedSession): number {
  let units = (session.system?.text.length ?? 0) + (session.tools?.text.length ?? 0);
  for (const m of session.messages) units += m.text.length;
  return units;
}
