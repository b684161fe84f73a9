// Export and import of one session as JSON lines: header, blobs before the records that name them, records.
import { CuratedError, exists } from '../errors.js';
import { references } from './blobs.js';
import {
  blobLine,
  damagedLine,
  envelopeLine,
  type FsyncMode,
  headerLine,
  parseBlob,
  parseEnvelope,
  parseHeader,
} from './envelope.js';
import { readAll } from './read-all.js';
import { type ChainHead, GENESIS, type JournalRecord, sha256 } from './record.js';
import type { Blob, SessionKey, Store } from './store.js';

const GROUP = 256;

export interface ExportOptions {
  readonly fsync?: FsyncMode;
  /** First record; 1 by default. The header stands before record 1 alone. */
  readonly fromSeq?: number;
  readonly toSeq?: number;
}

/** Lines without line ends. Throws UNKNOWN_SESSION, or STORAGE at the first record or blob that is damaged. */
export async function* exportJsonl(
  store: Store,
  key: SessionKey,
  options: ExportOptions = {},
): AsyncGenerator<string, void, undefined> {
  const head = await store.head(key);
  if (head === undefined) throw new CuratedError('UNKNOWN_SESSION', `there is no journal of ${key.session}`);
  const fromSeq = options.fromSeq ?? 1;
  if (fromSeq === 1) {
    yield headerLine({
      schema_version: '1',
      created_at: head.createdAt,
      fsync_mode: options.fsync ?? 'turn-boundary',
      session_id: key.session,
    });
  }
  const told = new Set<string>();
  const toSeq = options.toSeq ?? head.seq;
  for await (const record of readAll(store, key, { fromSeq, toSeq })) {
    for (const hash of references(record.payload)) {
      if (told.has(hash)) continue;
      told.add(hash);
      const bytes = await store.blob(key, hash);
      if (bytes === undefined) {
        throw new CuratedError('STORAGE', `the text ${hash} of record ${record.seq} is not in the journal`);
      }
      yield blobLine({ hash, bytes });
    }
    yield envelopeLine(key, record);
  }
}

export interface ExportPage {
  readonly lines: string[];
  /** Where the next page begins; absent on the last one. */
  readonly nextSeq?: number;
}

/** A page of an export: whole records, at least one, up to about `bytes`. The pages of one export together are its lines. */
export async function exportPage(
  store: Store,
  key: SessionKey,
  options: ExportOptions,
  bytes: number,
): Promise<ExportPage> {
  const lines: string[] = [];
  let size = 0;
  let next = options.fromSeq ?? 1;
  for await (const line of exportJsonl(store, key, options)) {
    if (size >= bytes && isRecord(lines.at(-1)!)) return { lines, nextSeq: next };
    lines.push(line);
    size += line.length;
    if (isRecord(line)) next += 1;
  }
  return { lines };
}

const isRecord = (line: string): boolean => line.startsWith('{"seq":');

export interface ImportResult {
  readonly records: number;
  readonly head: ChainHead;
  /** The last line was torn and left out. */
  readonly torn: boolean;
}

/**
 * Reads an export into a new session; synced when it resolves. A torn last line (no JSON, nothing behind it) is left out; any other
 * damage is STORAGE with the line's number, and nothing of the import stays.
 */
export async function importJsonl(
  store: Store,
  key: SessionKey,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<ImportResult> {
  if (await store.head(key)) throw exists(key.session);
  const intake = new Intake(store, key);
  try {
    for await (const line of lines) await intake.line(line);
    return await intake.end();
  } catch (e) {
    if (intake.started) await store.erase(key);
    throw e;
  }
}

class Intake {
  started = false;
  #no = 0;
  #head: ChainHead = GENESIS;
  #group: JournalRecord[] = [];
  #blobs: Blob[] = [];
  #waiting: string | undefined;

  constructor(
    readonly store: Store,
    readonly key: SessionKey,
  ) {}

  /** One line behind, so that the last one is known to be the last. */
  async line(line: string): Promise<void> {
    if (this.#waiting !== undefined) await this.#take(this.#waiting);
    this.#waiting = line === '' ? undefined : line;
  }

  async end(): Promise<ImportResult> {
    let torn = false;
    if (this.#waiting !== undefined) {
      torn = this.#no > 0 && !isJson(this.#waiting);
      if (!torn) await this.#take(this.#waiting);
    }
    if (this.#no === 0) throw damagedLine(1, 'is missing: there is no header');
    await this.#write();
    await this.store.flush('sync', this.key);
    return { records: this.#head.seq, head: { seq: this.#head.seq, hash: this.#head.hash }, torn };
  }

  async #take(line: string): Promise<void> {
    const no = ++this.#no;
    if (no === 1) {
      parseHeader(line);
      return;
    }
    const blob = parseBlob(line, no);
    if (blob) {
      if (`sha256:${sha256(blob.bytes)}` !== blob.hash)
        throw damagedLine(no, 'holds a text that does not match its hash');
      this.#blobs.push(blob);
      return;
    }
    const record = parseEnvelope(line, this.#head, no);
    this.#group.push(record);
    this.#head = record;
    if (this.#group.length >= GROUP) await this.#write();
  }

  async #write(): Promise<void> {
    const [first] = this.#group;
    if (first === undefined) return;
    await this.store.room();
    this.store.append(this.key, first.seq - 1, this.#group, this.#blobs);
    this.started = true;
    this.#group = [];
    this.#blobs = [];
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
