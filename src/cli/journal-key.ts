// The operator's key of the journal, for commands that open its file themselves: as the daemon's configuration names it.
import { existsSync } from 'node:fs';
import { readKey } from '../journal/index.js';
import { resolvePaths } from '../paths.js';
import { configError } from '../settings/index.js';
import { loadSettingsFile } from '../settings-file.js';

/** undefined where nothing is encrypted. Throws CONFIG as the daemon would at its start. */
export function journalKey(): Uint8Array | undefined {
  const { config } = resolvePaths();
  if (!existsSync(config)) return undefined;
  const loaded = loadSettingsFile(config);
  if (!loaded.ok) throw configError(loaded.errors, config);
  return readKey(loaded.settings.journal.encrypt, process.env);
}
