// Dialogues with marked shifts, as ../shared/data/topics has them (its README, section 4). Reads files; ships none.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Exchange {
  /** What the user said, consecutive messages joined. */
  input: string;
  /** What the assistant answered; '' when nothing. */
  reply: string;
  /** Does this input start another topic? */
  shift: boolean;
  /** Index of the exchange at which the resumed piece began, when it is a return. */
  returnsTo?: number;
}

export interface Dialogue {
  id: string;
  exchanges: Exchange[];
}

export const SETS = [
  'tiage',
  'superdialseg',
  'dialseg711',
  'mtb101concat',
  'codingagent',
  'mtb101return',
] as const;
export type SetName = (typeof SETS)[number];
/** The sets whose topics are of the size that curation deals with. */
export const COARSE = ['dialseg711', 'mtb101concat', 'codingagent'] as const;

interface Turn {
  role: string;
  text: string;
  topic_shift: boolean;
  returns_to?: number;
}

/** A label of any turn since the last user turn belongs to the next user turn. */
export function exchangesOf(turns: readonly Turn[]): Exchange[] {
  const out: Exchange[] = [];
  let shift = false;
  /** Exchange with which each piece began. */
  const pieces: number[] = [];
  let returnsTo: number | undefined;
  for (const turn of turns) {
    shift ||= turn.topic_shift;
    if (turn.returns_to !== undefined) returnsTo = turn.returns_to;
    if (turn.role !== 'user') {
      const last = out.at(-1);
      if (last !== undefined) last.reply += (last.reply === '' ? '' : '\n') + turn.text;
      continue;
    }
    if (out.length === 0 || shift) pieces.push(out.length);
    const piece = returnsTo === undefined ? undefined : pieces[returnsTo];
    out.push({
      input: turn.text,
      reply: '',
      shift: out.length > 0 && shift,
      ...(piece === undefined ? {} : { returnsTo: piece }),
    });
    shift = false;
    returnsTo = undefined;
  }
  return out;
}

/** @returns undefined when the set is not there */
export function loadSet(folder: string, name: SetName): Dialogue[] | undefined {
  return existsSync(join(folder, `${name}.jsonl`)) ? readDialogues(folder, `${name}.jsonl`) : undefined;
}

/** @throws Error naming the line of a dialogue that is none */
export function readDialogues(folder: string, file: string): Dialogue[] {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  return lines.flatMap((line, i) => {
    if (line.trim() === '') return [];
    try {
      const { id, turns } = JSON.parse(line) as { id: string; turns: Turn[] };
      return [{ id, exchanges: exchangesOf(turns) }];
    } catch (e) {
      throw new Error(`${file}:${i + 1}: no dialogue: ${(e as Error).message}`);
    }
  });
}
