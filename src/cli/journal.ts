// curated journal: what the journal holds, whether it is sound, and the ways out, in and to safety.
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CuratedError, reasonOf } from '../errors.js';
import { SqliteStore, salvage } from '../journal/index.js';
import { isThere, withPath } from '../named-file.js';
import { resolvePaths } from '../paths.js';
import { resolveSettings } from '../settings/index.js';
import { loadSettingsFile } from '../settings-file.js';
import { printJson, say } from './connection.js';
import { CommandError, EXIT } from './failure.js';
import { type Verdict, withJournal } from './journal-access.js';
import { journalPath } from './journal-checks.js';
import { journalKey } from './journal-key.js';
import { registerRekey } from './journal-rekey.js';
import { withOwnData } from './own-data.js';
import { paint } from './paint.js';
import { seqNumber } from './seq-number.js';
import { bytes, counted, whole } from './table.js';
import { lineOf } from './tail.js';

/** A name of a session has at most 1 KiB as JSON. */
const HEAD_BYTES = 64 * 1024;

interface Json {
  json?: boolean;
}

export function register(program: Command): void {
  const journal = program
    .command('journal')
    .description(
      'the journal: dump, verify, export, import, backup, salvage, rekey; with or without a daemon',
    );
  journal
    .command('dump')
    .description("print a session's events")
    .argument('<session>', 'id of the session')
    .option('--from <seq>', 'first event', seqNumber, 1)
    .option('--to <seq>', 'last event', seqNumber)
    .option('--json', 'one JSON value a line')
    .action((session: string, o: { from: number; to?: number } & Json) => dump(session, o));
  journal
    .command('verify')
    .description(
      'compare every hash of a session, or of all, and snapshots with the events; exits 1 when something is wrong',
    )
    .argument('[session]', 'id of the session; all without it')
    .option('--json', 'as JSON')
    .action((session: string | undefined, o: Json) => verify(session, o));
  journal
    .command('export')
    .description('a session as JSON lines, with its texts and its hash chain')
    .argument('<session>', 'id of the session')
    .argument('[file]', 'must not exist; stdout without it')
    .option('--json', 'say what was done as JSON; needs a file')
    .action((session: string, file: string | undefined, o: Json) => exported(session, file, o));
  journal
    .command('import')
    .description('an export as a new session: whole and verified, or not at all')
    .argument('<file>', 'as export wrote it')
    .option('--as <session>', 'its id; default is the one of the export')
    .option('--json', 'as JSON')
    .action((file: string, o: { as?: string } & Json) => imported(file, o));
  journal
    .command('backup')
    .description('a consistent copy of all that is stored, while the daemon goes on')
    .argument('<file>', 'must not exist')
    .option('--json', 'as JSON')
    .action((file: string, o: Json) => backup(file, o));
  journal
    .command('salvage')
    .description('a new journal of what is sound in a damaged one; changes nothing of the old file')
    .option('--to <file>', 'where to; default is beside the old one')
    .option('--replace', 'put it in the place of the old file, which goes aside')
    .option('--json', 'as JSON')
    .action((o: { to?: string; replace?: boolean } & Json) => saved(o));
  registerRekey(journal);
}

async function saved(o: { to?: string; replace?: boolean } & Json): Promise<void> {
  const paths = resolvePaths();
  const from = journalPath(paths);
  if (!existsSync(from)) throw new CommandError(`there is no journal yet (${from})`);
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  const to = o.to ?? join(paths.data, `journal-salvaged-${stamp}.db`);
  const aside = `${from}.damaged-${stamp}`;
  const found = await withOwnData(paths, () => {
    const kept = salvage(from, to, journalKey());
    if (o.replace === true) replace(from, aside, to);
    return kept;
  });
  if (o.json === true) return printJson({ ...found, file: o.replace === true ? from : to });
  for (const s of found.sessions) {
    const name = named(s.key);
    const what = `${whole(s.kept)} of ${counted(s.of, 'event')}`;
    say(
      s.reason === undefined
        ? `${paint.green('whole')}  ${name}: ${what}`
        : `${paint.red('cut')}    ${name}: ${what}; ${s.reason}`,
    );
  }
  for (const fault of found.faults) say(`${paint.red('lost')}   ${fault}`);
  if (o.replace === true) say(`${from} is the salvaged journal now; the damaged one is ${aside}`);
  else say(`salvaged to ${to}; ${from} is as it was`);
}

/** The damaged file goes aside with its log, which belongs to it alone. */
function replace(from: string, aside: string, to: string): void {
  for (const end of ['', '-wal', '-shm'])
    if (existsSync(`${from}${end}`)) renameSync(`${from}${end}`, `${aside}${end}`);
  renameSync(to, from);
}

async function dump(session: string, o: { from: number; to?: number } & Json): Promise<void> {
  let n = 0;
  await withJournal(async (j) => {
    for await (const e of j.dump(session, o.from)) {
      if (o.to !== undefined && e.seq > o.to) break;
      say(o.json === true ? JSON.stringify(e) : lineOf(e, false));
      n += 1;
    }
  });
  if (o.json !== true) process.stderr.write(`${paint.dim(`${counted(n, 'event')} of ${session}`)}\n`);
}

async function verify(session: string | undefined, o: Json): Promise<void> {
  const v = await withJournal((j) => j.verify(session));
  const isSound = v.broken.length === 0 && v.structure.length === 0 && v.differing.length === 0;
  if (o.json === true) printJson({ ok: isSound, ...v });
  else printVerdict(v, isSound);
  if (!isSound) process.exitCode = EXIT.failed;
}

function printVerdict(v: Verdict, isSound: boolean): void {
  const what = [
    counted(v.sessions, 'session'),
    ...(v.archives === 0 ? [] : [counted(v.archives, 'archive')]),
    counted(v.events, 'event'),
    counted(v.texts, 'text'),
    ...(v.snapshots === 0 ? [] : [counted(v.snapshots, 'snapshot')]),
  ].join(', ');
  const isWhole = v.broken.length === 0 && v.structure.length === 0;
  if (isSound) say(`${paint.green('sound')}: ${what}`);
  else say(`${paint.red(isWhole ? 'mended' : 'damaged')}: ${what} read`);
  for (const b of v.broken) say(`  ${named(b)} from #${b.seq} on: ${b.reason}`);
  for (const d of v.differing)
    say(
      `  ${d.session}: its snapshot at #${d.seq} was not what its events give: ${d.reason}; it was made anew from them`,
    );
  for (const s of v.structure) say(`  the file: ${s}`);
  if (!isWhole) say(`  ${paint.dim('→')} curated doctor says what can be saved, and how`);
}

function named({ session, archive }: { session: string; archive?: string | undefined }): string {
  return archive === undefined ? session : `${session} (archive ${archive})`;
}

async function exported(session: string, file: string | undefined, o: Json): Promise<void> {
  if (file === undefined) {
    if (o.json === true)
      throw new CommandError('--json needs a file: stdout has the export', { exit: EXIT.usage });
    await withJournal(async (j) => {
      for await (const line of j.export(session)) say(line);
    });
    return;
  }
  const done = await withJournal(async (j) => {
    // Opened once there is something to write, and never over what is there: it holds what people said.
    let fd: number | undefined;
    const done = { events: 0, texts: 0 };
    try {
      for await (const line of j.export(session)) {
        fd ??= openSync(file, 'wx', 0o600);
        append(fd, `${line}\n`, file);
        if (line.startsWith('{"seq":')) done.events += 1;
        else if (line.startsWith('{"blob":')) done.texts += 1;
      }
    } catch (e) {
      // What was begun here is no export: the next try is not to find it in its way.
      if (fd !== undefined) unlinkSync(file);
      throw e;
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
    return done;
  });
  const size = statSync(file).size;
  if (o.json === true) printJson({ session, file, bytes: size, ...done });
  else
    say(
      `${session}: ${counted(done.events, 'event')} and ${counted(done.texts, 'text')} in ${file} (${bytes(size)})`,
    );
}

function append(fd: number, text: string, file: string): void {
  try {
    appendFileSync(fd, text);
  } catch (e) {
    throw withPath(e, file);
  }
}

async function imported(file: string, o: { as?: string } & Json): Promise<void> {
  const session = o.as ?? nameIn(file);
  const done = await withJournal((j) => j.import(session, file)).catch((e: unknown) => {
    if (!(e instanceof CuratedError) || reasonOf(e) !== 'exists') throw e;
    throw new CommandError(e.message, { hint: `curated journal import ${file} --as ANOTHER_ID` });
  });
  const warning = retention(done.updatedAt);
  if (o.json === true)
    return printJson({
      session,
      file,
      events: done.events,
      torn: done.torn,
      ...(warning === undefined ? {} : { warning }),
    });
  if (warning !== undefined) process.stderr.write(`${paint.yellow('note')} ${warning}\n`);
  say(
    `${session}: ${counted(done.events, 'event')}, every hash as it was${done.torn ? '; the last line was torn and is left out' : ''}`,
  );
}

const DAY_MS = 86_400_000;

/** Retention goes by a session's newest event, and of an old export that is long ago. */
function retention(updatedAt: number): string | undefined {
  const { config } = resolvePaths();
  const loaded = isThere(config) ? loadSettingsFile(config) : undefined;
  const { retainDays } = (loaded?.ok === true ? loaded.settings : resolveSettings()).journal;
  const isKept = !(Date.now() - updatedAt >= retainDays * DAY_MS);
  if (retainDays <= 0 || isKept) return undefined;
  const day = new Date(updatedAt).toISOString().slice(0, 10);
  return `its newest event is of ${day}, so the daemon removes it at its next look (journal.retain_days: ${retainDays}; 0 keeps all)`;
}

function nameIn(file: string): string {
  const text = head(file);
  const end = text.indexOf('\n');
  try {
    const { session_id: name } = JSON.parse(end < 0 ? text : text.slice(0, end)) as { session_id?: unknown };
    if (typeof name === 'string' && name !== '') return name;
  } catch {
    // Said below.
  }
  throw new CommandError(`${file} is no export: its first line names no session`);
}

/** The beginning of a file, which may be large: more than an export's first line ever has. */
function head(file: string): string {
  const fd = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    return buffer.toString('utf8', 0, readSync(fd, buffer));
  } catch (e) {
    throw withPath(e, file);
  } finally {
    closeSync(fd);
  }
}

async function backup(file: string, o: Json): Promise<void> {
  await withJournal((j) => j.backup(file));
  // A backup is what can be read back: the copy is opened and checked, hash by hash.
  const copy = await SqliteStore.open(file, { key: journalKey() });
  try {
    const { structure, broken, sessions, archives, events } = await copy.check();
    const isSound = structure.length === 0 && broken.length === 0;
    const size = statSync(file).size;
    if (o.json === true) printJson({ ok: isSound, file, bytes: size, sessions, archives, events });
    else {
      say(
        `${counted(sessions, 'session')}${archives === 0 ? '' : ` and ${counted(archives, 'archive')}`} of ${counted(events, 'event')} in ${file} (${bytes(size)}), read back and ${isSound ? 'sound' : paint.red('damaged')}`,
      );
      for (const b of broken) say(`  ${named(b.key)}: ${b.reason}`);
      for (const s of structure) say(`  the file: ${s}`);
    }
    if (!isSound) process.exitCode = EXIT.failed;
  } finally {
    await copy.close();
  }
}
