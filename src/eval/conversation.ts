// Recorded conversations, one JSON value a line: `{id, format, model?, system?, tools?, messages, meta?}`. Bad lines are
// counted and told, never fatal. Message texts are kept exactly as recorded.
import { sliceValue, sliceValues } from '../json/index.js';
import { Native } from '../json/native.js';
import { readPieces } from '../named-file.js';
import type { Format } from '../providers/types.js';

/** What the provider reported for the answer at `msg`, in its own tokens. */
export interface RecordedUsage {
  msg: number;
  /** Uncached input, cache read, cache write, output. */
  in: number;
  cr: number;
  cw: number;
  out: number;
  model?: string;
}

export interface Conversation {
  id: string;
  format: Format;
  model: string | undefined;
  system: Native | undefined;
  tools: Native | undefined;
  messages: Native[];
  /** Message indexes at which the agent's context was replaced (`meta.compactions[].msg`), ascending. */
  cuts: number[];
  /** By message index. */
  usage: ReadonlyMap<number, RecordedUsage>;
}

export type Line = { file: string; line: number } & (
  | { ok: true; conversation: Conversation }
  | { ok: false; reason: string }
);

/** The data's names beside the wire's: `openai` is Chat Completions. */
const FORMAT_NAMES: Readonly<Record<string, Format>> = {
  anthropic: 'anthropic',
  openai: 'openai-chat',
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai-responses',
};

/** Every line of a file that is not blank. Rejects only when the file cannot be read. */
export async function* readConversations(file: string): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of lines(file)) {
    number++;
    if (text.trim() === '') continue;
    yield { file, line: number, ...parseConversation(text, `${file}:${number}`) };
  }
}

export function parseConversation(
  text: string,
  fallbackId: string,
): { ok: true; conversation: Conversation } | { ok: false; reason: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (e) {
    return { ok: false, reason: `no JSON: ${(e as Error).message}` };
  }
  if (!isRecord(value)) return { ok: false, reason: 'not an object' };
  const format = FORMAT_NAMES[String(value['format'])];
  if (format === undefined) return { ok: false, reason: `unknown format ${JSON.stringify(value['format'])}` };
  const given = value['messages'];
  if (!Array.isArray(given)) return { ok: false, reason: 'no list of messages' };
  if (!given.every(isRecord)) return { ok: false, reason: 'a message is not an object' };
  const texts = sliceValues(text, ['messages']) ?? [];
  const meta = isRecord(value['meta']) ? value['meta'] : {};
  const usage = usageOf(meta);
  const model = firstString(
    value['model'],
    meta['model'],
    first(meta['models']),
    [...usage.values()][0]?.model,
  );
  return {
    ok: true,
    conversation: {
      id: firstString(value['id']) ?? fallbackId,
      format,
      model,
      system: present(text, value, 'system'),
      tools: present(text, value, 'tools'),
      messages: texts.map((t, i) => new Native(t, given[i])),
      cuts: cutsOf(meta, texts.length),
      usage,
    },
  };
}

function present(text: string, value: Record<string, unknown>, key: string): Native | undefined {
  const own = value[key];
  if (own === undefined || own === null || (Array.isArray(own) && own.length === 0)) return undefined;
  const slice = sliceValue(text, [key]);
  return slice === undefined ? undefined : new Native(slice, own);
}

function usageOf(meta: Record<string, unknown>): Map<number, RecordedUsage> {
  const out = new Map<number, RecordedUsage>();
  const rows: unknown[] = Array.isArray(meta['usage']) ? meta['usage'] : [];
  for (const row of rows) {
    if (!isRecord(row) || typeof row['msg'] !== 'number') continue;
    const num = (key: string): number => (typeof row[key] === 'number' ? row[key] : 0);
    out.set(row['msg'], {
      msg: row['msg'],
      in: num('in'),
      cr: num('cr'),
      cw: num('cw'),
      out: num('out'),
      ...(typeof row['model'] === 'string' ? { model: row['model'] } : {}),
    });
  }
  return out;
}

function cutsOf(meta: Record<string, unknown>, length: number): number[] {
  const rows: unknown[] = Array.isArray(meta['compactions']) ? meta['compactions'] : [];
  const at = rows.map((r) => (isRecord(r) ? r['msg'] : undefined)).filter((m) => typeof m === 'number');
  return [...new Set(at)].filter((m) => Number.isInteger(m) && m > 0 && m < length).sort((a, b) => a - b);
}

function isRecord(v: unknown): v is Record<string, unknown> {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}

function first(v: unknown): unknown {
  return Array.isArray(v) ? v[0] : undefined;
}

function firstString(...candidates: unknown[]): string | undefined {
  return candidates.find((c) => typeof c === 'string' && c !== '') as string | undefined;
}

/** Lines end at LF only: readline would also end them at U+2028, which JSON strings may hold. */
async function* lines(file: string): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  for await (const chunk of readPieces(file)) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      pieces.push(chunk.subarray(from, at));
      yield Buffer.concat(pieces).toString('utf8');
      pieces = [];
      from = at + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  }
  if (pieces.length > 0) yield Buffer.concat(pieces).toString('utf8');
}
