// A logged session with its tokens as the product counts them: per message, and what of it is which kind and which tool's.
// Pure but for the counter it is handed.
import { namesIn } from '../../curation/identifiers.js';
import { profileOf } from '../../providers/profile.js';
import { specOf } from '../../providers/spec.js';
import type { Native, Part, Profile, Reading } from '../../providers/types.js';
import { type Taken, takenFrom } from '../../session/intake/taken.js';
import { combine, measureMessage, measureSystem, measureTools } from '../../tokens/request-count.js';
import { DEFAULT_MODEL } from '../bill.js';
import type { CountText } from '../tally.js';
import type { LoggedSession } from './logged.js';

export interface MeasuredSession {
  logged: LoggedSession;
  profile: Profile;
  readings: Reading[];
  /** The messages as sessions take them in, for all that are played on them. */
  taken: WeakMap<Native, Taken>;
  /** Tokens of the static part and of the first i messages. */
  before: Float64Array;
  /** Blocks of the first i messages. */
  blocks: Uint32Array;
  /** Tokens of each part of each message. */
  parts: (readonly number[])[];
  systemTokens: number;
  toolTokens: number;
}

/** @param count counts texts; remembers them, since every preset asks for the same ones */
export function measure(logged: LoggedSession, count: CountText): MeasuredSession {
  const { format, messages } = logged;
  const profile = profileOf(format, logged.model ?? DEFAULT_MODEL[format]);
  const spec = specOf(format);
  const readings = messages.map((m) => spec.read(m));
  const sum = (m: ReturnType<typeof measureSystem>) => combine(m, m.texts.map(count)).tokens;
  const systemTokens = logged.system === undefined ? 0 : sum(measureSystem(logged.system.value));
  const list: unknown = logged.tools?.value;
  const toolTokens = Array.isArray(list) ? sum(measureTools(list, format)) : 0;
  const before = new Float64Array(messages.length + 1);
  const blocks = new Uint32Array(messages.length + 1);
  before[0] = systemTokens + toolTokens;
  const taken = new WeakMap<Native, Taken>();
  const parts = readings.map((reading, i) => {
    const m = measureMessage(reading, profile.image);
    const { taken: own, measured } = takenFrom(messages[i]!, reading, m, m.texts.map(count));
    const { tokens } = own;
    taken.set(own.native, own);
    before[i + 1] = before[i]! + tokens;
    blocks[i + 1] = blocks[i]! + Math.max(1, reading.parts.length);
    return measured.parts;
  });
  return { logged, profile, readings, taken, before, blocks, parts, systemTokens, toolTokens };
}

/** Looks for the names in all parts, once for all that asks for them afterwards. */
export function findNames(m: MeasuredSession): void {
  for (const { parts } of m.readings) for (const part of parts) if (mayName(part)) part.names = namesIn(part);
}

function mayName({ kind }: Part): boolean {
  return kind === 'text' || kind === 'tool_call' || kind === 'tool_result';
}

/** Tokens of the answer to request `i`, as counted. */
export function answerTokens(m: MeasuredSession, i: number): number {
  const r = m.logged.requests[i]!;
  return m.before[r.carried + r.answer]! - m.before[r.carried]!;
}
