// A case played: its conversations through the product's session in this process, events and figures collected.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { PresetName } from '../../settings/index.js';
import type { CountText } from '../tally.js';
import { baselineOf } from '../whatif/baseline.js';
import type { LoggedSession } from '../whatif/logged.js';
import { type MeasuredSession, measure } from '../whatif/measured.js';
import { playLog } from '../whatif/play-log.js';
import { newRun, readLog } from '../whatif/read-log.js';
import type { Case } from './case.js';
import { type Checked, check, type Recorded, type Run, type RunEvent, type ToolCall } from './check.js';

export interface CaseResult {
  name: string;
  tags: string[];
  passed: boolean;
  /** Share of the assertions that hold. */
  score: number;
  assertions: Checked[];
  requests: number;
  tokens: { input: number; output: number };
  latencies: number[];
}

export interface RunCaseOptions {
  count: CountText;
  now: number;
  /** Absent: the case's own configuration. */
  preset?: PresetName;
}

/** A case whose conversation cannot be read or played fails with the reason as its one assertion's message. */
export async function runCase(c: Case, o: RunCaseOptions): Promise<CaseResult> {
  const run: Run = { events: [], calls: [], turns: [], latencies: [] };
  for (const file of c.inputs) for await (const s of readLog(file, newRun())) await play(s, c, run, o);
  const recorded = await recordedOf(c, o.count);
  const assertions = c.assertions.map((a) => check(a, run, recorded));
  // Nothing played is nothing shown: bounds that hold of an empty run do not count.
  const isEmpty = run.latencies.length === 0;
  if (isEmpty)
    for (const a of assertions) Object.assign(a, { passed: false, message: `no request: ${a.message}` });
  const held = assertions.filter((a) => a.passed).length;
  return {
    name: c.meta.name,
    tags: c.meta.tags,
    passed: held === assertions.length,
    score: held / assertions.length,
    assertions,
    requests: run.latencies.length,
    tokens: {
      input: run.turns.reduce((n, t) => n + t.input, 0),
      output: run.turns.reduce((n, t) => n + t.output, 0),
    },
    latencies: run.latencies,
  };
}

async function play(logged: LoggedSession, c: Case, run: Run, o: RunCaseOptions): Promise<void> {
  const m = measure(logged, o.count);
  run.calls.push(...callsOf(m));
  const played = await playLog(m, baselineOf(m, o.now), {
    count: o.count,
    now: o.now,
    ...(o.preset === undefined ? {} : { preset: o.preset }),
    ...(c.config === undefined ? {} : { config: c.config }),
    onRequest: (r) => {
      if (r.isNewTurn || run.turns.length === 0) run.turns.push({ input: 0, output: 0 });
      const turn = run.turns.at(-1)!;
      turn.input += r.tokens;
      turn.output += r.output;
      run.latencies.push(r.ms);
    },
  });
  for (const r of await played.decider.journal())
    run.events.push({ type: r.type, turn: r.turn, payload: r.payload });
}

async function recordedOf(c: Case, count: CountText): Promise<Recorded> {
  const recorded: Recorded = { events: [], calls: [] };
  for (const file of c.journal) {
    recorded.events.push(...eventsOf(file));
    for await (const s of readLog(file, newRun())) recorded.calls.push(...callsOf(measure(s, count)));
  }
  return recorded;
}

/** Events of one of our journals; other logs have none. */
function eventsOf(file: string): RunEvent[] {
  const events: RunEvent[] = [];
  for (const [i, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (!line.includes('"seq"')) continue;
    let v: Record<string, unknown>;
    try {
      v = JSON.parse(line);
    } catch {
      throw new Error(`${basename(file)}:${i + 1} is damaged`);
    }
    if (typeof v['type'] !== 'string' || typeof v['seq'] !== 'number') continue;
    const payload = (v['payload'] ?? v) as Record<string, unknown>;
    events.push({ type: v['type'], turn: Number(v['turn'] ?? 0), payload });
  }
  return events;
}

function callsOf(m: MeasuredSession): ToolCall[] {
  return m.readings.flatMap((r) =>
    r.parts.filter((p) => p.kind === 'tool_call').map((p) => ({ tool: p.tool ?? '', args: p.args })),
  );
}
