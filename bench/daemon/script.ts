// Recorded conversations as scripts of calls: what an agent would send for each round, in order.
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Conversation, readConversations } from '../../src/eval/conversation.js';
import { partsOf } from '../../src/eval/parts.js';
import { type Round, roundsOf } from '../../src/eval/rounds.js';

/** One session's calls: how it opens, then round after round. */
export interface Script {
  id: string;
  /** Params of `session.open` without the session's id. */
  open: string;
  rounds: readonly ScriptRound[];
}

/** Params without the session's id; undefined: no such call in this round. */
export interface ScriptRound {
  results: string | undefined;
  end: string | undefined;
  prepare: string;
  answer: string;
}

const ROOT = resolve(fileURLToPath(import.meta.url), '../../../..');

/** The recorded transcripts where they are, else the bundled conversation. */
export function recordedFiles(): string[] {
  const folder = join(process.env['CURATED_SHARED'] ?? resolve(ROOT, '../shared'), 'data/transcripts');
  if (!existsSync(folder)) return [join(ROOT, 'demo/coding-session.jsonl')];
  return readdirSync(folder)
    .filter((f) => f.endsWith('.jsonl'))
    .sort()
    .map((f) => join(folder, f));
}

/** A script for each context of each conversation. */
export async function scriptsOf(files: readonly string[], preset: string): Promise<Script[]> {
  const scripts: Script[] = [];
  for (const file of files) {
    for await (const line of readConversations(file)) {
      if (!line.ok) continue;
      const { conversation: c } = line;
      for (const [i, part] of partsOf(c).entries()) {
        const all = roundsOf(part, c.format);
        // A part that was cut may begin with answers to nothing: no request was made of those.
        const first = all.findIndex((r) => r.results.length + r.news.length > 0);
        const rounds = first < 0 ? [] : all.slice(first);
        if (rounds.length > 0) scripts.push(script(c, i, rounds, preset));
      }
    }
  }
  return scripts;
}

function script(c: Conversation, part: number, rounds: readonly Round[], preset: string): Script {
  const open = [
    `"format":"${c.format}"`,
    `"model":${JSON.stringify(c.model ?? (c.format === 'anthropic' ? 'claude-sonnet-4-5' : 'gpt-5'))}`,
    `"preset":"${preset}"`,
    // A recorded session may be longer than its model's window of today.
    '"context_window":2000000',
    ...(c.system === undefined ? [] : [`"system":${c.system.text}`]),
    ...(c.tools === undefined ? [] : [`"tools":${c.tools.text}`]),
  ].join(',');
  return {
    id: `${c.id}-${part}`,
    open,
    rounds: rounds.map((r, i) => ({
      results: r.results.length === 0 ? undefined : `"messages":[${r.results.map((m) => m.text).join(',')}]`,
      end: i === 0 ? undefined : `"final":${r.userTurn}`,
      prepare: `"return":"patch"${r.news.length === 0 ? '' : `,"append":[${r.news.map((m) => m.text).join(',')}]`}`,
      answer: `"messages":[${r.answer.text}]`,
    })),
  };
}
