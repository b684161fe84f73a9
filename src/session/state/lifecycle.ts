// The life of a session as a complete table: every state names what each command does to it. The compiler refuses a
// missing cell.

import { fail } from '../../errors.js';

/** `fresh`: no event yet. `open`: usual. `closed`: kept on disk, opens again. `quarantined`: its journal is damaged. */
export type SessionStatus = 'fresh' | 'open' | 'closed' | 'quarantined' | 'erased';

export type SessionCommand = 'open' | 'write' | 'read' | 'close' | 'forget' | 'rewind';

type Outcome = 'go' | 'UNKNOWN_SESSION' | 'STORAGE';

export const LIFECYCLE: Readonly<Record<SessionStatus, Readonly<Record<SessionCommand, Outcome>>>> = {
  fresh: {
    open: 'go',
    write: 'UNKNOWN_SESSION',
    read: 'UNKNOWN_SESSION',
    close: 'UNKNOWN_SESSION',
    forget: 'UNKNOWN_SESSION',
    rewind: 'UNKNOWN_SESSION',
  },
  open: { open: 'go', write: 'go', read: 'go', close: 'go', forget: 'go', rewind: 'go' },
  closed: {
    open: 'go',
    write: 'UNKNOWN_SESSION',
    read: 'go',
    close: 'go',
    forget: 'go',
    rewind: 'UNKNOWN_SESSION',
  },
  quarantined: {
    open: 'STORAGE',
    write: 'STORAGE',
    read: 'STORAGE',
    close: 'STORAGE',
    forget: 'go',
    rewind: 'STORAGE',
  },
  erased: {
    open: 'go',
    write: 'UNKNOWN_SESSION',
    read: 'UNKNOWN_SESSION',
    close: 'UNKNOWN_SESSION',
    forget: 'UNKNOWN_SESSION',
    rewind: 'UNKNOWN_SESSION',
  },
};

const REASONS: Readonly<Record<Exclude<Outcome, 'go'>, string>> = {
  UNKNOWN_SESSION: 'there is no such open session for this token; open it first',
  STORAGE:
    "the session's journal is damaged and the session is quarantined; session.forget or a restore ends that",
};

/** Throws the typed error of the cell, or returns. */
export function admit(status: SessionStatus, command: SessionCommand): void {
  const outcome = LIFECYCLE[status][command];
  if (outcome !== 'go') fail(outcome, REASONS[outcome]);
}
