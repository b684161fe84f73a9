// Which code folds events in this installation. Builds of one version may differ (a checkout that was pulled), and a state that
// other code came to is not this one's: its snapshots are folded over.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folders whose code has a hand in what a state holds. */
const FOLDERS = ['session', 'providers', 'json', 'curation', 'economics', 'tokens', 'journal'];

let mark: string | undefined;

/** A hash of that code; some 10 ms for the first call, nothing after it. */
export function codeMark(): string {
  mark ??= read();
  return mark;
}

function read(): string {
  const hash = createHash('sha256');
  const root = fileURLToPath(new URL('../../', import.meta.url));
  for (const folder of FOLDERS) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((f) => f.endsWith('.js')).sort()) {
      hash.update(`${folder}/${file}\0`);
      hash.update(readFileSync(join(root, folder, file)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}
