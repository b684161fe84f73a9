// A logged session under a preset: turns and rounds as the agent had them, the preset's decisions before each request, and
// the token classes that the edited requests would have had. The decisions are told those, as a daemon would have been.

import type { TokenClasses } from '../../economics/index.js';
import { CuratedError } from '../../errors.js';
import type { PresetName } from '../../settings/index.js';
import { headCount } from '../../sorted.js';
import { DEFAULT_MODEL } from '../bill.js';
import type { CountText } from '../tally.js';
import { usageReport } from '../usage-report.js';
import { stretchedWindow } from '../window-of.js';
import { adjust } from './adjust.js';
import type { Baseline } from './baseline.js';
import { Decider } from './decider.js';
import type { MeasuredSession } from './measured.js';

export interface PlayedLog {
  /** One per request. */
  classes: TokenClasses[];
  /** Provider's tokens that were cached and are written again for an edit, per request. */
  rewritten: number[];
  /** Decisions by event type. */
  decisions: ReadonlyMap<string, number>;
  /** Requests that would not have fitted the window. */
  refused: number;
  /** The session after the last request. */
  decider: Decider;
}

export interface PlayLogOptions {
  count: CountText;
  now: number;
  /** Absent: the configuration's own. */
  preset?: PresetName;
  /** Value of the YAML configuration. */
  config?: Record<string, unknown>;
  /** After each request: how long it took to prepare, tokens of its answer, and the session as it is then. */
  onRequest?: (r: {
    index: number;
    ms: number;
    tokens: number;
    output: number;
    isNewTurn: boolean;
    decider: Decider;
  }) => void;
}

export async function playLog(m: MeasuredSession, b: Baseline, o: PlayLogOptions): Promise<PlayedLog> {
  const { logged } = m;
  const model = logged.model ?? DEFAULT_MODEL[logged.format];
  const largest = Math.max(...logged.requests.map((r) => m.before[r.carried]!));
  const decider = await Decider.open(logged, {
    model,
    ...(o.preset === undefined ? {} : { preset: o.preset }),
    ...(o.config === undefined ? {} : { config: o.config }),
    count: o.count,
    taken: m.taken,
    at: logged.requests[0]?.at ?? o.now,
    window: stretchedWindow(model, largest),
  });
  const played: PlayedLog = {
    classes: [],
    rewritten: [],
    decisions: decider.decisions,
    refused: 0,
    decider,
  };
  await decider.append(logged.messages.slice(0, logged.attached), true);
  let done = logged.attached;
  let used: TokenClasses | undefined;
  for (const [i, request] of logged.requests.entries()) {
    decider.moveTo(request.at);
    const fresh = news(m, done, request.carried);
    await decider.append(logged.messages.slice(done, fresh.from));
    if (used !== undefined && (fresh.userTurn || fresh.from > done))
      await decider.endTurn(fresh.userTurn, usageReport(logged.format, used));
    const from = performance.now();
    used = await step(m, b, i, fresh.from, played);
    o.onRequest?.({
      index: i,
      ms: performance.now() - from,
      tokens: decider.tokens,
      output: used.output,
      isNewTurn: fresh.userTurn,
      decider,
    });
    await decider.append(logged.messages.slice(request.carried, request.carried + request.answer));
    done = Math.max(done, request.carried + request.answer);
  }
  return played;
}

/** One request: decided, then held against the recorded one. */
async function step(
  m: MeasuredSession,
  b: Baseline,
  i: number,
  newFrom: number,
  played: PlayedLog,
): Promise<TokenClasses> {
  const { decider } = played;
  const base = b.classes[i]!;
  const { carried } = m.logged.requests[i]!;
  const off = m.before[carried]!;
  let stable: number | undefined;
  try {
    stable = await decider.prepare(m.logged.messages.slice(newFrom, carried));
  } catch (e) {
    if (!(e instanceof CuratedError)) throw e;
    played.refused++;
  }
  const { classes, rewritten } = adjust(base, b, {
    freed: off - decider.tokens,
    freedWithin: (tokens) => {
      const at = lastWithin(m.before, tokens);
      return at < 0 ? 0 : m.before[at]! - decider.tokensBefore(at);
    },
    ...(stable === undefined ? {} : { stable }),
  });
  played.classes.push(classes);
  played.rewritten.push(rewritten);
  return classes;
}

/** What is new before a request: results first, which belong to the round that ends; then what the user and others said. */
function news(m: MeasuredSession, from: number, to: number): { from: number; userTurn: boolean } {
  let at = from;
  while (at < to && m.readings[at]!.parts.length > 0 && onlyResults(m, at)) at++;
  let userTurn = false;
  for (let i = at; i < to; i++) {
    const { role, ownText } = m.readings[i]!;
    if (role === 'user' && ownText.trim() !== '') userTurn = true;
  }
  return { from: at, userTurn };
}

function onlyResults(m: MeasuredSession, at: number): boolean {
  return m.readings[at]!.parts.every((p) => p.kind === 'tool_result');
}

/** The largest index whose value is at most `tokens`; -1 if there is none. */
function lastWithin(sums: Float64Array, tokens: number): number {
  return headCount(sums.length, (i) => sums[i]! <= tokens) - 1;
}
