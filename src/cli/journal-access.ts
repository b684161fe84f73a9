// The journal as the commands need it: through the daemon that runs, or, where none does, by its file.
import { resolve } from 'node:path';
import type { Client, CuratedEvent } from '../client/index.js';
import { OWNER } from '../gate/index.js';
import { exportJsonl, fileLines, importJsonl, type SessionKey, SqliteStore } from '../journal/index.js';
import { writeJson } from '../json/index.js';
import { isThere } from '../named-file.js';
import { resolvePaths } from '../paths.js';
import { events } from '../session/load.js';
import { project } from '../session/state/project.js';
import { type Verdict as Verified, verifyJournals } from '../session/verify.js';
import { withClient } from './connection.js';
import { liveDaemon } from './daemon-file.js';
import { CommandError } from './failure.js';
import { journalPath } from './journal-checks.js';
import { journalKey } from './journal-key.js';
import { withOwnData } from './own-data.js';

export interface Verdict extends Verified {
  structure: string[];
}

export interface JournalAccess {
  /** Events as they are told, from a seq on. */
  dump(session: string, fromSeq: number): AsyncIterable<CuratedEvent>;
  export(session: string): AsyncIterable<string>;
  /** @returns `updatedAt`: epoch ms of its newest event */
  import(session: string, path: string): Promise<{ events: number; torn: boolean; updatedAt: number }>;
  verify(session: string | undefined): Promise<Verdict>;
  backup(path: string): Promise<void>;
}

/** Does the work with the daemon where one runs, else with the file, which nobody may open meanwhile. */
export async function withJournal<T>(work: (journal: JournalAccess) => Promise<T>): Promise<T> {
  const paths = resolvePaths();
  if (liveDaemon(paths) !== undefined) return withClient((client) => work(new ByDaemon(client)));
  const path = journalPath(paths);
  if (!isThere(path)) throw new CommandError(`there is no journal yet (${path})`);
  return withOwnData(paths, async () => {
    const store = await SqliteStore.open(path, { key: journalKey() });
    try {
      return await work(new ByFile(store));
    } finally {
      await store.close();
    }
  });
}

class ByDaemon implements JournalAccess {
  constructor(readonly client: Client) {}

  async *dump(session: string, fromSeq: number): AsyncGenerator<CuratedEvent> {
    for (let from = fromSeq; ; ) {
      const page = await this.client.call('journal.read', { session, from_seq: from });
      if (page.events.length === 0) return;
      for (const e of page.events) yield { ...(e as CuratedEvent), session };
      from = page.next_seq;
    }
  }

  async *export(session: string): AsyncGenerator<string> {
    const { seq } = await this.client.call('session.state', { session });
    const told = new Set<string>();
    for (let from: number | undefined = 1; from !== undefined; ) {
      // One line of history: what comes after the first page began is not of this export.
      const page: { lines: string[]; next_seq?: number | undefined } = await this.client.call(
        'journal.export',
        {
          session,
          from_seq: from,
          to_seq: seq,
        },
      );
      for (const line of page.lines) {
        const blob = /^\{"blob":"([^"]+)"/.exec(line)?.[1];
        if (blob !== undefined && told.has(blob)) continue;
        if (blob !== undefined) told.add(blob);
        yield line;
      }
      from = page.next_seq;
    }
  }

  async import(session: string, path: string): Promise<{ events: number; torn: boolean; updatedAt: number }> {
    const { events, torn } = await this.client.call('journal.import', { session, path: resolve(path) });
    const page = await this.client.call('journal.read', { session, from_seq: events, limit: 1 });
    return { events, torn, updatedAt: Number((page.events[0] as { ts?: unknown } | undefined)?.ts) };
  }

  verify(session: string | undefined): Promise<Verdict> {
    return this.client.call('journal.verify', session === undefined ? {} : { session });
  }

  async backup(path: string): Promise<void> {
    await this.client.call('journal.backup', { path: resolve(path) });
  }
}

class ByFile implements JournalAccess {
  constructor(readonly store: SqliteStore) {}

  #key(session: string): SessionKey {
    return { tenant: OWNER.tenant, session };
  }

  async *dump(session: string, fromSeq: number): AsyncGenerator<CuratedEvent> {
    await this.#known(session);
    for await (const { event } of events(this.store, this.#key(session), fromSeq))
      yield { ...(JSON.parse(writeJson(project(event))) as CuratedEvent), session };
  }

  export(session: string): AsyncGenerator<string> {
    return exportJsonl(this.store, this.#key(session));
  }

  async import(session: string, path: string): Promise<{ events: number; torn: boolean; updatedAt: number }> {
    const key = this.#key(session);
    const done = await importJsonl(this.store, key, fileLines(path));
    const head = await this.store.head(key);
    return { events: done.records, torn: done.torn, updatedAt: head?.updatedAt ?? Number.NaN };
  }

  async verify(session: string | undefined): Promise<Verdict> {
    const keys = session === undefined ? (await this.store.heads()).map((h) => h.key) : [this.#key(session)];
    const verdict = await verifyJournals(this.store, keys);
    if (session !== undefined) return { ...verdict, structure: [] };
    const { structure, broken } = await this.store.check();
    return {
      ...verdict,
      structure: [...structure, ...broken.filter((b) => b.key.tenant === '').map((b) => b.reason)],
    };
  }

  backup(path: string): Promise<void> {
    return this.store.backup(resolve(path));
  }

  async #known(session: string): Promise<void> {
    if ((await this.store.head(this.#key(session))) === undefined)
      throw new CommandError(`there is no session ${JSON.stringify(session)}`, {
        hint: 'curated journal verify counts them',
      });
  }
}
