// The durable block (NS-19): plan, manifest, todos and decisions as the model reads them. Pure; stands alone.
import { headCount } from '../sorted.js';

export interface Durable {
  plan?: { title: string; text: string };
  todos: readonly unknown[];
  manifest: string;
  decisions: readonly string[];
}

export type TodoStatus = 'pending' | 'in_progress' | 'completed';

export interface Todo {
  text: string;
  status: TodoStatus;
}

const BOX: Readonly<Record<TodoStatus, string>> = { pending: '[ ]', in_progress: '[~]', completed: '[x]' };

/** Names under which hosts write the text of a todo, in the order in which they are tried (NS-20). */
const TEXT_KEYS = ['text', 'content', 'task', 'title', 'description', 'name', 'item'] as const;

const STATUS: Readonly<Record<string, TodoStatus>> = {
  pending: 'pending',
  todo: 'pending',
  open: 'pending',
  in_progress: 'in_progress',
  'in-progress': 'in_progress',
  wip: 'in_progress',
  doing: 'in_progress',
  completed: 'completed',
  complete: 'completed',
  done: 'completed',
  finished: 'completed',
};

/** Any shape of NS-20; undefined where there is no text. An unknown status is pending. */
export function readTodo(item: unknown): Todo | undefined {
  if (typeof item === 'string')
    return item.trim() === '' ? undefined : { text: item.trim(), status: 'pending' };
  if (typeof item !== 'object' || item === null) return undefined;
  const record = item as Record<string, unknown>;
  const key = TEXT_KEYS.find((k) => typeof record[k] === 'string' && (record[k] as string).trim() !== '');
  if (key === undefined) return undefined;
  const named =
    typeof record['status'] === 'string' ? STATUS[record['status'].trim().toLowerCase()] : undefined;
  const done = record['done'] === true || record['completed'] === true;
  return { text: (record[key] as string).trim(), status: named ?? (done ? 'completed' : 'pending') };
}

/** A block's own closing tag inside content would end the block early: it is written so that it cannot. */
function safe(text: string): string {
  return text.replace(/<(\/?)durable_state/gi, '&lt;$1durable_state');
}

/** What stands of a block when not all of it may: how many of the oldest decisions, and how much of which text, is left out. */
interface Cut {
  decisions: number;
  /** Decisions that are not in the list at all, older than those that are; they are among those left out. */
  earlier?: number;
  /** Characters of manifest and plan that stay; undefined = all. */
  manifest?: number;
  plan?: number;
}

/** '' when there is nothing to say. Parts in fixed order, each followed by an empty line. */
export function durableBlock(d: Durable, cut: Cut = { decisions: 0 }): string {
  const parts: string[] = [];
  if (d.plan !== undefined && d.plan.text.trim() !== '') {
    parts.push(`## ${d.plan.title.trim() || 'Approved Plan'}\n${head(d.plan.text.trim(), cut.plan)}`);
  }
  if (d.manifest.trim() !== '') parts.push(`## Manifest\n${head(d.manifest.trim(), cut.manifest)}`);
  const todos = d.todos.map(readTodo).filter((t) => t !== undefined);
  if (todos.length > 0)
    parts.push(['## Todos', ...todos.map((t) => `${BOX[t.status]} ${t.text}`)].join('\n'));
  const earlier = cut.earlier ?? 0;
  const decisions = d.decisions.filter((t) => t.trim() !== '');
  if (decisions.length + earlier > 0) {
    const hidden = Math.min(cut.decisions, decisions.length + earlier);
    const lines = decisions.slice(hidden - earlier).map((t) => `- ${t.trim()}`);
    if (hidden > 0)
      lines.unshift(`- … (${hidden} earlier decision${hidden === 1 ? '' : 's'}: durable.get has them)`);
    parts.push(['## Decisions', ...lines].join('\n'));
  }
  if (parts.length === 0) return '';
  return `<durable_state>\n\n${parts.map(safe).join('\n\n')}\n\n</durable_state>`;
}

/** The first characters of a text, cut at a code point, with a notice of what is left out. */
function head(text: string, chars: number | undefined): string {
  if (chars === undefined || text.length <= chars) return text;
  let end = chars;
  if (end > 0 && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1;
  return `${text.slice(0, end)}… (${text.length - end} more characters: durable.get has them)`;
}

/**
 * The block within a budget (NS-22): the oldest decisions become a count line, then manifest and plan are cut, always
 * with a notice. Todos are never cut: they are what the agent works off.
 * @param count tokens of a text
 */
export function durableBlockWithin(all: Durable, maxTokens: number, count: (text: string) => number): string {
  const { d, earlier } = newestOf(all, maxTokens);
  if (earlier === 0) {
    const whole = durableBlock(d);
    if (whole === '' || count(whole) <= maxTokens) return whole;
  }
  const decisions = earlier + d.decisions.filter((t) => t.trim() !== '').length;
  const fits = (cut: Cut): boolean => count(durableBlock(d, { ...cut, earlier })) <= maxTokens;
  const newest = Math.max(0, decisions - 1);
  if (fits({ decisions: newest })) {
    const hidden = earlier + least(newest - earlier, (n) => fits({ decisions: earlier + n }));
    return durableBlock(d, { decisions: hidden, earlier });
  }
  for (const part of ['manifest', 'plan'] as const) {
    const size = part === 'manifest' ? d.manifest.length : (d.plan?.text.length ?? 0);
    const rest: Cut = { decisions: newest, earlier, ...(part === 'plan' ? { manifest: 0 } : {}) };
    if (!fits({ ...rest, [part]: 0 })) continue;
    const away = least(size, (n) => fits({ ...rest, [part]: size - n }));
    return durableBlock(d, { ...rest, [part]: size - away });
  }
  return durableBlock(d, { decisions, earlier, manifest: 0, plan: 0 });
}

/** Decisions with text among the first so many of a list that only grows. */
const COUNTED = new WeakMap<readonly string[], { read: number; found: number }>();

/** The newest decisions that can have room at all, a token each at the least; the older ones are only counted, and once. */
function newestOf(all: Durable, maxTokens: number): { d: Durable; earlier: number } {
  const { decisions } = all;
  const from = Math.max(0, decisions.length - Math.max(1, maxTokens));
  if (from === 0) return { d: all, earlier: 0 };
  const known = COUNTED.get(decisions);
  const counted = known !== undefined && known.read <= from ? known : { read: 0, found: 0 };
  for (; counted.read < from; counted.read += 1)
    if (decisions[counted.read]!.trim() !== '') counted.found += 1;
  COUNTED.set(decisions, counted);
  return { d: { ...all, decisions: decisions.slice(from) }, earlier: counted.found };
}

/** The least n of 0..max for which `holds` is true; it is true from some n on. */
function least(max: number, holds: (n: number) => boolean): number {
  return headCount(max, (n) => !holds(n));
}
