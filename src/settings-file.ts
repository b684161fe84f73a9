// A configuration file, read with the files that it names: those lie where it lies, wherever the program was started.
import { dirname, resolve } from 'node:path';
import { fileFault, readText } from './named-file.js';
import { type LoadResult, loadSettings } from './settings/index.js';

/** @throws the system's error when the file itself cannot be read; all other faults are in the result */
export function loadSettingsFile(file: string): LoadResult {
  return settingsOfText(readText(file), file);
}

/** @param file where the text is from, or would be */
export function settingsOfText(text: string, file: string): LoadResult {
  const readFile = (path: string): string => {
    try {
      return readText(resolve(dirname(file), path));
    } catch (e) {
      throw new Error(fileFault(e as NodeJS.ErrnoException) ?? (e as Error).message);
    }
  };
  return loadSettings(text, { origin: file, readFile });
}
