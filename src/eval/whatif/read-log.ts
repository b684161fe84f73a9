// Sessions out of a log file of any known kind, line by line: what kind it is shows in each line. Lines that are damaged or
// of no known kind are counted, never fatal. Holds the sessions that are open and one line, whatever the file's size.
import { readPieces } from '../../named-file.js';
import { ClaudeCodeLog } from './claude-code.js';
import { CodexLog } from './codex.js';
import { JournalLog } from './journal-log.js';
import { isJson, type Json, type LoggedSession, type LogShape } from './logged.js';
import { RecordedLog } from './recorded.js';
import { RequestLog } from './request-log.js';

/** Longer lines are skipped: no agent writes them, and one must not fill the memory. */
const LINE_BYTES = 256 * 1024 * 1024;

export interface LogCounts {
  lines: number;
  /** Lines that are damaged or of no known kind. */
  skipped: number;
  bytes: number;
}

/** What a run of several files shares. */
export interface LogRun {
  counts: LogCounts;
  /** Answers of Claude Code that are counted already: resumed sessions repeat them in other files. */
  seen: Set<string>;
}

export function newRun(): LogRun {
  return { counts: { lines: 0, skipped: 0, bytes: 0 }, seen: new Set() };
}

/** Rejects only when the file cannot be read. */
export async function* readLog(file: string, run: LogRun): AsyncGenerator<LoggedSession> {
  const shapes = new Shapes(file, run.seen);
  for await (const line of linesOf(file)) {
    run.counts.bytes += (line?.length ?? LINE_BYTES) + 1;
    const text = line === undefined ? undefined : line.toString('utf8');
    if (text !== undefined && text.trim() === '') continue;
    run.counts.lines++;
    if (text === undefined || !shapes.take(text)) run.counts.skipped++;
    yield* shapes.drain();
  }
  shapes.end();
  yield* shapes.drain();
}

/** One reader for each kind of line that the file turns out to have. */
class Shapes {
  readonly #makers: readonly { knows(v: Json): boolean; make(): LogShape }[];
  readonly #open: (LogShape | undefined)[] = [];

  constructor(file: string, seen: Set<string>) {
    this.#makers = [
      { knows: RecordedLog.knows, make: () => new RecordedLog(file) },
      { knows: ClaudeCodeLog.knows, make: () => new ClaudeCodeLog(seen) },
      { knows: JournalLog.knows, make: () => new JournalLog() },
      { knows: RequestLog.knows, make: () => new RequestLog() },
      { knows: CodexLog.knows, make: () => new CodexLog() },
    ];
  }

  take(text: string): boolean {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return false;
    }
    if (!isJson(value)) return false;
    for (const [i, maker] of this.#makers.entries()) {
      if (!maker.knows(value)) continue;
      this.#open[i] ??= maker.make();
      return this.#open[i].take(value, text);
    }
    return false;
  }

  *drain(): Generator<LoggedSession> {
    for (const shape of this.#open) if (shape !== undefined) yield* shape.drain();
  }

  end(): void {
    for (const shape of this.#open) shape?.end();
  }
}

/** Lines end at LF alone. `undefined`: one that is too long. */
async function* linesOf(file: string): AsyncGenerator<Buffer | undefined> {
  let pieces: Buffer[] = [];
  let length = 0;
  let isLong = false;
  const close = (): Buffer | undefined => {
    const line = isLong ? undefined : pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    pieces = [];
    length = 0;
    isLong = false;
    return line;
  };
  const add = (piece: Buffer): void => {
    length += piece.length;
    if (length > LINE_BYTES) {
      isLong = true;
      pieces = [];
    } else pieces.push(piece);
  };
  for await (const chunk of readPieces(file, 1 << 20)) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, at));
      yield close();
      from = at + 1;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  }
  if (length > 0) yield close();
}
