// What the log says of calls that were refused. A caller's fault is theirs to read; a fault of ours is an error, with its place in
// the code. What an error says is left out: it may quote a conversation.

import type { CuratedError } from '../errors.js';

export interface RefusalLog {
  debug(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export function tellRefusal(log: RefusalLog, error: CuratedError, method: string): void {
  const { kind } = error;
  if (kind !== 'INTERNAL') {
    log.debug({ kind, method }, 'call refused');
    return;
  }
  log.error({ kind, method, ...placeOf(error) }, 'a call failed by a fault of ours');
}

/** The agent has its request, not curated. */
export function tellSpared(log: RefusalLog, error: CuratedError, method: string): void {
  log.error({ kind: error.kind, method, ...placeOf(error) }, 'curation failed by a fault of ours');
}

function placeOf(error: CuratedError): { name: string; at: string[] } {
  const cause = error.cause instanceof Error ? error.cause : error;
  return { name: cause.name, at: framesOf(cause) };
}

/** The lines of a stack that are places: those behind the message, which may have lines of that look itself. */
function framesOf({ stack = '', message }: Error): string[] {
  return stack
    .slice(Math.max(0, stack.indexOf(message)) + message.length)
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .map((line) => line.trim().slice(3));
}
