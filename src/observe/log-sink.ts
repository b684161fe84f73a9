// Where the log's lines go: stderr or a private file of bounded size. What cannot be written is no reason to end a daemon.
import { copyFileSync, statSync, truncateSync } from 'node:fs';
import { pino } from 'pino';

export interface LogSink {
  write(line: string): void;
}

/** Of a log file; the lines before stand in one more file of that size, FILE.1. */
export const LOG_FILE_BYTES = 16 * 1024 * 1024;
/** Of lines that wait for a full disk to have room again; the newer ones are lost. */
const WAITING_BYTES = 1024 * 1024;
/** Between two looks for a file that was moved away: where it cannot be made again, each line would try. */
const REOPEN_MS = 1000;

export function stderrSink(): LogSink {
  return lasting(pino.destination({ fd: 2, sync: true, maxLength: WAITING_BYTES }));
}

/** Synchronous: the last lines before a crash are the ones that matter, and the log is quiet while all is well. */
export function fileSink(file: string, mostBytes = LOG_FILE_BYTES): LogSink {
  const options = {
    dest: file,
    mkdir: true,
    append: true,
    sync: true,
    mode: 0o600,
    maxLength: WAITING_BYTES,
  };
  const sink = lasting(pino.destination(options));
  const found = statSync(file);
  if (!found.isFile()) return sink;
  let { size, ino } = found;
  let again = 0;
  return {
    write(line) {
      const bytes = Buffer.byteLength(line);
      // It was moved away (logrotate does) or removed: what is written to it then is found by nobody, and bounded by nothing.
      if (inodeOf(file) !== ino && performance.now() > again) {
        again = performance.now() + REOPEN_MS;
        sink.reopen();
        ino = inodeOf(file) ?? ino;
        size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      }
      if (size + bytes > mostBytes) {
        makeRoom(file);
        size = 0;
      }
      size += bytes;
      sink.write(line);
    },
  };
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

/** The file stays the same one, as others may write to it too: a detached daemon's stderr leads there. */
function makeRoom(file: string): void {
  try {
    copyFileSync(file, `${file}.1`);
  } catch {
    // The disk is full: what is old makes room for what is new.
  }
  try {
    truncateSync(file);
  } catch {
    // It was taken away: nothing grows there.
  }
}

/** A disk that is full and a reader that has gone are told as errors of the stream, which end the process if nobody listens. */
function lasting<S extends ReturnType<typeof pino.destination>>(sink: S): S {
  sink.on('error', () => {});
  return sink;
}
