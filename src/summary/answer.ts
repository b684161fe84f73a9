// Reads a model's answer: what of it is the summary, and why it may be no summary at all (NS-12, NS-13, L4-8, F36). The
// text is data throughout. Pure.

/** Why an answer is not taken. */
export type Rejection =
  | 'error'
  | 'empty'
  | 'refusal'
  | 'truncated'
  | 'longer'
  | 'tool_call'
  | 'late'
  | 'other_range'
  | 'nothing_to_summarise';

export interface ModelAnswer {
  text: string;
  stopReason?: string | null | undefined;
  /** The answer held tool calls. */
  toolCalls?: boolean | undefined;
}

export interface Parsed {
  text: string;
  /** Of the trailer; null when there is none. */
  kinds: string[] | null;
}

const TRAILER = /^[ \t]*##[ \t]*Preserved Kinds:[ \t]*(.*)$/gim;
const BLOCK = /<summary\b([^>]*)>([\s\S]*?)(?:<\/summary>|(?=<summary\b)|$)/gi;
const REFUSAL =
  /^\s*(?:i(?:'|’)?m sorry|i am sorry|sorry,|i can(?:no|'|’)t|i cannot|i(?:'|’)?m unable|i am unable|i won(?:'|’)t|as an ai\b)/i;
/** A refusal is short; a summary that begins with "I can't" is not. */
const REFUSAL_CHARS = 600;

/** L4-8: the last trailer, up to the end of its line. */
export function preservedKinds(text: string): string[] | null {
  const last = [...text.matchAll(TRAILER)].at(-1);
  if (last === undefined) return null;
  return last[1]!
    .split(',')
    .map((k) => k.trim())
    .filter((k) => k !== '');
}

/** NS-12, NS-13: what stands in the summary blocks, in order; without any, the text itself without its analysis. */
export function parseAnswer(text: string): Parsed {
  const kinds = preservedKinds(text);
  const body = text.replace(TRAILER, '');
  const blocks = [...withoutAnalysis(body).matchAll(BLOCK)].map((m) => m[2]!.trim()).filter((t) => t !== '');
  const inner =
    blocks.length > 0 ? blocks.join('\n\n') : withoutAnalysis(body).replace(/<\/?summary\b[^>]*>/gi, '');
  return {
    text: inner
      .replace(/[ \t]+$/gm, '')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    kinds,
  };
}

/** Without the analysis; one that never ends goes up to the first summary, or takes everything with it. */
function withoutAnalysis(text: string): string {
  const closed = text.replace(/<analysis\b[^>]*>[\s\S]*?<\/analysis>/gi, () => '');
  const open = closed.search(/<analysis\b/i);
  if (open < 0) return closed;
  const rest = closed.slice(open);
  const summary = rest.search(/<summary\b/i);
  return closed.slice(0, open) + (summary < 0 ? '' : rest.slice(summary));
}

/** Turn ranges that the answer says it stands for. */
function rangesOf(text: string): [number, number][] {
  return [...text.matchAll(/compressed-from-turns\s*=\s*["']?(\d+)\s*-\s*(\d+)/gi)].map((m) => [
    Number(m[1]),
    Number(m[2]),
  ]);
}

/**
 * The summary in an answer, or why there is none. Size is the caller's to judge (L4-13).
 * @param turns the range that was asked for
 */
export function readAnswer(answer: ModelAnswer, turns: readonly [number, number]): Parsed | Rejection {
  const stop = answer.stopReason ?? '';
  if (answer.toolCalls || /^tool_(use|calls?)$|^function_call$/.test(stop)) return 'tool_call';
  if (/refus|content_filter/.test(stop)) return 'refusal';
  if (/^(max_tokens|length|max_output_tokens|incomplete|model_context_window_exceeded)$/.test(stop))
    return 'truncated';
  const parsed = parseAnswer(answer.text);
  if (parsed.text === '') return 'empty';
  if (parsed.text.length <= REFUSAL_CHARS && REFUSAL.test(parsed.text) && !/<summary\b/i.test(answer.text))
    return 'refusal';
  // Models count turns from one, or one too far; which turns a summary stands for is ours to know (L4-14). A range that has no turn
  // of those that were asked for is another text's.
  const isOthers = rangesOf(answer.text).some(([lo, hi]) => hi < turns[0] || lo > turns[1] || lo > hi);
  return isOthers ? 'other_range' : parsed;
}
