// Handlers that carry journals out, in, and to safety: export, import, verify, backup.

import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { fail } from '../errors.js';
import { exportPage, fileLines, type ImportResult, importJsonl, type SessionKey } from '../journal/index.js';
import { listing } from '../session/listing.js';
import { verifyJournals } from '../session/verify.js';
import type { Caller, Handlers, Rooms } from './context.js';

/** Characters of one page of an export: well below what a client takes in one frame. */
const PAGE_CHARS = 1024 * 1024;

export const JOURNAL_CALLS: Handlers = {
  'journal.export': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    const options = {
      fromSeq: p.from_seq ?? 1,
      ...(p.to_seq === undefined ? {} : { toSeq: p.to_seq }),
    };
    const { lines, nextSeq } = await actor.beside(() =>
      exportPage(rooms.store, actor.key, options, PAGE_CHARS),
    );
    return { lines, ...(nextSeq === undefined ? {} : { next_seq: nextSeq }) };
  },

  'journal.import': async (caller, p, rooms) => {
    const path = await fileAt(p.path);
    const key = { tenant: caller.tenant, session: p.session };
    // What is in memory under this name must not be older than the journal that comes.
    const actor = await rooms.registry.get(caller.tenant, p.session);
    let done: ImportResult | undefined;
    try {
      await actor.found('/session', async () => {
        done = await importJsonl(rooms.store, key, fileLines(path));
      });
    } finally {
      rooms.recall?.touch(key);
      await listed(rooms, key);
    }
    return { session: p.session, events: done!.records, torn: done!.torn };
  },

  'journal.verify': async (caller, p, rooms) => {
    if (p.session !== undefined) {
      const key = { tenant: caller.tenant, session: p.session };
      return verified(rooms, [key], []);
    }
    const heads = await rooms.store.heads(caller.tenant);
    return verified(
      rooms,
      heads.map((h) => h.key),
      await structureOf(caller, rooms),
    );
  },

  'journal.backup': async (_caller, p, rooms) => {
    if (!isAbsolute(p.path)) fail('BAD_TYPE', 'the path must be absolute', { path: '/path' });
    await rooms.store.backup(p.path);
    return { path: p.path, bytes: (await stat(p.path)).size };
  },
};

/** What came in is listed like any other; a journal that this build cannot fold stays as it is, and says so when it is opened. */
async function listed(rooms: Rooms, key: SessionKey): Promise<void> {
  if ((await rooms.store.head(key)) === undefined) return;
  const actor = await rooms.registry.get(key.tenant, key.session).catch(() => undefined);
  if (actor === undefined) rooms.registry.drop(key.tenant, key.session);
  else rooms.store.setMeta(key, listing(actor.session));
}

async function verified(rooms: Rooms, keys: readonly SessionKey[], structure: readonly string[]) {
  const verdict = await verifyJournals(rooms.store, keys, (key) => rooms.registry.refold(key));
  return { ...verdict, structure: [...structure] };
}

/** The file as such is the owner's: what is wrong with it may name others' sessions. */
async function structureOf(caller: Caller, rooms: Rooms): Promise<string[]> {
  if (caller.tenant !== rooms.owner || !caller.scopes.includes('admin')) return [];
  const { structure, broken } = await rooms.store.check();
  // Rows that name no session any more are found in no list of sessions.
  return [...structure, ...broken.filter((b) => b.key.tenant === '').map((b) => b.reason)];
}

async function fileAt(path: string): Promise<string> {
  if (!isAbsolute(path)) fail('BAD_TYPE', 'the path must be absolute', { path: '/path' });
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) fail('BAD_TYPE', `there is no file ${path}`, { path: '/path' });
  return path;
}
