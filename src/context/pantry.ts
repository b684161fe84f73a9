// Projects' context for whoever asks: the packet from cache, topics, refreshes, entries. Holds files and the entry store;
// knows no session and no wire.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Clock } from '../clock.js';
import { CuratedError, fail } from '../errors.js';
import { Latest } from '../latest.js';
import type { EntryStore } from './entry-store.js';
import { type Facts, readCounts, readFacts, topicsOf, writeFacts } from './facts.js';
import { ageInDays, hygiene } from './hygiene.js';
import { identity, identitySource } from './identity.js';
import { readMap, removeFile } from './map-file.js';
import { OpenFolders } from './open-folders.js';
import { assemble, type Packet } from './packet.js';
import { type Places, placesOf } from './places.js';
import { type Refreshed, type RefreshOptions, refreshProject, type Said } from './refresh.js';
import { withoutSessions } from './session-texts.js';
import { type Entry, story } from './story.js';
import type { Topic } from './topic.js';
import type { MapFormat } from './topic-map.js';
import type { WatchEvents } from './watcher.js';

export interface PantryDeps {
  /** Folder of the context files. */
  data: string;
  clock: Clock;
  /** Tokens by a real tokenizer. */
  count(text: string): number;
  entries: EntryStore;
  health: {
    green(name: string): void;
    red(name: string, error: unknown): void;
    tell(name: string, message: string): void;
  };
  /** May what sessions say go into the maps? They are plain files: not where values are sealed at rest. Default true. */
  sessions?: boolean | undefined;
  /** Folders, all below them included, that are read for any tenant; absent: whoever calls may have any folder read. */
  roots?: (() => readonly string[]) | undefined;
  /** Watches a folder that sessions work in; absent: maps are made anew by age alone. */
  watch?: ((root: string, events: WatchEvents) => { close(): Promise<void> }) | undefined;
}

export interface PacketOptions {
  budget?: number | undefined;
  /** Of this call alone (M-11). */
  wing?: string | undefined;
  staleDays?: number | undefined;
}

/** M-6: how long a wake-up text is kept. */
const CACHE_MS = 60_000;
const CACHED = 256;
/** Projects whose topics are kept in memory. */
const FACTS_KEPT = 8;
/** A map older than this is made anew behind the session that finds it so. */
const REFRESH_MS = 24 * 3_600_000;
/** After a try, by itself, not again before this. */
const RETRY_MS = 600_000;
/** Entries of sessions that a map is made from, the newest. */
const MOST_ENTRIES = 2000;
/** So many new ones make a map anew: fewer are no topic. */
const NEW_ENTRIES = 5;
/** Folders that are watched at once; the one that no session started in for longest goes. */
const WATCHED = 8;

/** Projects of which it is remembered when they were tried, and how that went. */
const PROJECTS = 4096;

export class Pantry {
  readonly #deps: PantryDeps;
  readonly #cache = new Map<string, { packet: Packet | undefined; until: number; root: string }>();
  readonly #watched = new Map<string, { close(): Promise<void> } | undefined>();
  readonly #facts = new Map<string, { facts: Facts | undefined; changed: number | undefined }>();
  readonly #running = new Map<string, Promise<Refreshed>>();
  readonly #failing = new Latest<string, string>(PROJECTS);
  readonly #tried = new Latest<string, number>(PROJECTS);
  /** Entries that sessions filed since the map was made. */
  readonly #filed = new Latest<string, number>(PROJECTS);
  /** How often sessions of a project were forgotten: a refresh that has read their entries starts again. */
  readonly #forgotten = new Latest<string, number>(PROJECTS);
  readonly #open: OpenFolders;
  #closed = false;

  constructor(deps: PantryDeps) {
    this.#deps = deps;
    this.#open = new OpenFolders(deps.roots);
  }

  /** The operator works in this project: its folder is read for this tenant from now on, whoever of it asks. */
  open(tenant: string, project: string): void {
    this.#open.open(tenant, placesOf(this.#deps.data, tenant, project).root);
  }

  /** May the project's folder be read for this tenant? */
  isOpen(tenant: string, project: string): boolean {
    return this.#isOpen(tenant, placesOf(this.#deps.data, tenant, project));
  }

  #isOpen(tenant: string, places: Places): boolean {
    return this.#open.isOpen(tenant, places.root, () => {
      try {
        return this.#factsOf(places)?.built !== undefined;
      } catch {
        return false;
      }
    });
  }

  tokens(text: string): number {
    return this.#deps.count(text);
  }

  get entries(): EntryStore {
    return this.#deps.entries;
  }

  /** Layers of a project from its files and entries. Never throws: what cannot be read is left out and turns a check red. */
  packet(tenant: string, project: string, o: PacketOptions = {}): Packet {
    return this.wakeUp(tenant, project, o) ?? { layers: [], text: '', tokens: 0, stale_days: 0 };
  }

  /** As `packet`; undefined when nothing is known about the project: a session then starts in silence. */
  wakeUp(tenant: string, project: string, o: PacketOptions = {}): Packet | undefined {
    const places = placesOf(this.#deps.data, tenant, project);
    const isOpen = this.#isOpen(tenant, places);
    const key = JSON.stringify([tenant, places.root, isOpen, o.budget, o.wing, o.staleDays]);
    const now = this.#deps.clock.mono();
    const kept = this.#cache.get(key);
    if (kept !== undefined && kept.until > now) return kept.packet;
    const packet = this.#make(tenant, places, isOpen, o);
    this.#cache.delete(key);
    this.#cache.set(key, { packet, until: now + CACHE_MS, root: places.root });
    if (this.#cache.size > CACHED) this.#cache.delete(this.#cache.keys().next().value!);
    return packet;
  }

  #make(tenant: string, places: Places, isOpen: boolean, o: PacketOptions): Packet | undefined {
    const { count, clock, entries } = this.#deps;
    const safe = <T>(what: string, read: () => T, none: T): T => {
      try {
        const value = read();
        this.#deps.health.green(what);
        return value;
      } catch (e) {
        this.#deps.health.red(what, e);
        return none;
      }
    };
    const map = safe('context_map', () => readMap(places), { text: '', writtenAt: 0, from: 'none' as const });
    const counts = safe('context_map', () => readCounts(places.counts), undefined);
    const words = isOpen ? identitySource(places.root) : '';
    const root = places.root;
    const top = safe('context_entries', () => entries.top({ tenant, root }, o.wing), undefined);
    if (map.text === '' && words === '' && counts === undefined && (top?.entries.length ?? 0) === 0)
      return undefined;
    const age = map.text === '' ? 0 : ageInDays(map.writtenAt, clock.now());
    return assemble(
      {
        identity: identity(places.name, words, counts, count),
        map: map.text,
        hygiene: hygiene(age, o.staleDays ?? 7),
        story: (maxTokens, maxBytes) =>
          top === undefined ? '' : story(top.entries, count, { maxTokens, maxBytes, more: top.more }),
        staleDays: age,
      },
      count,
      o.budget,
    );
  }

  /**
   * Rebuilds the map, behind one of the same project that is under way. Throws when it cannot; the check `context_refresh`
   * is red from then until one succeeds. Of a folder that is not open only the client's own topics make a map;
   * FORBIDDEN_SCOPE where there are none.
   */
  async refresh(tenant: string, project: string, o: RefreshOptions = {}): Promise<Refreshed> {
    const places = placesOf(this.#deps.data, tenant, project);
    const key = JSON.stringify([tenant, places.root]);
    const before = this.#running.get(key);
    const work = (before ?? Promise.resolve())
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => (this.#closed ? fail('DRAINING') : this.#refreshed(tenant, places, key, o)));
    this.#running.set(key, work);
    try {
      return await work;
    } finally {
      if (this.#running.get(key) === work) this.#running.delete(key);
    }
  }

  async #refreshed(tenant: string, places: Places, key: string, o: RefreshOptions): Promise<Refreshed> {
    const pause = async () => {
      if (this.#closed) fail('DRAINING');
      await nextTick();
    };
    const isOpen = this.#isOpen(tenant, places);
    if (!isOpen && (o.taxonomies ?? this.#factsOf(places)?.taxonomy ?? []).length === 0) notOpen(places.root);
    this.#filed.delete(key);
    this.#tried.set(key, this.#deps.clock.mono());
    try {
      const said = () => this.#said(tenant, places.root, key);
      const done = await refreshProject(places, { ...o, said, isOpen }, this.#deps.count, pause);
      this.#failing.delete(key);
      if (this.#failing.size === 0) this.#deps.health.green('context_refresh');
      return done;
    } catch (e) {
      this.#deps.health.red('context_refresh', new Error(`${places.name}: ${(e as Error).message}`));
      // A folder that is not there (a typo, a worktree that was removed) will not get better: it is told, and nothing is ill.
      const isCallers = e instanceof CuratedError && e.kind === 'BAD_TYPE';
      if (isCallers) this.#failing.delete(key);
      else this.#failing.set(key, places.name);
      if (this.#failing.size === 0) this.#deps.health.green('context_refresh');
      throw e;
    } finally {
      this.#drop(places.root);
    }
  }

  #said(tenant: string, root: string, key: string): Said {
    const { sessions, entries } = this.#deps;
    const forgotten = this.#forgotten.get(key);
    return {
      entries: sessions === false ? [] : entries.newest({ tenant, root }, MOST_ENTRIES),
      isCurrent: () => this.#forgotten.get(key) === forgotten,
    };
  }

  /** Behind a session that starts: a missing or old map is made anew, nobody waits, failures are seen in the health. */
  keepFresh(tenant: string, project: string, format?: MapFormat): void {
    const places = placesOf(this.#deps.data, tenant, project);
    const key = JSON.stringify([tenant, places.root]);
    const tried = this.#tried.get(key);
    // A folder without a repository may be anything, a whole home too: it is read when somebody asks for it.
    if (this.#closed || !this.#isOpen(tenant, places) || !existsSync(join(places.root, '.git'))) return;
    this.#follow(tenant, project, places, format);
    if (this.#running.has(key)) return;
    if (tried !== undefined && this.#deps.clock.mono() - tried < RETRY_MS) return;
    this.#tried.set(key, this.#deps.clock.mono());
    try {
      const map = readMap(places);
      if (
        !this.#hasNews(key) &&
        map.from === 'project' &&
        this.#deps.clock.now() - map.writtenAt < REFRESH_MS
      )
        return;
    } catch {
      // A file that cannot be read is what a refresh is for.
    }
    void this.refresh(tenant, project, format === undefined ? {} : { format }).catch(() => undefined);
  }

  /** a folder that sessions work in is watched, and what changes there changes its map. */
  #follow(tenant: string, project: string, places: Places, format?: MapFormat): void {
    const { watch, health } = this.#deps;
    if (watch === undefined) return;
    const key = JSON.stringify([tenant, places.root]);
    const before = this.#watched.get(key);
    const known = this.#watched.delete(key);
    this.#watched.set(key, before);
    // One that was lost is not tried again: its maps follow their age.
    if (known) return;
    try {
      const watching = watch(places.root, {
        changed: () => {
          void this.refresh(tenant, project, format === undefined ? {} : { format }).catch(() => undefined);
        },
        lost: (why) => {
          this.#watched.set(key, undefined);
          health.red('context_watch', new Error(`${places.name} is not watched: ${why}`));
        },
        tooLarge: (why) => {
          this.#watched.set(key, undefined);
          health.tell(
            'context_watch',
            `${places.name} is not watched: ${why}; its map is made anew once a day`,
          );
        },
      });
      this.#watched.set(key, watching);
      health.green('context_watch');
    } catch (e) {
      health.red('context_watch', new Error(`${places.name} is not watched: ${(e as Error).message}`));
    }
    if (this.#watched.size <= WATCHED) return;
    const [oldest, gone] = this.#watched.entries().next().value!;
    this.#watched.delete(oldest);
    void gone?.close();
  }

  /** Topics of a project that match a word, or all; an unknown project has none. */
  topics(
    tenant: string,
    project: string,
    topic?: string,
  ): { topics: readonly Topic[]; facts: Facts | undefined } {
    const places = placesOf(this.#deps.data, tenant, project);
    const facts = this.#factsOf(places);
    const wanted = topic?.toLowerCase();
    const topics = topicsOf(facts).filter(
      (t) => wanted === undefined || t.label.toLowerCase().includes(wanted),
    );
    return { topics, facts };
  }

  /** As the file has them: read again when it has changed. */
  #factsOf(places: Places): Facts | undefined {
    const changed = statSync(places.facts, { throwIfNoEntry: false })?.mtimeMs;
    const kept = this.#facts.get(places.facts);
    if (kept !== undefined && kept.changed === changed) return kept.facts;
    const facts = changed === undefined ? undefined : readFacts(places.facts);
    this.#facts.delete(places.facts);
    this.#facts.set(places.facts, { facts, changed });
    if (this.#facts.size > FACTS_KEPT) this.#facts.delete(this.#facts.keys().next().value!);
    return facts;
  }

  /** Files and invalidates entries; the next packet knows. */
  ingest(
    tenant: string,
    project: string,
    o: { entries?: readonly Entry[] | undefined; invalidate?: readonly string[] | undefined },
    session?: string,
  ): { entries: number; invalidated: number } {
    const { root } = placesOf(this.#deps.data, tenant, project);
    const { clock, entries } = this.#deps;
    const filed = entries.ingest({ tenant, root }, o.entries ?? [], clock.now(), session);
    const invalidated = entries.invalidate({ tenant, root }, o.invalidate ?? []);
    this.#drop(root);
    if (session !== undefined && filed > 0) this.#indexed(tenant, root, filed);
    return { entries: filed, invalidated };
  }

  /** what sessions filed makes the map anew, once it is enough for a topic. */
  #indexed(tenant: string, root: string, filed: number): void {
    const key = JSON.stringify([tenant, root]);
    this.#filed.set(key, (this.#filed.get(key) ?? 0) + filed);
    if (this.#hasNews(key)) this.keepFresh(tenant, root);
  }

  #hasNews(key: string): boolean {
    return this.#deps.sessions !== false && (this.#filed.get(key) ?? 0) >= NEW_ENTRIES;
  }

  /** A session was forgotten: its entries go at once, and so does every map that has something of sessions. */
  forget(tenant: string, session: string): void {
    for (const root of this.#deps.entries.forget(tenant, session)) {
      const key = JSON.stringify([tenant, root]);
      this.#forgotten.set(key, (this.#forgotten.get(key) ?? 0) + 1);
      const places = placesOf(this.#deps.data, tenant, root);
      const facts = readFacts(places.facts);
      const built = facts?.built === undefined ? undefined : withoutSessions(facts.built);
      if (facts === undefined || built === undefined) continue;
      writeFacts(places.facts, { ...facts, built });
      if (facts.taxonomy.length === 0) removeFile(places.map);
      void this.refresh(tenant, root).catch(() => undefined);
    }
    this.#cache.clear();
  }

  /** Resolves when no refresh runs or waits. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
  }

  /** The folder that stands for a project in all of this. */
  root(tenant: string, project: string): string {
    return placesOf(this.#deps.data, tenant, project).root;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#watched.values()].map((w) => w?.close()));
    await Promise.allSettled(this.#running.values());
    this.#deps.entries.close();
  }

  #drop(root: string): void {
    for (const [key, kept] of this.#cache) if (kept.root === root) this.#cache.delete(key);
  }
}

function notOpen(root: string): never {
  return fail(
    'FORBIDDEN_SCOPE',
    `${root} is not read for this token: name a folder below curated.context.roots of the daemon's configuration, or let its owner begin (curated context refresh)`,
    { path: '/project' },
  );
}
