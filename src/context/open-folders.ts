// Which folders of the machine may be read for a tenant: those that the operator lists, works in, or has had read before.
// Whoever holds a token for agents cannot have any other folder looked into by a daemon that may read more than it.

import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, sep } from 'node:path';

/** The newest that are remembered; a folder with a map is open without it. */
const REMEMBERED = 4096;

export class OpenFolders {
  readonly #roots: (() => readonly string[]) | undefined;
  readonly #opened = new Set<string>();

  /** @param roots the operator's list, as it is now; undefined: whoever asks is the operator, and every folder is open */
  constructor(roots: (() => readonly string[]) | undefined) {
    this.#roots = roots;
  }

  /** The operator named it: open for this tenant from now on. */
  open(tenant: string, root: string): void {
    const key = JSON.stringify([tenant, root]);
    this.#opened.delete(key);
    this.#opened.add(key);
    if (this.#opened.size > REMEMBERED) this.#opened.delete(this.#opened.values().next().value!);
  }

  /**
   * @param root with every link resolved
   * @param wasRead has this tenant a map that was made from the folder?
   */
  isOpen(tenant: string, root: string, wasRead: () => boolean): boolean {
    if (this.#roots === undefined || this.#opened.has(JSON.stringify([tenant, root]))) return true;
    return this.#roots().some((listed) => isInside(atHome(listed), root)) || wasRead();
  }
}

function atHome(folder: string): string {
  return folder.startsWith('~/') ? join(homedir(), folder.slice(2)) : folder;
}

/** Is it the folder itself, or below it? Links in the first are resolved; one that is not there holds nothing. */
export function isInside(folder: string, path: string): boolean {
  try {
    const way = relative(realpathSync(folder), path);
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  } catch {
    return false;
  }
}
