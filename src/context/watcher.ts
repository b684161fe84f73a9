// Watches project folders and says when one has changed and come to rest. A folder too large to watch is told once and left
// alone. Knows nothing of maps.

import { execFile } from 'node:child_process';
import { basename, relative, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { isHidden } from './project-files.js';

export interface WatchEvents {
  /** Files that the project knows have changed, and for a while nothing more has. */
  changed(): void;
  /** It is not watched any more: a fault, such as a system that has no watches left. */
  lost(why: string): void;
  /** It has more folders than are watched, and is left alone. */
  tooLarge(why: string): void;
}

export interface WatchLimits {
  /** Rest after the last change, in ms. */
  quietMs: number;
  /** Between two calls of `changed`, in ms: a refresh reads the whole project. */
  everyMs: number;
  /** Each costs a watch of the system. */
  folders: number;
}

const WATCH_LIMITS: WatchLimits = { quietMs: 5000, everyMs: 120_000, folders: 3000 };
/** Changed paths that are looked at; of more the folder has changed for certain. */
const MOST_PATHS = 200;
const GIT_MS = 5000;

export class FolderWatch {
  readonly #root: string;
  readonly #events: WatchEvents;
  readonly #limits: WatchLimits;
  readonly #watcher: FSWatcher;
  readonly #paths = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #last = Number.NEGATIVE_INFINITY;
  /** As often as it is asked about, a folder counts once. */
  readonly #folders = new Set<string>();
  #closed = false;

  constructor(root: string, events: WatchEvents, limits: WatchLimits = WATCH_LIMITS) {
    this.#root = root;
    this.#events = events;
    this.#limits = limits;
    this.#watcher = watch(root, {
      persistent: false,
      ignoreInitial: true,
      followSymlinks: false,
      ignorePermissionErrors: true,
      ignored: (path, stats) => this.#ignores(path, stats?.isDirectory() === true),
    });
    this.#watcher.on('all', (_, path) => this.#saw(path));
    this.#watcher.on('error', (e) => this.#end(() => this.#events.lost((e as Error).message)));
  }

  /** Resolves when changes from now on are seen. */
  ready(): Promise<void> {
    return new Promise((resolve) => {
      this.#watcher.once('ready', resolve);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#watcher.close();
  }

  #ignores(path: string, folder: boolean): boolean {
    if (this.#closed) return true;
    const inside = relative(this.#root, path);
    if (inside === '') return false;
    if (inside.split(sep).some((part) => part.startsWith('.')) || isHidden(basename(path))) return true;
    if (folder) {
      this.#folders.add(inside);
      if (this.#folders.size > this.#limits.folders) {
        this.#end(() => this.#events.tooLarge(`more than ${this.#limits.folders} folders`));
        return true;
      }
    }
    return false;
  }

  #saw(path: string): void {
    if (this.#closed) return;
    if (this.#paths.size < MOST_PATHS) this.#paths.add(path);
    const rest = Math.max(this.#limits.quietMs, this.#last + this.#limits.everyMs - performance.now());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#tell(), rest);
    this.#timer.unref();
  }

  async #tell(): Promise<void> {
    const paths = [...this.#paths];
    this.#paths.clear();
    if (paths.length < MOST_PATHS && (await allIgnored(this.#root, paths))) return;
    if (this.#closed) return;
    this.#last = performance.now();
    this.#events.changed();
  }

  #end(tell: () => void): void {
    if (this.#closed) return;
    void this.close();
    tell();
  }
}

/** Does git leave all of them out? Without git, or where it cannot say, no. */
function allIgnored(root: string, paths: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const git = execFile(
      'git',
      ['check-ignore', '--stdin', '-z'],
      { cwd: root, timeout: GIT_MS },
      (error, stdout) => {
        resolve(error === null && stdout.split('\0').filter((p) => p !== '').length === paths.length);
      },
    );
    git.stdin?.on('error', () => undefined);
    git.stdin?.end(paths.join('\0'));
  });
}
