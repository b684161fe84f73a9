// What a compaction will archive, where the session keeps files (L5-9): numbered on from the archives that stand. Pure.

import type { ArchiveNote } from '../../curation/decisions.js';
import type { Session } from '../session.js';
import { archiveName } from '../working-buffer.js';

/** @param fresh stored messages that leave the view, ascending */
export function archiveNote(session: Session, fresh: readonly number[]): ArchiveNote | undefined {
  const { deps, settings, state } = session;
  if (deps.files === undefined || !settings.plugins.compaction.persist) return undefined;
  const runs: [number, number][] = [];
  for (const at of fresh) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === at - 1) last[1] = at;
    else runs.push([at, at]);
  }
  return {
    number: numberOf(state.backups.at(-1)) + 1,
    at: deps.clock.now(),
    strategy: settings.plugins.compaction.strategy,
    runs,
  };
}

export function backupPath(note: ArchiveNote | undefined): string | null {
  return note === undefined ? null : `${archiveName(note)}.jsonl`;
}

/** The counter is recovered from the name of the newest archive. */
function numberOf(path: string | undefined): number {
  return Number(/(\d+)-\d{8}-\d{6}/.exec(path ?? '')?.[1] ?? 0);
}
