// Where the tokens of logged sessions went: by kind of content, by tool, and which results were read again. Pure.
import { meaningOf } from '../../curation/tool-semantics.js';
import type { Part } from '../../providers/types.js';
import type { MeasuredSession } from './measured.js';
import { newToolShare, type ToolShare, type WhatIfReport } from './report.js';

/** Adds the session's shares to a report of its own. */
export function addSpread(r: WhatIfReport, m: MeasuredSession): void {
  const { logged } = m;
  const tools = new Map<string, ToolShare>();
  const add = (kind: string, tokens: number): void => {
    if (tokens > 0) r.kinds[kind] = (r.kinds[kind] ?? 0) + tokens;
  };
  add('system', m.systemTokens * logged.requests.length);
  add('tools', m.toolTokens * logged.requests.length);
  const times = timesCarried(m);
  const calls = new Map<string, Part>();
  const read = new Set<string>();
  for (const [i, reading] of m.readings.entries()) {
    for (const [p, part] of reading.parts.entries()) {
      const tokens = m.parts[i]![p] ?? 0;
      add(part.kind === 'text' ? `text_${reading.role}` : part.kind, tokens * times[i]!);
      if (part.kind === 'tool_call' && part.callId !== undefined) calls.set(part.callId, part);
      if (part.kind === 'tool_result')
        addResult(tools, calls.get(part.callId ?? ''), tokens, times[i]!, read);
    }
  }
  r.tools = [...tools.values()];
}

function addResult(
  tools: Map<string, ToolShare>,
  call: Part | undefined,
  tokens: number,
  times: number,
  read: Set<string>,
): void {
  const tool = call?.tool ?? '';
  let share = tools.get(tool);
  if (share === undefined) {
    share = newToolShare(tool);
    tools.set(tool, share);
  }
  share.results++;
  share.tokens += tokens;
  share.carried += tokens * times;
  const what = call === undefined ? undefined : subject(call);
  if (what === undefined) return;
  if (read.has(what)) {
    share.reread.results++;
    share.reread.tokens += tokens;
  }
  read.add(what);
}

/** Requests that carried each message. */
function timesCarried(m: MeasuredSession): Uint32Array {
  const times = new Uint32Array(m.readings.length);
  const { requests } = m.logged;
  let r = 0;
  for (let i = 0; i < times.length; i++) {
    while (r < requests.length && requests[r]!.carried <= i) r++;
    times[i] = requests.length - r;
  }
  return times;
}

/** What a call asks for: the place that it reads, else the very same arguments. */
function subject(call: Part): string | undefined {
  const tool = call.tool ?? '';
  const meaning = meaningOf(tool, call.args);
  if (meaning.kind === 'write' || meaning.kind === 'edit') return undefined;
  if (meaning.kind === 'read' && meaning.path !== undefined) return `read ${meaning.path}`;
  return `${tool} ${call.argsText ?? ''}`;
}
