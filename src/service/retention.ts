// The sweep of journals past their retention (J-13), and of what was made from them. Knows rooms, no timer.

import type { SessionKey, Store } from '../journal/index.js';
import { keyText } from '../journal/index.js';

export interface RetentionDeps {
  store: Pick<Store, 'heads' | 'sweep'>;
  /** May the clock be gone by? Looked at once a sweep. */
  clock: { now(): number };
  due(now: number): boolean;
  retainDays(): number;
  /** Sessions in memory, as they are at the moment. */
  open(): SessionKey[];
  /** Is it one of them? Asked for each old session. */
  isOpen(key: SessionKey): boolean;
  files?: { forget(key: SessionKey): Promise<void> } | undefined;
  recall: { expire(key: SessionKey): Promise<void>; touch(key: SessionKey): void };
  log: Record<'info' | 'warn' | 'error', (detail: object, what: string) => void>;
}

/** Of those that are removed so many are named in the log. */
const TOLD = 20;
const DAY_MS = 86_400_000;
/** Sessions of one transaction. */
const BATCH = 100;

export class Retention {
  readonly #deps: RetentionDeps;
  #running: Promise<void> | undefined;
  #stopped = false;
  /** Of these something could not be taken away: their journals stay, so that it is tried again. */
  #kept: SessionKey[] = [];

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** Never throws: what fails is told in the log, and tried again with the next sweep. One at a time. */
  sweep(): Promise<void> {
    this.#running ??= this.#sweep()
      .catch((e: unknown) =>
        this.#deps.log.error({ error: (e as Error).message }, 'the sweep of old journals failed'),
      )
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  /** Lets go of what is left of a sweep that is under way: the next one finds it. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #sweep(): Promise<void> {
    if (this.#stopped) return;
    this.#kept = [];
    const { clock, due, retainDays: days, log } = this.#deps;
    const now = clock.now();
    const retainDays = days();
    if (retainDays > 0 && !due(now)) {
      log.warn({}, 'the clock leapt by more than a day: old journals stay for another day');
      return;
    }
    const removed: SessionKey[] = [];
    try {
      if (retainDays > 0) await this.#oldest(now, retainDays, removed);
      // What rewinds put aside, and texts that nobody names.
      if (!this.#stopped) await this.#remove(now, retainDays, removed);
    } finally {
      this.#tell(removed);
    }
  }

  /** The sessions from the oldest on, a batch at a time: others write meanwhile, and wait for one batch at most. */
  async #oldest(now: number, retainDays: number, removed: SessionKey[]): Promise<void> {
    const span = retainDays * DAY_MS;
    const old = (await this.#deps.store.heads()).filter((h) => h.updatedAt < now - span);
    old.sort((a, b) => a.updatedAt - b.updatedAt);
    for (let from = 0; from < old.length && !this.#stopped; ) {
      let to = Math.min(from + BATCH, old.length);
      const last = old[to - 1]!.updatedAt;
      while (old[to]?.updatedAt === last) to++;
      const bared = await this.#bare(old.slice(from, to).map((h) => h.key));
      if (this.#stopped) return;
      const gone = new Set((await this.#remove(last + 1 + span, retainDays, removed)).map(keyText));
      // Taken up in the meantime: it is to be found again.
      for (const key of bared) if (!gone.has(keyText(key))) this.#deps.recall.touch(key);
      from = to;
    }
  }

  /**
   * What was made from a journal goes before it: a kill in between leaves the journal, which is swept again, and never a text that no
   * journal has any more, which nobody would look for.
   * @returns of which it went
   */
  async #bare(keys: readonly SessionKey[]): Promise<SessionKey[]> {
    const { isOpen, files, recall, log } = this.#deps;
    const bared: SessionKey[] = [];
    for (const key of keys) {
      if (this.#stopped) return bared;
      if (isOpen(key)) continue;
      try {
        await files?.forget(key);
        await recall.expire(key);
        bared.push(key);
      } catch (e) {
        this.#kept.push(key);
        log.error({ session: key.session, error: (e as Error).message }, 'an old session cannot be removed');
      }
    }
    return bared;
  }

  async #remove(now: number, retainDays: number, into: SessionKey[]): Promise<readonly SessionKey[]> {
    const { store, open } = this.#deps;
    const { removed } = await store.sweep({ now, retainDays, open: [...open(), ...this.#kept] });
    into.push(...removed);
    return removed;
  }

  /** Gone for good: the log is the only place that still tells which. */
  #tell(removed: readonly SessionKey[]): void {
    const { log } = this.#deps;
    const sessions = removed.filter((key) => key.archive === undefined);
    const archives = removed.filter((key) => key.archive !== undefined);
    if (sessions.length > 0)
      log.info(
        { sessions: sessions.slice(0, TOLD).map((key) => key.session), removed: sessions.length },
        'sessions untouched for longer than journal.retain_days are removed',
      );
    if (archives.length > 0)
      log.info(
        {
          archives: archives.slice(0, TOLD).map(({ session, archive }) => ({ session, archive })),
          removed: archives.length,
        },
        'what rewinds put aside, untouched for longer than journal.retain_days, is removed',
      );
  }
}
