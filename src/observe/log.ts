// The daemon's log: JSON lines to stderr or a private file, without secrets and without conversation texts. Knows no room.
import { type Logger, pino } from 'pino';
import { fileSink, stderrSink } from './log-sink.js';
import { scrub } from './scrub.js';

export type Log = Logger;
export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogOptions {
  /** Default info. */
  level?: LogLevel | undefined;
  /** Appended to, made with mode 0600, of bounded size (`LOG_FILE_BYTES`, and once more as FILE.1); stderr without it. */
  file?: string | undefined;
  /** Takes the lines instead of stderr or a file. */
  sink?: { write(line: string): void } | undefined;
}

/** Names under which secrets travel, at the top of a record or one or two levels down. */
const SECRET_FIELDS = [
  'authorization',
  'token',
  'cookie',
  'password',
  'secret',
  'api_key',
  '["sec-websocket-protocol"]',
];

function redactedPaths(): string[] {
  return SECRET_FIELDS.flatMap((f) => {
    const rest = f.startsWith('[') ? f : `.${f}`;
    return [f, `*${rest}`, `*.*${rest}`];
  });
}

export function createLog(o: LogOptions = {}): Log {
  const sink = o.sink ?? (o.file === undefined ? stderrSink() : fileSink(o.file));
  return pino(
    {
      level: o.level ?? 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redactedPaths(), censor: '[redacted]' },
      hooks: { streamWrite: scrub },
    },
    sink,
  );
}
