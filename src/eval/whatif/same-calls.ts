// Results that a later call of the same tool with the same arguments fetches again. Pure.
import { argumentsIdentity } from '../../curation/repeats.js';
import type { MeasuredSession } from './measured.js';

/** By request: numbers of the results, counted over the session, that its answer's calls fetch again; each but once. */
export function sameCalls(m: MeasuredSession): number[][] {
  const open = new Map<string, string>();
  /** By call: its newest result. */
  const answers = new Map<string, number>();
  const told = new Set<number>();
  let results = 0;
  let done = 0;
  const take = (to: number): void => {
    for (; done < to; done++)
      for (const p of m.readings[done]!.parts) {
        if (p.kind === 'tool_call') open.set(p.callId ?? '', `${p.tool}\u0000${argumentsIdentity(p.args)}`);
        if (p.kind !== 'tool_result') continue;
        const call = open.get(p.callId ?? '');
        if (call !== undefined) answers.set(call, results);
        open.delete(p.callId ?? '');
        results++;
      }
  };
  return m.logged.requests.map((r) => {
    take(r.carried);
    const again: number[] = [];
    for (let i = r.carried; i < r.carried + r.answer; i++)
      for (const p of m.readings[i]!.parts) {
        if (p.kind !== 'tool_call') continue;
        const result = answers.get(`${p.tool}\u0000${argumentsIdentity(p.args)}`);
        if (result === undefined || told.has(result)) continue;
        told.add(result);
        again.push(result);
      }
    return again;
  });
}

/** Results of the whole session. */
export function resultsIn(m: MeasuredSession): number {
  let n = 0;
  for (const reading of m.readings) for (const p of reading.parts) if (p.kind === 'tool_result') n++;
  return n;
}
