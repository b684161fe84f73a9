// curated diff: a turn's request before and after curation, message by message.
import type { Command } from 'commander';
import { changesOf, sliceValue, sliceValues, valueAt } from '../json/index.js';
import type { WireResult } from '../protocol/index.js';
import { decisionLine, priceLine } from './bisect.js';
import { say, withClient } from './connection.js';
import { paint } from './paint.js';
import { seqNumber, turnNumber } from './seq-number.js';
import { counted, whole } from './table.js';

type Diff = WireResult<'journal.diff'>;

interface DiffOptions {
  turn?: number;
  seq?: number;
  full?: boolean;
  json?: boolean;
}

export function register(program: Command): void {
  program
    .command('diff')
    .description("show a turn's request before and after curation, and who changed what")
    .argument('<session>', 'id of the session')
    .option('--turn <n>', 'its last request; default is the newest', turnNumber)
    .option('--seq <seq>', 'the request at this seq', seqNumber)
    .option('--full', 'whole texts, not their first lines')
    .option('--json', 'as JSON')
    .action(async (session: string, o: DiffOptions) => {
      const { turn, seq } = o;
      const wanted = { ...(turn === undefined ? {} : { turn }), ...(seq === undefined ? {} : { seq }) };
      const { text, value } = await withClient((c) => c.callRaw('journal.diff', { session, ...wanted }));
      if (o.json === true) say(text);
      else print(value as Diff, sliceValues(text, ['changes']) ?? [], o.full === true);
    });
}

/** @param texts the changes as exact JSON: numbers are shown as they are spelled */
function print(d: Diff, texts: readonly string[], isFull: boolean): void {
  const saved = d.tokens.before - d.tokens.after;
  say(
    paint.bold(`request #${d.seq}, turn ${d.turn}`) +
      `: ${counted(d.messages.before, 'message')} of ${whole(d.tokens.before)} tokens stored, ` +
      `${whole(d.messages.after)} of ${whole(d.tokens.after)} sent${saved === 0 ? '' : ` (${saved > 0 ? '-' : '+'}${whole(Math.abs(saved))})`}`,
  );
  if (d.hidden_tools.length > 0) say(`${paint.red('-')} tools: ${d.hidden_tools.join(', ')}`);
  const passes = new Set<number>();
  for (const [i, change] of d.changes.entries()) {
    const [before, after] = ['before', 'after'].map((side) => sliceValue(texts[i]!, [side]));
    say();
    const what =
      before === undefined ? 'put in before message' : after === undefined ? 'left out: message' : 'message';
    say(
      `${paint.bold(`${what} ${change.message}`)}, ${whole(change.tokens_before)} → ${whole(change.tokens_after)} tokens`,
    );
    for (const d of change.decisions) {
      say(`  ${paint.dim(`#${d.seq}`)} ${decisionLine(d)}`);
      if (d.envelope === undefined || passes.has(d.envelope.seq)) continue;
      passes.add(d.envelope.seq);
      say(paint.dim(`  ${priceLine(d.envelope)}`));
    }
    for (const [sign, shown] of sides(before, after)) {
      const colour = sign === '-' ? paint.red : paint.green;
      for (const line of shorten(shown, isFull)) say(colour(`${sign} ${line}`));
    }
  }
  say();
  say(paint.dim(`${whole(d.messages.unchanged)} messages unchanged`));
}

/** What went and what came: of a message that stays, only the values that differ. */
function sides(before: string | undefined, after: string | undefined): ['-' | '+', string][] {
  if (before === undefined || after === undefined) {
    return before === undefined ? [['+', readable(after!)]] : [['-', readable(before)]];
  }
  const changes = changesOf(before, after);
  if (changes === undefined)
    return [
      ['-', readable(before)],
      ['+', readable(after)],
    ];
  return changes.flatMap((c): ['-' | '+', string][] => {
    const old = sliceValue(before, c.path);
    return [
      ...(old === undefined ? [] : [['-', readable(old)] as ['-', string]]),
      ...(c.op === 'remove' ? [] : [['+', readable(c.json)] as ['+', string]]),
    ];
  });
}

/** A string as text; of a list of blocks their texts; anything else as JSON. */
function readable(json: string): string {
  const value: unknown = JSON.parse(json);
  if (typeof value === 'string') return value;
  const content = valueAt(value, ['content']) ?? value;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return json;
  return content.map((b: unknown) => textOf(b) ?? JSON.stringify(b)).join('\n');
}

function textOf(block: unknown): string | undefined {
  const { text, content } = (block ?? {}) as { text?: unknown; content?: unknown };
  if (typeof text === 'string') return text;
  return typeof content === 'string' ? content : undefined;
}

const LINES = 4;
const COLUMNS = 160;

function shorten(text: string, isFull: boolean): string[] {
  // What a tool printed must not move the cursor of whoever looks at it.
  const lines = text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd').split('\n');
  if (isFull) return lines;
  const shown = lines.slice(0, LINES).map((l) => (l.length > COLUMNS ? `${l.slice(0, COLUMNS)}…` : l));
  return lines.length > LINES ? [...shown, `… ${whole(lines.length - LINES)} more lines`] : shown;
}
