// A session of the running daemon as the folder of a case: its journal, what it is called, assertions to start from.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Client } from '../client/index.js';
import { isFailure } from '../eval/cases/sampler.js';
import { writeText } from '../named-file.js';
import { sessionEvents } from './session-events.js';

export interface CaseJournal {
  lines: string[];
  model: string;
  hasTools: boolean;
  /** Types of events that tell of a failure. */
  failures: Set<string>;
}

/** The session's events, exact texts and all, one a line. */
export async function caseJournal(client: Client, session: string): Promise<CaseJournal> {
  const found: CaseJournal = { lines: [], model: '', hasTools: false, failures: new Set() };
  for await (const line of sessionEvents(client, session)) {
    const e = JSON.parse(line) as Record<string, unknown>;
    const type = String(e['type']);
    if (found.lines.length === 0)
      found.lines.push(JSON.stringify({ schema_version: '1', created_at: e['ts'], session_id: session }));
    if (type === 'session.opened') found.model = String(e['model'] ?? '');
    if (type === 'tool.invoke') found.hasTools = true;
    if (isFailure(type) && e['observed'] !== true) found.failures.add(type);
    // White space inside an exact text may be a line feed.
    found.lines.push(/[\n\r]/.test(line) ? JSON.stringify(e) : line);
  }
  return found;
}

/** @returns how many assertions there are to start from */
export function writeCase(
  dir: string,
  { lines, model, hasTools }: CaseJournal,
  { name, tags }: { name: string; tags: readonly string[] },
): number {
  mkdirSync(join(dir, 'journal'), { recursive: true });
  mkdirSync(join(dir, 'input'), { recursive: true });
  writeText(join(dir, 'journal', 'session.jsonl'), `${lines.join('\n')}\n`);
  const assertions = [
    { kind: 'event_emitted', type: 'llm.request' },
    ...(hasTools ? [{ kind: 'tool_invocation_parity', count_tolerance: 0 }] : []),
    { kind: 'event_count_bounds', type: 'llm.error', max: 0 },
  ];
  writeText(join(dir, 'assertions.yaml'), stringify({ assertions }));
  // Last: a folder without it is no case, should this be cut short.
  writeText(
    join(dir, 'case.yaml'),
    stringify({
      name,
      tags,
      ...(model === '' ? {} : { model_baseline: model }),
      recorded_at: new Date().toISOString(),
    }),
  );
  return assertions.length;
}
