// Follows the journals into the recall index and the projects' stories: what is new is read when somebody asks, or a little
// after a turn. The index holds nothing that the journals do not, so a lost one fills again by itself.

import { setImmediate as nextTick } from 'node:timers/promises';
import type { Pantry } from '../context/pantry.js';
import type { AnyIndex } from '../context/recall/index-thread.js';
import type { Found, NewRow, Position } from '../context/recall/rows.js';
import { asCuratedError } from '../errors.js';
import type { SessionKey, Store } from '../journal/index.js';
import { Native } from '../json/native.js';
import { specOf } from '../providers/spec.js';
import type { Format } from '../providers/types.js';
import { events } from '../session/load.js';
import type { SessionEvent } from '../session/state/events.js';
import { type MessagePayload, originalAt, passages } from './recall-rows.js';
import { StoryFeed } from './story-feed.js';

export interface RecallFeedDeps {
  store: Store;
  index: AnyIndex;
  pantry?: Pantry | undefined;
  health: { green(name: string): void; red(name: string, error: unknown): void };
}

export interface RecallQuery {
  query: string;
  session?: string | undefined;
  /** Root folder of a project. */
  project?: string | undefined;
  tool?: string | undefined;
  /** Words of a topic, one of which must be there (L2). */
  topicWords?: string | undefined;
  k: number;
  /** Tokens of the originals of all hits. */
  budget?: number | undefined;
}

/** After a turn the index follows so much later: what comes meanwhile is read with it. */
const FOLLOW_MS = 300;
/** Rows and characters of one transaction, which nothing else runs beside. */
const BATCH = 64;
const BATCH_CHARS = 128 * 1024;

export class RecallFeed {
  readonly #deps: RecallFeedDeps;
  readonly #chains = new Map<string, Promise<void>>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Of tenants all of whose sessions were followed once: those that have gone on since. */
  readonly #changed = new Map<string, Set<string>>();
  /** The newest `followAll` of each tenant. */
  readonly #all = new Map<string, Promise<void>>();
  #closed = false;

  constructor(deps: RecallFeedDeps) {
    this.#deps = deps;
    deps.store.onChange((key) => {
      if (key.archive === undefined) this.#changed.get(key.tenant)?.add(key.session);
    });
  }

  /** A session has gone on. */
  touch(key: SessionKey): void {
    const name = chainName(key);
    if (this.#closed || this.#timers.has(name)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(name);
      void this.follow(key).catch(() => undefined);
    }, FOLLOW_MS);
    timer.unref();
    this.#timers.set(name, timer);
  }

  /** Resolves when all that the journal has of a session is found. */
  follow(key: SessionKey): Promise<void> {
    return this.#next(key, () => this.#read(key));
  }

  /**
   * As `follow`, for all sessions of a tenant that went on. The first time all are looked through, later only what has changed:
   * costs those, however many there are.
   */
  followAll(tenant: string): Promise<void> {
    const before = this.#all.get(tenant) ?? Promise.resolve();
    const next = before.catch(() => undefined).then(() => this.#followChanged(tenant));
    this.#all.set(tenant, next);
    const done = () => {
      if (this.#all.get(tenant) === next) this.#all.delete(tenant);
    };
    next.then(done, done);
    return next;
  }

  async #followChanged(tenant: string): Promise<void> {
    const changed = this.#changed.get(tenant);
    if (changed === undefined) return this.#followEvery(tenant);
    for (const session of [...changed]) {
      // What comes from here on is read by this pass or makes another one.
      changed.delete(session);
      try {
        await this.#followAmongOthers({ tenant, session });
      } catch (e) {
        changed.add(session);
        throw e;
      }
    }
  }

  async #followEvery(tenant: string): Promise<void> {
    // Noted from before the list is made: nothing falls between the two.
    this.#changed.set(tenant, new Set());
    try {
      const known = await this.#deps.index.positions(tenant);
      for (const head of await this.#deps.store.heads(tenant)) {
        const at = known.get(head.key.session);
        if (at?.seq !== head.seq || at.hash !== head.hash) await this.#followAmongOthers(head.key);
      }
    } catch (e) {
      this.#changed.delete(tenant);
      throw e;
    }
  }

  /** One session that is quarantined costs its own news, and not the others' search. */
  async #followAmongOthers(key: SessionKey): Promise<void> {
    try {
      await this.follow(key);
    } catch (e) {
      const { detail } = asCuratedError(e);
      if ((detail as { quarantined?: boolean } | undefined)?.quarantined !== true) throw e;
    }
  }

  async search(tenant: string, q: RecallQuery): Promise<Found[]> {
    if (q.session === undefined) await this.followAll(tenant);
    else await this.follow({ tenant, session: q.session });
    return this.#deps.index.search({
      tenant,
      query: q.query,
      must: q.topicWords ?? '',
      session: q.session,
      project: q.project,
      tool: q.tool,
      k: q.k,
      budget: q.budget,
    });
  }

  /** The exact JSON text behind a handle of the index, from the journal; undefined when there is none. */
  async original(tenant: string, handle: string): Promise<string | undefined> {
    for (const place of await this.#deps.index.places(tenant, handle)) {
      const key = { tenant, session: place.session };
      const format = (await this.#deps.index.position(tenant, place.session))?.format as Format | undefined;
      if (format === undefined) continue;
      for await (const { event } of events(this.#deps.store, key, place.seq, place.seq)) {
        if (event.type !== 'session.message') continue;
        const value = originalAt(key, format, place.seq, place.part, event.payload, handle);
        if (value !== undefined) return value;
      }
    }
    return undefined;
  }

  /** The session is erased: what was made from it goes too. */
  forget(key: SessionKey): Promise<void> {
    return this.#next(key, async () => {
      await this.#deps.index.erase(key.tenant, key.session);
      this.#deps.pantry?.forget(key.tenant, key.session);
    });
  }

  /** The session's journal is past its retention: nothing is found that is no longer there. What it filed for its project stays. */
  expire(key: SessionKey): Promise<void> {
    return this.#next(key, async () => this.#deps.index.erase(key.tenant, key.session));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.allSettled(this.#chains.values());
    await this.#deps.index.close();
  }

  /** One at a time for each session. */
  #next(key: SessionKey, work: () => Promise<void>): Promise<void> {
    const name = chainName(key);
    const before = this.#chains.get(name) ?? Promise.resolve();
    const next = before
      .catch(() => undefined)
      .then(async () => {
        try {
          await work();
          this.#deps.health.green('recall_index');
        } catch (e) {
          this.#deps.health.red('recall_index', e);
          throw asCuratedError(e);
        }
      });
    this.#chains.set(name, next);
    const done = () => {
      if (this.#chains.get(name) === next) this.#chains.delete(name);
    };
    next.then(done, done);
    return next;
  }

  async #read(key: SessionKey): Promise<void> {
    // What comes from here on is noted again. Without this the list would grow until somebody searches.
    const changed = this.#changed.get(key.tenant);
    changed?.delete(key.session);
    try {
      await this.#readOn(key);
    } catch (e) {
      changed?.add(key.session);
      throw e;
    }
  }

  async #readOn(key: SessionKey): Promise<void> {
    const { index, store } = this.#deps;
    let at = await index.position(key.tenant, key.session);
    if (at !== undefined && !(await this.#stands(key, at))) {
      await index.erase(key.tenant, key.session);
      at = undefined;
    }
    const pass = new Pass(key, at, this.#deps);
    for await (const { event, record } of events(store, key, (at?.seq ?? 0) + 1)) {
      if (await pass.take(event, record.hash)) await nextTick();
    }
    await pass.end();
  }

  /** Is the journal still the one that was read up to here? A rewind makes it another. */
  async #stands(key: SessionKey, at: Position): Promise<boolean> {
    const [record] = await this.#deps.store.read(key, at.seq, 1);
    return record?.hash === at.hash;
  }
}

/** Events of one session on their way into rows. A message waits for the events that name its results' tools. */
class Pass {
  readonly #key: SessionKey;
  readonly #deps: RecallFeedDeps;
  readonly #story: StoryFeed;
  #at: Position;
  #rows: NewRow[] = [];
  #open: { at: number; rows: NewRow[]; payload: MessagePayload } | undefined;
  #changed = false;
  #chars = 0;

  constructor(key: SessionKey, at: Position | undefined, deps: RecallFeedDeps) {
    this.#key = key;
    this.#deps = deps;
    this.#at = at ?? { seq: 0, hash: '', format: 'anthropic', project: '', inputs: 0 };
    this.#story = new StoryFeed(key.session, this.#at.inputs);
  }

  /** @returns true when rows were written: a place to let others run */
  async take(e: SessionEvent, hash: string): Promise<boolean> {
    this.#changed = true;
    let wrote = false;
    if (e.type === 'session.opened') {
      this.#at.format = e.payload.format;
      const { pantry } = this.#deps;
      if (e.payload.project !== undefined)
        this.#at.project = pantry?.root(this.#key.tenant, e.payload.project) ?? e.payload.project;
    } else if (e.type === 'session.message') {
      wrote = await this.#settle();
      const rows = passages(this.#key, this.#at.format as Format, e.seq, e.turn, e.payload);
      this.#open = { at: e.payload.at, rows, payload: e.payload };
    } else if (e.type === 'tool.result' && this.#open?.at === e.payload.message) {
      const row = this.#open.rows.find((r) => r.part === e.payload.part);
      if (row !== undefined) row.tool = e.payload.tool;
    }
    const entry = await this.#story.take(e, (n) => this.#requests(n));
    if (entry !== undefined && this.#at.project !== '')
      this.#deps.pantry?.ingest(this.#key.tenant, this.#at.project, { entries: [entry] }, this.#key.session);
    Object.assign(this.#at, { seq: e.seq, hash, inputs: this.#story.inputs });
    return wrote;
  }

  async end(): Promise<void> {
    await this.#settle();
    if (this.#changed) await this.#write();
  }

  /** The newest n user messages, the open one included, oldest first. */
  async #requests(n: number): Promise<string[]> {
    const own =
      this.#open === undefined
        ? ''
        : specOf(this.#at.format as Format).read(new Native(this.#open.payload.text)).ownText;
    const waiting = this.#rows.filter((r) => r.role === 'user' && r.tool === null).map((r) => r.text);
    const stored = await this.#deps.index.requests(this.#key.tenant, this.#key.session, n);
    return [...stored, ...waiting, own].slice(-n);
  }

  /** The rows of the message before are complete: at this point the position stands behind all of its events. */
  async #settle(): Promise<boolean> {
    for (const row of this.#open?.rows ?? []) {
      this.#rows.push(row);
      this.#chars += row.text.length;
    }
    this.#open = undefined;
    if (this.#rows.length < BATCH && this.#chars < BATCH_CHARS) return false;
    await this.#write();
    return true;
  }

  async #write(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    this.#chars = 0;
    await this.#deps.index.add(this.#key.tenant, this.#key.session, rows, { ...this.#at });
  }
}

function chainName(key: SessionKey): string {
  return JSON.stringify([key.tenant, key.session]);
}
