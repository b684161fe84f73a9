// SPEC.md names all that goes over the wire, as the tables of the code have it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ENTRIES, EVENTS, METHODS, SERVER_REQUESTS, SIGNALS } from '../../src/protocol/index.js';
import type { MethodName } from '../../src/protocol/methods.js';
import { scopeOf } from '../../src/protocol/scopes.js';
import { EVENT_TYPES } from '../../src/session/state/event-types.js';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const SPEC = readFileSync(resolve(ROOT, 'src/protocol/SPEC.md'), 'utf8');
/** What the rows of a table tell, by the name in backticks that is their first cell. */
function told(title: string): Map<string, string> {
  const [, after] = SPEC.split(`| ${title} `);
  assert.ok(after !== undefined, title);
  const lines = after
    .split(/\n(?!\|)/)[0]!
    .split('\n')
    .slice(2);
  return new Map(
    lines.map((line) => {
      const [, name, rest] = /^\| `([\w.]+)` +\|(.*)\|$/.exec(line) ?? [];
      return [name ?? line, (rest ?? '').replaceAll(/ +/g, ' ').replaceAll('\\|', '/').trim()];
    }),
  );
}

type Row = { summary: string };

test('SPEC.md names every method with its scope, every request to the client and every event, and no other', () => {
  const wanted = (rows: [string, Row][]) => new Map(rows.map(([name, row]) => [name, row.summary]));
  const methods = Object.entries<Row>(METHODS).map(([name, { summary }]): [string, Row] => [
    name,
    { summary: `${scopeOf(name as MethodName)} | ${summary}` },
  ]);
  assert.deepEqual(told('method'), wanted(methods));
  assert.deepEqual(told('asked of the client'), wanted(Object.entries<Row>(SERVER_REQUESTS)));
  const events = told('event');
  assert.deepEqual(
    [...events.keys()].sort(),
    [...new Set([...Object.keys(EVENT_TYPES), ...Object.keys(SIGNALS)])].sort(),
  );
  const rows: Record<string, Row> = { ...EVENTS, ...ENTRIES, ...SIGNALS };
  for (const [name, words] of events) assert.equal(words, rows[name]?.summary.replaceAll('|', '/'), name);
});
