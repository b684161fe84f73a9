// The durable block (NS-19): plan, manifest, todos and decisions as the model reads them. Pure; stands alone.

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

/** '' when there is nothing to say. Parts in fixed order, each followed by an empty line. */
export function durableBlock(d: Durable): string {
  const parts: string[] = [];
  if (d.plan !== undefined && d.plan.text.trim() !== '') {
    parts.push(`## ${d.plan.title.trim() || 'Approved Plan'}\n${d.plan.text.trim()}`);
  }
  if (d.manifest.trim() !== '') parts.push(`## Manifest\n${d.manifest.trim()}`);
  const todos = d.todos.map(readTodo).filter((t) => t !== undefined);
  if (todos.length > 0)
    parts.push(['## Todos', ...todos.map((t) => `${BOX[t.status]} ${t.text}`)].join('\n'));
  const decisions = d.decisions.filter((t) => t.trim() !== '');
  if (decisions.length > 0) parts.push(['## Decisions', ...decisions.map((t) => `- ${t.trim()}`)].join('\n'));
  if (parts.length === 0) return '';
  return `<durable_state>\n\n${parts.map(safe).join('\n\n')}\n\n</durable_state>`;
}
