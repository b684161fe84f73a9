// Keeps each session's working buffer and archives as files people can read (L5-9, H-2): written behind the journal, so
// that a crash in between loses nothing, and made anew from it whenever they are not what it says (J-12).

import { dirname, join } from 'node:path';
import type { SessionKey, Store } from '../journal/index.js';
import { inPieces } from '../pool/pieces.js';
import type { Committed } from '../session/commit.js';
import type { FileKeeper } from '../session/deps.js';
import { events, foldOne } from '../session/load.js';
import { freshState } from '../session/state/fresh.js';
import type { SessionState } from '../session/state/state.js';
import {
  type Archive,
  archiveOf,
  type BufferLine,
  bufferLines,
  bufferRevision,
  newLines,
  written,
} from '../session/working-buffer.js';
import { PLUGIN_IDS, type Settings } from '../settings/index.js';
import * as folder from './working-folder.js';

export interface WorkingFilesDeps {
  store: Store;
  /** Folder of all sessions' files. */
  root: string;
  health: { green(name: string): void; red(name: string, error: unknown): void };
  /** A diagnostic for the session: lines that were skipped on load. */
  skipped(key: SessionKey, file: string, lines: number): void;
}

/** What comes within this time is written together. */
const FOLLOW_MS = 1_000;
/** A session that goes on is written this often: who reads along sees whole turns, and each append costs as much as a long one. */
const AGAIN_MS = 3_000;
const HEALTH = 'working_files';
const CURRENT = 'current.jsonl';
const CONVERSATION = 'context/conversation.jsonl';

/** What one session's files are to become. */
interface Follow {
  key: SessionKey;
  /** The state they are taken from: another one (a rewind, a failed call) begins anew. */
  state: SessionState;
  /** Files of the buffer. */
  names: readonly string[];
  /** Stored messages taken so far, and what the lines before them rest on. */
  taken: number;
  revision: string;
  /** The whole buffer, when it is to be written anew or compared with what is there. */
  whole: BufferLine[] | undefined;
  added: BufferLine[];
  archives: Archive[];
  /** The files have been read and are what the journal says. */
  known: boolean;
  /** It is to be written, at a time that is set. */
  due: boolean;
  /** When it was last written, in ms of `performance.now()`. */
  writtenAt: number;
}

export class WorkingFiles implements FileKeeper {
  readonly #deps: WorkingFilesDeps;
  readonly #follows = new WeakMap<SessionState, Follow>();
  /** Sessions with something to write. */
  readonly #due = new Map<string, { follow: Follow; timer: NodeJS.Timeout }>();
  readonly #chains = new Map<string, Promise<void>>();
  #closed = false;

  constructor(deps: WorkingFilesDeps) {
    this.#deps = deps;
  }

  /** What a sealed command has brought. Costs what is new, or the buffer where it was rewritten. */
  note(key: SessionKey, state: SessionState, settings: Settings, committed: readonly Committed[]): void {
    const names = wantedFiles(settings);
    if (this.#closed || names.length === 0) return;
    let f = this.#follows.get(state);
    if (f === undefined || f.names !== names) {
      f = begin(key, state, names);
      this.#follows.set(state, f);
    }
    let rewritten = f.revision !== bufferRevision(state) || state.messages.length < f.taken;
    for (const { event: e } of committed) {
      if (e.type === 'session.diverged' || e.type === 'session.remarked') rewritten = true;
      else if (e.type === 'memory.compacted') {
        const archive = archiveOf(state, e.payload);
        if (archive !== undefined) f.archives.push(archive);
      }
    }
    if (rewritten) {
      f.whole = bufferLines(state);
      f.added = [];
      f.revision = bufferRevision(state);
    } else if (f.taken < state.messages.length) {
      (f.whole ?? f.added).push(...newLines(state, f.taken));
    }
    f.taken = state.messages.length;
    if (!f.due && !isEmpty(f)) this.#writeLater(f);
  }

  #writeLater(f: Follow): void {
    const name = chainName(f.key);
    this.#undue(name);
    const wait = Math.max(FOLLOW_MS, f.writtenAt + AGAIN_MS - performance.now());
    const timer = setTimeout(() => void this.settled(f.key), wait);
    timer.unref();
    f.due = true;
    this.#due.set(name, { follow: f, timer });
  }

  /** What was to be written of a session; it is no longer. */
  #undue(name: string): Follow | undefined {
    const due = this.#due.get(name);
    if (due === undefined) return undefined;
    clearTimeout(due.timer);
    this.#due.delete(name);
    due.follow.due = false;
    return due.follow;
  }

  /** Resolves when the files of a session are what its journal said when this was called. */
  settled(key: SessionKey): Promise<void> {
    const name = chainName(key);
    const before = this.#chains.get(name) ?? Promise.resolve();
    const follow = this.#undue(name);
    if (follow === undefined) return before;
    const next = before.then(() => this.#writeNow(follow));
    this.#chains.set(name, next);
    void next.then(() => {
      if (this.#chains.get(name) === next) this.#chains.delete(name);
    });
    return next;
  }

  /** Makes all files of a session anew from its journal. Nothing may write to the session meanwhile. @returns their names */
  async rebuild(key: SessionKey, state: SessionState, settings: Settings): Promise<string[]> {
    await this.settled(key);
    return rebuildFiles(this.#deps.store, key, this.folderOf(key), state, settings);
  }

  folderOf(key: SessionKey): string {
    return folder.folderOf(this.#deps.root, key);
  }

  async forget(key: SessionKey): Promise<void> {
    const name = chainName(key);
    this.#undue(name);
    await this.#chains.get(name);
    await folder.remove(this.folderOf(key));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#due.values()].map(({ follow }) => this.settled(follow.key)));
    await Promise.all(this.#chains.values());
  }

  async #writeNow(f: Follow): Promise<void> {
    const { whole, added, archives } = f;
    f.whole = undefined;
    f.added = [];
    f.archives = [];
    f.writtenAt = performance.now();
    const backups = [...f.state.backups];
    const at = this.folderOf(f.key);
    try {
      // What the journal has not got yet must not be read here first.
      await this.#deps.store.flush('ack', f.key);
      for (const archive of archives) await writeArchive(at, archive);
      if (!f.known) {
        for (const name of f.names) await folder.removeDrafts(dirname(join(at, name)));
        await this.#archivesAsJournalled(f.key, at, backups);
      }
      // Its files hold the same.
      const rest = added.length === 0 ? undefined : bytesOf(added.map(written));
      for (const name of f.names) {
        const path = join(at, name);
        if (whole !== undefined) await this.#replace(f, name, path, whole);
        if (rest !== undefined) await folder.append(path, rest);
      }
      f.known = true;
      this.#deps.health.green(HEALTH);
    } catch (e) {
      // Derived files: the next command compares them with the journal again.
      this.#deps.health.red(HEALTH, e);
      this.#follows.delete(f.state);
    }
  }

  /** The file as it should be: left alone where it is, grown where it is a beginning, else replaced. */
  async #replace(f: Follow, name: string, path: string, whole: readonly BufferLine[]): Promise<void> {
    const there = f.known ? undefined : await folder.load(path);
    if (there === undefined) return folder.writeWhole(path, allWritten(whole));
    const lines = await inPieces(whole, written);
    if (there.skipped > 0) this.#deps.skipped(f.key, name, there.skipped);
    const begins = there.lines.length <= lines.length && there.lines.every((l, i) => l === lines[i]);
    if (there.skipped > 0 || !begins) return folder.writeWhole(path, lines);
    const rest = lines.slice(there.lines.length);
    if (rest.length > 0) await folder.append(path, bytesOf(rest));
  }

  /** A crash or a rewind may have left archives that the journal does not know, or too few. */
  async #archivesAsJournalled(key: SessionKey, at: string, backups: readonly string[]): Promise<void> {
    const wanted = new Set(backups.flatMap((b) => filesOf(b.replace(/\.jsonl$/, ''))));
    const there = new Set((await folder.names(join(at, 'archive'))).map((n) => `archive/${n}`));
    for (const name of there) if (!wanted.has(name)) await folder.remove(join(at, name));
    if ([...wanted].every((name) => there.has(name))) return;
    for await (const archive of archivesOf(this.#deps.store, key)) {
      if (filesOf(archive.name).some((name) => !there.has(name))) await writeArchive(at, archive);
    }
  }
}

function begin(key: SessionKey, state: SessionState, names: readonly string[]): Follow {
  return {
    key,
    state,
    names,
    taken: state.messages.length,
    revision: bufferRevision(state),
    whole: bufferLines(state),
    added: [],
    archives: [],
    known: false,
    due: false,
    writtenAt: Number.NEGATIVE_INFINITY,
  };
}

function bytesOf(lines: readonly string[]): Uint8Array {
  return Buffer.from(lines.join(''));
}

/** Lines as they are written, each made when it is its turn. */
function* allWritten(lines: readonly BufferLine[]): Generator<string> {
  for (const line of lines) yield written(line);
}

function isEmpty(f: Follow): boolean {
  return f.whole === undefined && f.added.length === 0 && f.archives.length === 0;
}

function chainName(key: SessionKey): string {
  return JSON.stringify([key.tenant, key.session]);
}

function filesOf(name: string): string[] {
  return [`${name}.jsonl`, `${name}.meta.json`, `${name}.summary.md`];
}

async function writeArchive(at: string, a: Archive): Promise<void> {
  const [lines, meta, summary] = filesOf(a.name) as [string, string, string];
  await folder.writeWhole(join(at, lines), allWritten(a.lines));
  await folder.writeWhole(join(at, meta), [a.meta]);
  await folder.writeWhole(join(at, summary), [a.summary]);
}

/** Every archive that a journal speaks of, made from it again. */
async function* archivesOf(store: Store, key: SessionKey): AsyncGenerator<Archive> {
  const state = freshState();
  for await (const { event } of events(store, key)) {
    foldOne(key, state, event);
    if (event.type !== 'memory.compacted') continue;
    const archive = archiveOf(state, event.payload);
    if (archive !== undefined) yield archive;
  }
}

/** All files of a session, from its journal alone, into a folder. @returns their names */
export async function rebuildFiles(
  store: Store,
  key: SessionKey,
  into: string,
  state: SessionState,
  settings: Settings,
): Promise<string[]> {
  const made: string[] = [];
  for await (const archive of archivesOf(store, key)) {
    await writeArchive(into, archive);
    made.push(...filesOf(archive.name));
  }
  for (const name of wantedFiles(settings)) {
    await folder.writeWhole(join(into, name), allWritten(bufferLines(state)));
    made.push(name);
  }
  return made.sort();
}

const NONE: readonly string[] = [];
const BOTH = [CURRENT, CONVERSATION];
const ONLY_CURRENT = [CURRENT];
const ONLY_CONVERSATION = [CONVERSATION];

/** Which files the settings ask for; the same list each time. */
function wantedFiles(settings: Settings): readonly string[] {
  if (settings.mode !== 'enforce') return NONE;
  const { active, plugins } = settings;
  const current =
    plugins.compaction.persist && (active.has(PLUGIN_IDS.compaction) || active.has(PLUGIN_IDS.contextWindow));
  const conversation = plugins.capped.persist && active.has(PLUGIN_IDS.capped);
  if (current && conversation) return BOTH;
  return current ? ONLY_CURRENT : conversation ? ONLY_CONVERSATION : NONE;
}
