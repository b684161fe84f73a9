// What a running daemon says of itself, as findings: checks that are red, and a socket that has gone.
import { existsSync } from 'node:fs';
import type { DaemonFile } from './daemon-file.js';
import type { Finding } from './health-checks.js';

interface Check {
  ok?: boolean;
  last_error?: { message?: string; at?: number };
  note?: { message?: string };
}

/** Names of the checks that are red, the newest fault of each beside it. @param health as `daemon.status` answers it */
export function redChecks(health: unknown): [name: string, message: string][] {
  return Object.entries(checksOf(health)).flatMap(([name, { ok, last_error: last }]): [string, string][] =>
    ok === false ? [[name, last?.message ?? 'no reason was told']] : [],
  );
}

/** All but the journal, of which more is known. */
export function checkHealthOf(health: unknown): Finding[] {
  const told = Object.entries(checksOf(health)).flatMap(([name, { note }]): Finding[] =>
    note?.message === undefined ? [] : [{ level: 'note', what: `${name}: ${note.message}`, todo: 'nothing' }],
  );
  const red = redChecks(health).flatMap(([name, message]) =>
    name === 'journal'
      ? []
      : [
          {
            level: 'note' as const,
            what: `${name} is red: ${message}`,
            todo: 'sessions go on without it; it turns green by itself when it works again, and /healthz answers 503 until then',
          },
        ],
  );
  return [...red, ...told];
}

function checksOf(health: unknown): Record<string, Check> {
  return (health as { checks?: Record<string, Check> } | undefined)?.checks ?? {};
}

export function checkSocketOf({ socket }: DaemonFile): Finding[] {
  if (socket === undefined || existsSync(socket)) return [];
  return [
    {
      level: 'error',
      what: `the socket of the running daemon was removed: ${socket}`,
      todo: 'curated stop, then curated start; until then clients reach it over TCP',
    },
  ];
}
