// The texts of a project folder: what git knows and does not ignore, and the recent history. Runs git, reads files.

import { execFile } from 'node:child_process';
import { constants, lstat, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join, sep } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Document {
  /** Stable name: a path below the root, or `commit:` and a hash. */
  id: string;
  collection: string;
  text: string;
  /** Changes when the text may have. */
  stamp: string;
}

export interface ProjectTexts {
  documents: Document[];
  /** All files, those that hold no text included. */
  files: number;
  kinds: [kind: string, files: number][];
  /** True when there were more files than are read. */
  cut: boolean;
}

/** Files that are read at most; of more every n-th is taken, so that no folder is left out. */
const MOST_FILES = 20_000;
/** The beginning of a file says what it is about. */
const HEAD_BYTES = 8192;
const COMMITS = 300;
const GIT_MS = 15_000;
const GIT_BYTES = 64 * 1024 * 1024;
const DOCS = new Set(['.md', '.mdx', '.rst', '.txt', '.adoc', '.org', '.tex']);
/** What is never prose nor code, by its ending; anything else is looked into. */
const SKIP = new Set(
  (
    '.png .jpg .jpeg .gif .webp .ico .svg .pdf .zip .gz .bz2 .xz .7z .tar .jar .class .o .a .so .dll .exe .wasm .woff .woff2 .ttf .otf ' +
    '.eot .mp3 .mp4 .mov .avi .webm .wav .flac .bin .dat .db .sqlite .lock .map .min.js .snap .pyc'
  ).split(' '),
);
const LOCKS = new Set([
  'package-lock.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'Cargo.lock',
  'poetry.lock',
  'go.sum',
]);
/** Folders that no walk without git goes into. */
const HIDDEN = new Set(['node_modules', 'dist', 'build', 'target', 'vendor', '__pycache__', 'venv', 'out']);

/** Is this the name of a folder of things that are made or fetched? */
export function isHidden(name: string): boolean {
  return HIDDEN.has(name);
}

/** Reads a project. A folder that cannot be read throws; single files that cannot are passed over. */
export async function projectTexts(root: string, name: string): Promise<ProjectTexts> {
  const paths = (await listed(root)).filter((p) => p !== '').sort();
  const kinds = new Map<string, number>();
  for (const path of paths) {
    const kind = extname(path).slice(1).toLowerCase() || basename(path);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const readable = paths.filter((p) => !SKIP.has(extname(p).toLowerCase()) && !LOCKS.has(basename(p)));
  const step = Math.max(1, Math.ceil(readable.length / MOST_FILES));
  const chosen = readable.filter((_, i) => i % step === 0);
  const documents: Document[] = [];
  for (let i = 0; i < chosen.length; i += 32) {
    const read = await Promise.all(chosen.slice(i, i + 32).map((path) => document(root, path, name)));
    for (const d of read) if (d !== undefined) documents.push(d);
  }
  documents.push(...(await history(root, name)));
  return {
    documents,
    files: paths.length,
    kinds: [...kinds].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 8),
    cut: step > 1,
  };
}

async function document(root: string, path: string, name: string): Promise<Document | undefined> {
  try {
    const at = join(root, path);
    // A link may lead out of the project; what it names inside is read under its own name.
    const facts = await lstat(at);
    if (!facts.isFile() || facts.size === 0) return undefined;
    const file = await open(at, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const bytes = Buffer.alloc(Math.min(HEAD_BYTES, facts.size));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      const head = bytes.subarray(0, bytesRead);
      if (head.includes(0)) return undefined;
      return {
        id: path,
        collection: `${DOCS.has(extname(path).toLowerCase()) ? 'docs' : 'code'}__${name}`,
        text: `${path.split(sep).join(' ')}\n${head.toString('utf8')}`,
        stamp: `${facts.size}:${Math.floor(facts.mtimeMs)}`,
      };
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** Paths below the root, by git where it is installed: so .gitignore holds also where there is no repository. */
async function listed(root: string): Promise<string[]> {
  const files = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const own = await git(root, files);
  if (own !== undefined) return own.split('\0');
  await readdir(root);
  const scratch = await mkdtemp(join(tmpdir(), 'curated-git-'));
  try {
    if ((await git(root, ['init', '-q', '--bare', scratch])) !== undefined) {
      const dir = [`--git-dir=${scratch}`, `--work-tree=${root}`, '-c', 'core.bare=false'];
      const found = await git(root, [...dir, 'ls-files', '-z', '--others', '--exclude-standard']);
      if (found !== undefined)
        return found.split('\0').filter((p) => !p.split('/').some((f) => HIDDEN.has(f)));
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return walk(root);
}

async function walk(root: string): Promise<string[]> {
  const found: string[] = [];
  const open = [''];
  while (open.length > 0 && found.length < 10 * MOST_FILES) {
    const dir = open.pop()!;
    for (const entry of await readdir(join(root, dir), { withFileTypes: true })) {
      if (entry.name.startsWith('.') || HIDDEN.has(entry.name)) continue;
      const path = dir === '' ? entry.name : `${dir}/${entry.name}`;
      if (entry.isDirectory()) open.push(path);
      else if (entry.isFile()) found.push(path);
    }
  }
  return found;
}

/** Subjects and bodies of the newest commits; none where there is no history. */
async function history(root: string, name: string): Promise<Document[]> {
  const log = await git(root, ['log', '-n', String(COMMITS), '--no-merges', '-z', '--format=%H%n%s%n%b']);
  return (log ?? '').split('\0').flatMap((entry) => {
    const at = entry.indexOf('\n');
    if (at < 0) return [];
    const hash = entry.slice(0, at).trim();
    return [{ id: `commit:${hash}`, collection: `history__${name}`, text: entry.slice(at + 1), stamp: hash }];
  });
}

/** Output of git, or undefined when it fails or is not installed. Nothing of the user's git set-up is run. */
async function git(cwd: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run('git', ['-c', 'core.fsmonitor=false', ...args], {
      cwd,
      timeout: GIT_MS,
      maxBuffer: GIT_BYTES,
      env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
    });
    return stdout;
  } catch {
    return undefined;
  }
}
