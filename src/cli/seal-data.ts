// A data folder in plain text becomes an encrypted one: journal and memory entries are sealed, what is derived from them goes.
import { join } from 'node:path';
import { sealEntries } from '../context/seal-entries.js';
import { type Sealing, type SealOptions, sealJournal, wipeFile, wipeFolder } from '../journal/index.js';
import type { Paths } from '../paths.js';
import { journalPath } from './journal-checks.js';

/** Nobody else may have the data folder. Throws as `sealJournal`, and then all is as it was. */
export function sealData(paths: Paths, key: Uint8Array, o: Pick<SealOptions, 'step'> = {}): Sealing {
  const { plain, sealed } = entriesOf(paths);
  const done = sealJournal(journalPath(paths), key, {
    ...o,
    beside: (vault) => sealEntries(plain, sealed, vault),
  });
  wipePlain(paths);
  return done;
}

/** What lay in plain text beside a journal that is sealed now. Entries are sealed, the rest is made from the journal. */
export function wipePlain(paths: Paths): void {
  const files = [entriesOf(paths).plain, join(paths.data, 'recall.db')];
  for (const file of files) for (const end of ['', '-wal', '-shm']) wipeFile(`${file}${end}`);
  wipeFolder(join(paths.data, 'sessions'));
}

function entriesOf(paths: Paths): { plain: string; sealed: string } {
  const folder = join(paths.data, 'context');
  return { plain: join(folder, 'entries.db'), sealed: join(folder, 'entries.sealed') };
}
