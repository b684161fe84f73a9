// What doctor says of the journal: by its file where no daemon runs, by the daemon's own word where one does.
import { join } from 'node:path';
import { type DiagnoseOptions, type Diagnosis, diagnose } from '../journal/index.js';
import type { Paths } from '../paths.js';
import type { Finding } from './health-checks.js';
import { counted, whole } from './table.js';

export function journalPath(paths: Paths): string {
  return join(paths.data, 'journal.db');
}

export function checkJournalFile(paths: Paths, o: DiagnoseOptions = {}): Finding[] {
  const path = journalPath(paths);
  const found = diagnose(path, o);
  const { state, faults } = found;
  if (state === 'absent') return [{ level: 'ok', what: `journal: not there yet; start makes it (${path})` }];
  const holds = [
    counted(found.sessions, 'session'),
    ...(found.archives === 0 ? [] : [counted(found.archives, 'archive')]),
    counted(found.events, 'event'),
  ].join(', ');
  if (state === 'sound') return [{ level: 'ok', what: `journal: ${path} is sound (${holds})` }];
  const todo = TODO[state](path, found);
  return [
    { level: 'error', what: `journal: ${path}: ${faults.slice(0, SHOWN).join('; ')}${more(faults)}`, todo },
  ];
}

const SHOWN = 4;

function more(faults: readonly string[]): string {
  return faults.length > SHOWN ? `; and ${whole(faults.length - SHOWN)} more` : '';
}

const TODO: Record<
  Exclude<Diagnosis['state'], 'absent' | 'sound'>,
  (path: string, d: Diagnosis) => string
> = {
  damaged: (path, d) =>
    d.events > 0
      ? `curated journal salvage --replace keeps what is sound (${counted(d.events, 'event')}) and puts the damaged file aside; or put a backup in its place: ${path}`
      : `nothing of it can be read: put a backup in its place (curated journal backup makes them), or move ${path} away and start anew`,
  foreign: (path) =>
    `move ${path} away, or set another CURATED_HOME: curated never writes to what is not its own`,
  newer: () => 'use the newer curated that wrote it; this one leaves it as it is',
  locked: (path) => `end the program that holds it: fuser ${path} names it`,
  disk: (path) =>
    `make room on its disk if it is full; if it is not, look at the system's log: the file stays as it is (${path})`,
  sealed: () => 'name the key that it was made with in journal.encrypt of the configuration',
  closed: (path) =>
    `give yourself the right to write it: chmod u+rw ${path}, and u+rwx on its folder; a disk that is mounted read-only needs more`,
};

/** @param health the daemon's own report */
export function checkJournalOf(health: unknown): Finding[] {
  const journal = (
    health as
      | { checks?: Record<string, { ok?: boolean; last_error?: { message?: string; reason?: string } }> }
      | undefined
  )?.checks?.['journal'];
  if (journal === undefined) return [];
  if (journal.ok !== false)
    return [
      { level: 'ok', what: 'journal: the daemon writes it; curated journal verify compares every hash' },
    ];
  return [
    {
      level: 'error',
      what: `journal: the daemon cannot write it: ${journal.last_error?.message ?? 'the last write failed'}`,
      todo:
        journal.last_error?.reason === 'moved'
          ? 'put the folder back, and it goes on by itself; to begin anew where it was: curated stop, curated start'
          : 'make room on its disk; it goes on by itself. If it does not: curated stop, then curated doctor again',
    },
  ];
}
