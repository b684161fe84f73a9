// The daemon's configuration file.

import { CuratedError } from './errors.js';
import { fileFault, readText } from './named-file.js';
import type { Log } from './observe/index.js';
import { Redactor } from './redaction/redactor.js';
import { type ConfigLayer, configError, resolveSettings, type Settings } from './settings/index.js';
import { settingsOfText } from './settings-file.js';

function redactorOf({ journal }: Settings): Redactor | undefined {
  return journal.redact.length === 0 ? undefined : new Redactor(journal.redact);
}

/** What is looked at when the daemon starts, and not after. */
function fixedOf({ curated, journal }: Settings): Record<string, string> {
  const { listen, limits } = curated;
  const { encrypt } = journal;
  return {
    'curated.listen': JSON.stringify(listen),
    'curated.limits': JSON.stringify(limits),
    'journal.encrypt': JSON.stringify(encrypt) ?? '',
  };
}

/** The daemon's own configuration file: read at start, again when asked; a wrong one never replaces a right one. */
export class DaemonConfig {
  layers: readonly ConfigLayer[] = [];
  /** The settings of the daemon itself: where it listens, its limits, its journal. */
  settings: Settings;
  /** Grows with each change: sessions take it up at their next turn boundary. */
  version = 1;
  /** Undefined where there are no rules. */
  redactor: Redactor | undefined;
  readonly #file: string;
  readonly #log: Log;
  readonly #fixed: Record<string, string>;

  constructor(file: string, log: Log) {
    this.#file = file;
    this.#log = log;
    this.layers = this.#read();
    this.settings = resolveSettings(this.layers);
    this.redactor = redactorOf(this.settings);
    this.#fixed = fixedOf(this.settings);
  }

  reload(): void {
    try {
      this.layers = this.#read();
      this.settings = resolveSettings(this.layers);
      this.redactor = redactorOf(this.settings);
      this.version += 1;
      this.#log.info(
        { file: this.#file },
        'configuration read; sessions take it up at their next turn boundary',
      );
      const now = fixedOf(this.settings);
      const keys = Object.keys(now).filter((key) => now[key] !== this.#fixed[key]);
      if (keys.length > 0) this.#log.warn({ keys }, 'these are taken up when the daemon is started again');
    } catch (e) {
      this.#log.error({ file: this.#file, error: (e as Error).message }, 'the running configuration stays');
    }
  }

  #read(): readonly ConfigLayer[] {
    let text: string;
    try {
      text = readText(this.#file);
    } catch (e) {
      if ((e as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw new CuratedError('CONFIG', fileFault(e as Error) ?? `${this.#file}: ${(e as Error).message}`);
    }
    const loaded = settingsOfText(text, this.#file);
    for (const notice of loaded.notices) this.#log.warn({ notice }, 'configuration');
    if (!loaded.ok) throw configError(loaded.errors, this.#file);
    return [loaded.layer];
  }
}
