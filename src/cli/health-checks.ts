// What doctor looks at without a daemon: Node, native modules, folders, files, the configuration.
import { accessSync, constants, existsSync, lstatSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileFault } from '../named-file.js';
import { loadFault } from '../native-module.js';
import type { Paths } from '../paths.js';
import { faultText } from '../settings/index.js';
import { loadSettingsFile } from '../settings-file.js';
import { bytes } from './table.js';

export interface Finding {
  level: 'ok' | 'note' | 'error';
  what: string;
  /** What to do about it. */
  todo?: string;
}

/** package.json's `engines`. */
const LEAST_NODE = [20, 19] as const;

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  if (isEnough) return { level: 'ok', what: `Node ${version}` };
  return { level: 'error', what: `Node ${version}`, todo: `install Node ${LEAST_NODE.join('.')} or newer` };
}

/** Modules that are compiled at install, each tried in the way the daemon uses it. */
const NATIVE: readonly {
  name: string;
  todo: string;
  /** Gives what there is to say of one that loads. */
  attempt: () => Promise<string | undefined>;
}[] = [
  {
    name: 'better-sqlite3',
    todo: 'apt-get install -y g++ make python3, then npm rebuild better-sqlite3',
    attempt: async () => {
      const { openSqlite } = await import('../sqlite.js');
      openSqlite(':memory:').close();
      return undefined;
    },
  },
  {
    name: 'hnswlib-node',
    todo: 'apt-get install -y g++ make python3, then npm rebuild hnswlib-node',
    attempt: async () => {
      const hnswlib = await import('hnswlib-node');
      new hnswlib.default.HierarchicalNSW('cosine', 2).initIndex(1);
      return undefined;
    },
  },
  {
    name: 'token core (WASM)',
    todo: 'npm run build:native',
    attempt: async () => {
      const { attach, capabilities } = await import('../../native/index.js');
      const tokenizer = attach();
      const tokens = tokenizer.count('hello world', 'o200k_base');
      tokenizer.dispose();
      if (tokens !== 2) throw new Error(`it counts ${tokens} tokens in "hello world", not 2`);
      return capabilities().notice;
    },
  },
];

export async function loadsNative(): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, todo, attempt } of NATIVE) {
    try {
      const notice = await attempt();
      findings.push({ level: 'ok', what: `${name} loads` });
      if (notice !== undefined)
        findings.push({ level: 'note', what: notice, todo: 'nothing; a newer Node does better' });
    } catch (e) {
      const what = loadFault(name, e) ?? `${name} does not load: ${(e as Error).message.split('\n')[0]}`;
      findings.push({ level: 'error', what, todo });
    }
  }
  return findings;
}

/** As of fs; another one for tests of folders that are not ours to write. */
type Access = (path: string, mode: number) => void;

/** Folders and files: what is there must be ours and closed to others. */
export function checkFiles(paths: Paths, access: Access = accessSync): Finding[] {
  return [
    closed('run folder', paths.run, 0o077, 'chmod 700'),
    closed('data folder', paths.data, 0o022, 'chmod 700'),
    closed('token file', paths.tokenFile, 0o077, 'chmod 600'),
    closed('named tokens', paths.namedTokens, 0o077, 'chmod 600', 'none yet; curated token add makes them'),
    ...writable('run folder', paths.run, access),
    ...writable('data folder', paths.data, access),
    ...spacious(paths.data, freeAt(paths.data)),
  ];
}

/** Can the daemon write there, or make the folder? Says only what is wrong. */
function writable(name: string, path: string, access: Access): Finding[] {
  const there = nearestFolder(path);
  try {
    // What may not even be looked at is told already.
    lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return [];
  }
  try {
    access(there, constants.W_OK | constants.X_OK);
    return [];
  } catch (e) {
    const what = there === path ? 'cannot be written' : `cannot be made in ${there}`;
    const why = (e as NodeJS.ErrnoException).code === 'EROFS' ? ': its disk is mounted read-only' : '';
    return [
      {
        level: 'error',
        what: `${name}: ${path} ${what}${why}`,
        todo: `give yourself the right to write it (chmod u+rwx ${there}), or set another CURATED_HOME`,
      },
    ];
  }
}

/** Bytes free that a daemon cannot do without, and of which it is told before. */
const LEAST_FREE = 1024 * 1024;
const LITTLE_FREE = 100 * LEAST_FREE;

/** Bytes; infinite where the file system does not say. */
function freeAt(path: string): number {
  try {
    const disk = statfsSync(nearestFolder(path));
    return disk.blocks === 0 ? Number.POSITIVE_INFINITY : disk.bavail * disk.bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

export function spacious(path: string, free: number): Finding[] {
  if (free >= LITTLE_FREE) return [];
  return [
    {
      level: free < LEAST_FREE ? 'error' : 'note',
      what: `data folder: ${path}: ${bytes(free)} left on its disk`,
      todo: 'make room: on a full disk new work is refused until there is some',
    },
  ];
}

/** The folder itself, or the one that it would be made in. */
function nearestFolder(path: string): string {
  for (let at = path; ; at = dirname(at)) if (existsSync(at) || at === dirname(at)) return at;
}

function closed(
  name: string,
  path: string,
  forbidden: number,
  fix: string,
  absent = 'not there yet; start makes it',
): Finding {
  let stat: ReturnType<typeof lstatSync>;
  try {
    stat = lstatSync(path);
  } catch (e) {
    const code = (e as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return { level: 'ok', what: `${name}: ${absent} (${path})` };
    return {
      level: 'error',
      what: `${name}: ${path}: ${code}`,
      todo: `check the permissions of ${dirname(path)}`,
    };
  }
  const mode = (stat.mode & 0o777).toString(8).padStart(3, '0');
  const uid = process.getuid?.();
  if (stat.isSymbolicLink() && name.includes('token'))
    return { level: 'error', what: `${name}: ${path} is a symlink`, todo: 'put the file itself there' };
  if (uid !== undefined && stat.uid !== uid)
    return {
      level: 'error',
      what: `${name}: ${path} belongs to uid ${stat.uid}`,
      todo: `chown ${uid} ${path}`,
    };
  if (!stat.isSymbolicLink() && (stat.mode & forbidden) !== 0)
    return { level: 'error', what: `${name}: ${path} is open to others (${mode})`, todo: `${fix} ${path}` };
  return { level: 'ok', what: `${name}: ${path} (${mode})` };
}

export function checkConfig(paths: Paths): Finding {
  if (!existsSync(paths.config))
    return { level: 'ok', what: `no configuration file, so the defaults hold (${paths.config})` };
  try {
    const loaded = loadSettingsFile(paths.config);
    if (loaded.ok) return { level: 'ok', what: `configuration: ${paths.config}` };
    const first = loaded.errors[0];
    return {
      level: 'error',
      what: `configuration: ${first === undefined ? paths.config : faultText(first, paths.config)}`,
      todo: `curated config check ${paths.config} names ${loaded.errors.length === 1 ? 'it' : `all ${loaded.errors.length} faults`}`,
    };
  } catch (e) {
    const what = fileFault(e as Error) ?? (e as Error).message;
    return { level: 'error', what: `configuration: ${what}`, todo: 'check the file' };
  }
}
