// What a call does to the world, told from its name and arguments: reads a place, writes it, edits it, runs a command.
// No list of known tools: words in names and the shape of the arguments decide, and what is unclear is 'other'. Pure.

export interface CallMeaning {
  kind: 'read' | 'write' | 'edit' | 'command' | 'other';
  /** The place it is about: a path or an address. */
  path?: string;
  /** A read of all of it. */
  full?: boolean;
  /** A read of some lines: first and last, both inclusive; the end may be open. */
  range?: [number, number];
}

const PATHS = [
  'path',
  'file_path',
  'filepath',
  'filePath',
  'file',
  'filename',
  'absolute_path',
  'notebook_path',
  'target_file',
  'uri',
  'url',
];
const CONTENTS = ['content', 'contents', 'file_text', 'text', 'data', 'body', 'new_content'];
const COMMANDS = ['command', 'cmd', 'script', 'code'];
const FROM = ['offset', 'start', 'start_line', 'startLine', 'from', 'from_line', 'line_start'];
const TO = ['end', 'end_line', 'endLine', 'to', 'to_line', 'line_end'];
const COUNT = ['limit', 'lines', 'max_lines', 'num_lines', 'count'];
const PARTS = [
  'range',
  'view_range',
  'line_range',
  'head',
  'tail',
  'page',
  'pages',
  'pattern',
  'grep',
  'line',
];

const READ = new Set(['read', 'cat', 'view', 'open', 'show', 'load', 'fetch', 'get']);
const WRITE = new Set(['write', 'create', 'save', 'put', 'overwrite', 'store']);
const EDIT = new Set(['edit', 'patch', 'replace', 'insert', 'update', 'modify', 'append', 'apply', 'multi']);
const RUN = new Set([
  'run',
  'exec',
  'execute',
  'bash',
  'shell',
  'sh',
  'terminal',
  'command',
  'cmd',
  'powershell',
]);

/** Of names that came lately: a session calls few tools, again and again. */
const known = new Map<string, readonly string[]>();
const KNOWN_MOST = 1024;

/** Words of a name: `read_file`, `readFile` and `fs.read-file` all hold `read`. */
function words(name: string): readonly string[] {
  const there = known.get(name);
  if (there !== undefined) return there;
  const found = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((w) => w !== '');
  // What is long is no name (`command: view ...`): it does not come again.
  if (name.length <= 64) {
    if (known.size >= KNOWN_MOST) known.clear();
    known.set(name, found);
  }
  return found;
}

function first(args: Record<string, unknown>, keys: readonly string[]): unknown {
  for (const key of keys) {
    const value = args[key];
    if (value !== undefined && value !== null && value !== '') return value;
  }
  return undefined;
}

export function meaningOf(tool: string, args: unknown): CallMeaning {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return { kind: 'other' };
  const record = args as Record<string, unknown>;
  const path = first(record, PATHS);
  const command = first(record, COMMANDS);
  if (typeof path !== 'string') {
    const runs = words(tool).some((w) => RUN.has(w)) || Object.keys(record).length === 1;
    return typeof command === 'string' && runs ? { kind: 'command' } : { kind: 'other' };
  }
  // Tools with verbs of their own (`command: view`) say there what they do.
  const verbs = [...(typeof command === 'string' ? words(command).slice(0, 1) : []), ...words(tool)];
  for (const verb of verbs) {
    if (EDIT.has(verb)) return { kind: 'edit', path };
    if (WRITE.has(verb)) return writing(record, path);
    if (READ.has(verb)) return reading(record, path);
  }
  return { kind: 'other', path };
}

/** Only a write of the whole place outdates what was read of it. */
function writing(args: Record<string, unknown>, path: string): CallMeaning {
  return { kind: typeof first(args, CONTENTS) === 'string' ? 'write' : 'edit', path };
}

function reading(args: Record<string, unknown>, path: string): CallMeaning {
  const from = first(args, FROM);
  const to = first(args, TO);
  const count = first(args, COUNT);
  const begins = typeof from === 'number' && from > 1 ? from : 1;
  if (first(args, PARTS) !== undefined) return { kind: 'read', path, full: false, ...viewed(args) };
  if (to === undefined && count === undefined && begins === 1) return { kind: 'read', path, full: true };
  const end =
    typeof to === 'number' ? to : typeof count === 'number' ? begins + count - 1 : Number.POSITIVE_INFINITY;
  return { kind: 'read', path, full: false, range: [begins, end] };
}

function viewed(args: Record<string, unknown>): { range?: [number, number] } {
  const range = args['view_range'] ?? args['range'] ?? args['line_range'];
  if (!Array.isArray(range) || typeof range[0] !== 'number' || typeof range[1] !== 'number') return {};
  return { range: [range[0], range[1] < 0 ? Number.POSITIVE_INFINITY : range[1]] };
}

/** Do two reads of one place have lines in common, as far as they say? */
export function overlaps(a: CallMeaning, b: CallMeaning): boolean {
  if (a.full === true || b.full === true) return true;
  if (a.range === undefined || b.range === undefined) return false;
  return a.range[0] <= b.range[1] && b.range[0] <= a.range[1];
}

/** Formats without an error flag say it in the text. */
export function looksFailed(text: string): boolean {
  return /^\s*(<[^>]{0,40}>\s*)?(error|traceback|exception|fatal|failed|enoent|eacces|permission denied)\b/i.test(
    text.slice(0, 200),
  );
}
