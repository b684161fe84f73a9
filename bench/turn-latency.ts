// What the hook costs an agent before each model call: `session.append` of 1.5 KB and `llm.prepare`, one after the other,
// on sessions of 50,000 tokens. Wall time as the client sees it over the unix socket. Beside it the same in one call, an `llm.prepare`
// that brings its messages, as the client's `prepare({ append })` sends it, and a call that the daemon refuses unread: what a round
// trip takes on this machine when nothing is done. With `--with-summaries` the same
// turns beside summaries that are being written, against turns of the same run with none; `--blocks=N` makes it longer and
// `--kinds=others,cores` leaves out the other kinds of load, `--spans` tells what the daemon's main thread did at one stretch for
// long. With `--durable` turns that wait for the disk, against turns that do
// not and a journal in memory.
import { besideSummaries } from './daemon/beside-summaries.js';
import { daemonChild } from './daemon/child.js';
import { durableTurns } from './daemon/durable-turns.js';
import { appendParams, loadedSession, prepareParams, quantile, took, turnParams } from './daemon/load.js';
import { Wire } from './daemon/wire.js';
import { type BenchOptions, type BenchResult, machineLine, round } from './harness.js';

/** Fresh sessions keep the size near 50,000 tokens: 50 turns add about 20,000. */
const SESSIONS = 80;
const TURNS = 50;
/** A daemon runs for weeks: its compilers have long settled, which takes some thousand turns. */
const WARM_SESSIONS = 40;
const KINDS = ['patch', 'full'] as const;
type Kind = (typeof KINDS)[number];

export default async function run({ args }: BenchOptions): Promise<BenchResult> {
  if (args.includes('--durable'))
    return { name: 'turn-latency', figures: { machine: machineLine(), ...(await durableTurns()) } };
  const withSummaries = args.includes('--with-summaries');
  const daemon = await daemonChild({ watchLoop: withSummaries });
  try {
    if (withSummaries) {
      const named = (name: string) => args.find((a) => a.startsWith(`--${name}=`))?.split('=')[1];
      const [blocks, kinds] = [named('blocks'), named('kinds')?.split(',')];
      const figures = await besideSummaries(daemon, {
        ...(blocks === undefined ? {} : { blocks: Number(blocks) }),
        ...(kinds === undefined ? {} : { kinds }),
        spans: args.includes('--spans'),
      });
      return { name: 'turn-latency', figures: { machine: machineLine(), ...figures } };
    }
    const wire = await Wire.open(daemon.socket);
    const figures: Record<string, number | string> = { machine: machineLine() };
    const times: Record<Kind, number[]> = { patch: [], full: [] };
    const oneCall: number[] = [];
    const empty: number[] = [];
    for (let s = 0; s < SESSIONS; s++) {
      for (const kind of KINDS) {
        const session = await loadedSession(wire, `${kind}-${s}`, { holds: kind === 'patch' });
        for (let i = 0; i < TURNS; i++) {
          const append = appendParams(session);
          const start = performance.now();
          await wire.call('session.append', append);
          const answer = await wire.call('llm.prepare', prepareParams(session, kind));
          if (s >= WARM_SESSIONS) times[kind].push((performance.now() - start) * 1000);
          took(session, answer);
        }
      }
      const session = await loadedSession(wire, `one-${s}`, { holds: true });
      for (let i = 0; i < TURNS; i++) {
        const params = turnParams(session);
        const start = performance.now();
        const answer = await wire.call('llm.prepare', params);
        const answered = performance.now();
        await refused(wire);
        if (s >= WARM_SESSIONS) {
          oneCall.push((answered - start) * 1000);
          empty.push((performance.now() - answered) * 1000);
        }
        took(session, answer);
      }
    }
    for (const kind of KINDS) {
      const prefix = kind === 'patch' ? '' : 'full_';
      figures[`${prefix}p50_us`] = round(quantile(times[kind], 0.5));
      figures[`${prefix}p99_us`] = round(quantile(times[kind], 0.99));
    }
    figures['one_call_p50_us'] = round(quantile(oneCall, 0.5));
    figures['one_call_p99_us'] = round(quantile(oneCall, 0.99));
    figures['empty_call_p50_us'] = round(quantile(empty, 0.5));
    await wire.close();
    return { name: 'turn-latency', figures };
  } finally {
    await daemon.stop();
  }
}

/** A round trip of a call that there is not: through the socket, the gate and the codec, and no further. */
async function refused(wire: Wire): Promise<void> {
  const error = await wire.call('bench.nothing', '{}').catch((e: unknown) => e);
  if (!(error instanceof Error)) throw new Error('a method that there is not was answered');
}
