// Runs the steps of a case's script, one function per kind of step.
import { performance } from 'node:perf_hooks';
import { at } from '../paths.js';
import type { Case, Obj, ScriptStep, Step } from '../types.js';
import { isObj, objs, scriptOf } from '../types.js';
import { sessionName } from '../world.js';
import { type HandleGiven, mapEvents } from './event-map.js';
import { hintsOf, strip } from './hints.js';
import { Host } from './host.js';
import { RpcError } from './link.js';
import { Probe } from './probe.js';
import { CaseSession, outputOf } from './session.js';
import { makesWindow } from './settings.js';

/** Error names of the cases by the product's kinds; others go out in lower case. */
const CODES: Readonly<Record<string, string>> = {
  CONFIG: 'config_invalid',
  CONTEXT_IRREDUCIBLE: 'over_budget',
  UNKNOWN_SESSION: 'not_found',
  UNKNOWN_HANDLE: 'not_found',
};

export function errorOf(e: unknown): { code: string; message: string } {
  if (e instanceof RpcError) return { code: CODES[e.kind] ?? e.kind.toLowerCase(), message: e.message };
  return { code: 'internal', message: e instanceof Error ? e.message : String(e) };
}

export interface Given extends HandleGiven {
  tenant: string;
  session: string;
}

export class Run {
  readonly host: Host;
  readonly given: Given[] = [];
  #config: Obj;
  #probe: Probe | undefined;
  readonly #done: Step[] = [];
  readonly #sessions = new Map<string, CaseSession>();
  readonly #cleared = new Map<CaseSession, Set<string>>();

  constructor(readonly c: Case) {
    this.host = new Host(c);
    this.#config = c.config;
  }

  get probe(): Probe | undefined {
    return this.#probe;
  }

  sessions(): CaseSession[] {
    return [...this.#sessions.values()];
  }

  async start(): Promise<void> {
    await this.host.start();
    this.#probe = await Probe.open(this.host);
    const first = scriptOf(this.c)[0];
    if (first !== undefined && first.op !== 'open') await this.#session(first);
  }

  async #session(step: ScriptStep): Promise<CaseSession> {
    const name = sessionName(step);
    const known = this.#sessions.get(name);
    if (known !== undefined) return known;
    const single = scriptOf(this.c).some((s) => s.op === 'rewind');
    const s = new CaseSession(
      this.host,
      this.c,
      this.#config,
      step.session ?? 'case',
      step.tenant ?? '',
      single,
    );
    this.#sessions.set(name, s);
    this.#cleared.set(s, new Set());
    await s.open(true);
    return s;
  }

  /** One step of the script; an error of the product becomes the step's `error`. */
  async step(step: ScriptStep): Promise<Step> {
    const out: Step = { op: step.op };
    const from = performance.now();
    let session: CaseSession | undefined;
    try {
      session = await this.#session(step);
      session.epochs = 0;
      const s = session;
      const began = performance.now();
      const watched = await this.#watch(step, () => this.#run(s, step));
      Object.assign(out, watched.value);
      out.time_ms = performance.now() - began;
      if (watched.longest !== undefined) out.other_session_ms = watched.longest;
    } catch (e) {
      out.time_ms = performance.now() - from;
      out.error = errorOf(e);
    }
    if (session !== undefined) this.#collect(session, out);
    return out;
  }

  async #watch<T>(step: ScriptStep, work: () => Promise<T>): Promise<{ value: T; longest?: number }> {
    const quiet = step.op === 'restart' || step.op === 'clock' || this.#probe === undefined;
    return quiet ? { value: await work() } : this.#probe!.during(work);
  }

  #collect(s: CaseSession, out: Step): void {
    const raw = s.takeEvents();
    const { events, handles } = mapEvents(s, raw, this.#cleared.get(s)!);
    // A provisional shift that the reply did not confirm was none, also when an earlier step has told of it.
    const retracted = new Set(
      raw.flatMap((e) => (e.type === 'memory.topic_shift_retracted' ? [e['seq_of']] : [])),
    );
    for (const step of this.#done) {
      step.events = (step.events ?? []).filter((e) => e.kind !== 'topic_shift' || !retracted.has(e['seq']));
    }
    this.#done.push(out);
    if (out.error?.code === 'over_budget')
      events.push({ kind: 'irreducible', floor: Number.NaN, needed: Number.NaN });
    out.events = events;
    out.epochs = s.epochs;
    for (const h of handles) this.given.push({ ...h, tenant: s.tenant, session: s.id });
  }

  #run(s: CaseSession, step: ScriptStep): Promise<Partial<Step>> {
    switch (step.op) {
      case 'curate':
        return this.#curate(s, step);
      case 'append':
        return s.feed(objs(step.messages)).then(() => ({}));
      case 'ingest':
        return s.ingest(objs(step.messages)).then((p) => outputOf(s, p));
      case 'count':
        return this.#count(s, step);
      case 'dump':
        return s.prepare().then((p) => outputOf(s, p));
      case 'await':
        return this.#await(s);
      case 'clock':
        return s.call('test.clock', { advance_sec: step['advance_sec'] }).then(() => ({}));
      case 'rewind':
        return s.rewind(Number(step['to_message'])).then(() => ({}));
      case 'restart':
        return this.#restart(step);
      case 'replay':
        return this.#replay(s);
      case 'delete':
        return s.call('session.forget', { session: s.id }).then(() => ({}));
      case 'retrieve':
        return this.#retrieve(s, step);
      case 'embed':
        return this.#embed(step);
      case 'open':
        return Promise.resolve({});
      default:
        throw new Error(`unknown step ${step.op}`);
    }
  }

  async #curate(s: CaseSession, step: ScriptStep): Promise<Partial<Step>> {
    const from = s.events.length;
    await s.boundary();
    const wanted =
      step['force'] === 'compaction' ? await s.compact() : makesWindow(s.config) && (await s.compactIfDue());
    if (step['async'] === true) return {};
    if (wanted) await s.compactionEnd(from);
    return outputOf(s, await s.prepare());
  }

  async #await(s: CaseSession): Promise<Partial<Step>> {
    if (s.compacting) await s.compactionEnd(s.events.length);
    return outputOf(s, await s.prepare());
  }

  /** A count of one value takes o200k_base, as the checks do; images follow the session's model. */
  async #count(s: CaseSession, step: ScriptStep): Promise<Partial<Step>> {
    const path = step['path'];
    const live = { ...this.c.request, [s.listKey]: s.live };
    const value = typeof path === 'string' ? at({ ...this.c.request, [s.listKey]: s.raw }, path) : undefined;
    const encoding = 'o200k_base';
    const role = 'user';
    let params: Obj;
    if (typeof value === 'string') params = { text: value, encoding };
    else if (typeof path === 'string') {
      const message =
        isObj(value) && 'role' in value ? value : { role, content: Array.isArray(value) ? value : [value] };
      const hints = hintsOf([message]);
      params = { messages: [strip(message)], encoding, ...(hints.length > 0 ? { hints } : {}) };
    } else {
      params = { messages: live[s.listKey], encoding };
      for (const key of ['system', 'tools'])
        if (this.c.request[key] !== undefined) params[key] = this.c.request[key];
    }
    try {
      return { result: (await s.call('tokens.count', params)).result };
    } catch (e) {
      if (!(e instanceof RpcError) || e.kind !== 'UNKNOWN_FIELD' || !('hints' in params)) throw e;
      const { hints: _hints, ...rest } = params;
      return { result: (await s.call('tokens.count', rest)).result };
    }
  }

  async #restart(step: ScriptStep): Promise<Partial<Step>> {
    this.#probe?.close();
    if (isObj(step['config'])) this.#config = { ...this.#config, ...step['config'] };
    await this.host.restart(step['torn_tail'] === true);
    this.#probe = await Probe.open(this.host);
    for (const s of this.#sessions.values()) {
      s.config = this.#config;
      await s.open(false);
    }
    return {};
  }

  async #replay(s: CaseSession): Promise<Partial<Step>> {
    const { result } = await s.call('journal.replay', { session: s.id });
    if (result['identical'] !== true) {
      throw new Error(`the replay differs: ${JSON.stringify(result['mismatches'])}`);
    }
    return outputOf(s, await s.prepare());
  }

  async #retrieve(s: CaseSession, step: ScriptStep): Promise<Partial<Step>> {
    const of = isObj(step['handle_of']) ? step['handle_of'] : {};
    const path = String(of['path']);
    const found = this.given.find(
      (g) =>
        g.tenant === (of['tenant'] ?? '') &&
        g.session === (of['session'] ?? 'case') &&
        (g.path === path || path.startsWith(`${g.path}/`) || g.path.startsWith(`${path}/`)),
    );
    if (found === undefined) throw new Error(`no handle was given for ${path}`);
    const { result } = await s.call('recall.get', { handle: found.handle });
    return { result: { text: result['text'] ?? JSON.stringify(result['parts']) } };
  }

  /** Offers a vector through the client's embedder, in a session of its own, and asks what the index holds afterwards. */
  async #embed(step: ScriptStep): Promise<Partial<Step>> {
    const link = await this.host.link('');
    const session = 'embed';
    await link.call('session.open', {
      session,
      format: 'openai-chat',
      model: 'gpt-4o',
      config: { plugins: { active: ['nexus.memory.topic_pruner'] } },
    });
    const before = JSON.stringify((await link.call('session.state', { session })).result['topic']);
    this.host.vectors.push(step['vector']);
    await link.call('session.append', {
      session,
      messages: [{ role: 'user', content: 'a vector is offered' }],
    });
    await link.call('turn.end', { session });
    const after = JSON.stringify((await link.call('session.state', { session })).result['topic']);
    return { result: { accepted: before !== after } };
  }
}
