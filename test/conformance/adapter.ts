// The conformance adapter: runs one failure case against a real private daemon and reports what happened (README 5).
// It speaks PROTOCOL.md only; what is simulated is the clock, the summariser and the torn tail of the journal.
import { errorOf, type Given, Run } from './adapter/script.js';
import { expand } from './expand.js';
import { same } from './normal.js';
import { at } from './paths.js';
import type { Case, HandleSeen, Observation, Step } from './types.js';
import { scriptOf } from './types.js';

/** An event names the block or message; the handle may stand for a value inside it: the place whose value came back. */
function exactPath(run: Run, g: Given, value: unknown): string {
  const session = run.sessions().find((s) => s.tenant === g.tenant && s.id === g.session);
  if (session === undefined) return g.path;
  const root = { ...run.c.request, [session.listKey]: session.raw };
  const places = [g.path, `${g.path}/content`, `${g.path}/output`, `${g.path}/input`, `${g.path}/text`];
  return places.find((p) => at(root, p) !== undefined && same(at(root, p), value)) ?? g.path;
}

/** What the product gives back for each handle that it gave out, asked once at the end. */
async function readHandles(run: Run): Promise<HandleSeen[]> {
  const out: HandleSeen[] = [];
  const asked = new Set<string>();
  for (const g of run.given) {
    const key = JSON.stringify([g.tenant, g.session, g.path, g.handle]);
    if (asked.has(key)) continue;
    asked.add(key);
    let value: unknown;
    try {
      const link = await run.host.link(g.tenant);
      const { result } = await link.call('recall.get', { handle: g.handle });
      value = result['text'] ?? result['parts'];
    } catch (e) {
      value = { error: errorOf(e) };
    }
    const path = exactPath(run, g, value);
    out.push({ path, handle: g.handle, value, ...(g.tenant === '' ? {} : { tenant: g.tenant }) });
  }
  return out;
}

async function stillAlive(run: Run): Promise<boolean> {
  if (run.probe === undefined || !(await run.probe.alive())) return false;
  for (const s of run.sessions()) {
    try {
      await s.call('session.state', { session: s.id });
    } catch (e) {
      // A session that was erased, or never came to be, has nothing to answer.
      if (errorOf(e).code !== 'not_found') return false;
    }
  }
  return true;
}

/** Runs a case; markers in it may be expanded or not. Never rejects for what the product does. */
export default async function runCase(given: Case): Promise<Observation> {
  const c = expand(given) as Case;
  const run = new Run(c);
  const steps: Step[] = [];
  try {
    let startError: unknown;
    try {
      await run.start();
    } catch (e) {
      startError = e;
    }
    for (const step of scriptOf(c)) {
      if (startError === undefined) steps.push(await run.step(step));
      else steps.push({ op: step.op, error: errorOf(startError) });
    }
    const handles = startError === undefined ? await readHandles(run) : [];
    const alive = await stillAlive(run);
    return { steps, alive, handles, summarizer: run.host.summarizer.calls };
  } finally {
    run.probe?.close();
    await run.host.dispose();
  }
}
