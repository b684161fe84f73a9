// Makes demo/coding-session.jsonl: a coding session of real shape, its files, searches and edits taken from this repository,
// its test runs from the titles of this repository's tests. Deterministic for a given tree: `node demo/generate.mjs`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const messages = [];
/** Files as the session has edited them. */
const edited = new Map();
let calls = 0;

const textOf = (path) => edited.get(path) ?? readFileSync(join(root, path), 'utf8');
const numbered = (lines, first) =>
  lines.map((line, i) => `${String(first + i).padStart(6)}→${line}`).join('\n');

function files(dir, pattern) {
  return readdirSync(join(root, dir), { recursive: true, encoding: 'utf8' })
    .map((name) => `${dir}/${name}`)
    .filter((path) => pattern.test(path))
    .sort();
}

/** Tools: what each gives back, as an agent's host would. */
const tools = {
  Read({ file_path, offset = 1, limit = 2000 }) {
    let lines;
    try {
      lines = textOf(file_path).split('\n');
    } catch {
      return { error: `File does not exist: ${file_path}` };
    }
    return { text: numbered(lines.slice(offset - 1, offset - 1 + limit), offset) };
  },
  Glob({ path, pattern }) {
    return {
      text: files(path, /\.ts$/)
        .filter((p) => p.includes(pattern.replaceAll('*', '')))
        .join('\n'),
    };
  },
  Grep({ pattern, path, context = 0 }) {
    const wanted = new RegExp(pattern);
    const out = [];
    for (const file of /\.ts$/.test(path) ? [path] : files(path, /\.ts$/)) {
      const lines = textOf(file).split('\n');
      const shown = new Set();
      for (const [i, line] of lines.entries())
        if (wanted.test(line))
          for (let k = Math.max(0, i - context); k <= Math.min(lines.length - 1, i + context); k++)
            shown.add(k);
      for (const k of [...shown].sort((a, b) => a - b)) out.push(`${file}:${k + 1}:${lines[k]}`);
    }
    return { text: out.length === 0 ? 'No matches found' : out.join('\n') };
  },
  Edit({ file_path, old_string, new_string }) {
    const text = textOf(file_path);
    if (!text.includes(old_string))
      return { error: `String to replace not found in file.\nString: ${old_string}` };
    edited.set(
      file_path,
      text.replace(old_string, () => new_string),
    );
    const lines = edited.get(file_path).split('\n');
    const at = text.slice(0, text.indexOf(old_string)).split('\n').length;
    const from = Math.max(1, at - 4);
    const shown = lines.slice(from - 1, at + new_string.split('\n').length + 3);
    return {
      text: `The file ${file_path} has been updated. Here's the result of running \`cat -n\` on a snippet of it:\n${numbered(shown, from)}`,
    };
  },
  Bash({ command }, given) {
    const run = /test\/run\.mjs (\S+)/.exec(command);
    if (run !== null) return testRun(run[1], given);
    return given ?? { text: '' };
  },
};

/** What node's reporter says of the tests of a folder; `failing` is a part of the titles that fail. */
function testRun(filter, { failing, because } = {}) {
  const out = [];
  let passed = 0;
  const failed = [];
  for (const file of files('test', /\.test\.ts$/).filter((f) => f.includes(filter))) {
    for (const [, , title] of textOf(file).matchAll(/^\s*test\((['"`])(.+?)\1,/gm)) {
      const ms = ((title.length * 37) % 211) / 10;
      if (failing !== undefined && title.includes(failing)) {
        failed.push(title);
        out.push(`✖ ${title} (${ms}ms)`);
      } else {
        passed++;
        out.push(`✔ ${title} (${ms}ms)`);
      }
    }
  }
  out.push(
    `ℹ tests ${passed + failed.length}`,
    `ℹ pass ${passed}`,
    `ℹ fail ${failed.length}`,
    'ℹ cancelled 0',
    'ℹ skipped 0',
  );
  if (failed.length === 0) return { text: out.join('\n') };
  out.push('', '✖ failing tests:', '', ...failed.flatMap((t) => [`✖ ${t}`, because, '']));
  return { text: out.join('\n'), isError: true };
}

function user(text) {
  messages.push({ role: 'user', content: [{ type: 'text', text }] });
}

/** One model round: what it says, its calls, and their results. A call is [tool, input, outcome?]. */
function round(text, ...wanted) {
  const content = text === '' ? [] : [{ type: 'text', text }];
  const results = [];
  for (const [name, input, given] of wanted) {
    const id = `toolu_${String(++calls).padStart(4, '0')}${name}`;
    content.push({ type: 'tool_use', id, name, input });
    const outcome = tools[name](input, given);
    const isError = outcome.error !== undefined || outcome.isError === true;
    results.push({
      type: 'tool_result',
      tool_use_id: id,
      content: outcome.error ?? outcome.text,
      ...(isError ? { is_error: true } : {}),
    });
  }
  messages.push({ role: 'assistant', content });
  if (results.length > 0) messages.push({ role: 'user', content: results });
}

const read = (file_path, offset, limit) => ['Read', { file_path, ...(offset ? { offset, limit } : {}) }];
const grep = (pattern, path, context) => ['Grep', { pattern, path, ...(context ? { context } : {}) }];
const edit = (file_path, old_string, new_string) => ['Edit', { file_path, old_string, new_string }];
const bash = (command, given) => ['Bash', { command }, given];

// Turn 1: how something works.
user(
  'A client of ours was closed with 4429 although it reads, only slowly. How does the gate decide that? Look at the backpressure code and tell me whether a slow but steady reader can be cut off.',
);
round(
  "I'll look at the gate's files first.",
  ['Glob', { path: 'src/gate', pattern: '*' }],
  grep('4429', 'src'),
);
round('The close code belongs to the connection.', read('src/gate/connection.ts'));
round('', read('src/config.ts'), grep('out_stall_ms|out_pause_bytes|out_close_bytes', 'src', 1));
round('Who calls the sweep, and how often?', read('src/gate/sweeper.ts'), read('src/gate/gate.ts'));
round('What do the ports say that a connection reports?', read('src/gate/ports.ts'));
round('There are tests for this; let me see what they promise.', grep('4429|slow', 'test', 2));
round('', read('test/faults/load.test.ts'));
round('Let me run them to see where we stand.', bash('node test/run.mjs test/faults/load'));
round(
  'One more place could close it: the half-message timer.',
  read('src/gate/half-message.ts'),
  read('src/gate/upgrade-queue.ts'),
);
round(
  'A steady reader is safe. `send` closes with 4429 only when more than `out_close_bytes` (8 MiB) are unsent, and the sweep closes only when the backlog has made no progress for `out_stall_ms` (60 s) while it is above `out_pause_bytes`. Progress restarts that clock. Your client was cut because a single burst passed the 8 MiB mark, not because it was slow.',
);

// Turn 2: a change with the usual detours.
user(
  'Good. I want to see that in our metrics before it happens: count how often the gate pauses reading because of the backlog, by transport. Add the counter, wire it through the port, and test it.',
);
round('The metrics first, then the port.', read('src/observe/metrics.ts'));
round('', grep('GateMetrics|gateCounters', 'src', 1), read('src/gate/ports.ts'));
round(
  'The port gets one more method.',
  edit(
    'src/gate/ports.ts',
    '  fault(kind: string): void;\n}',
    '  fault(kind: string): void;\n  /** Reading stops until the backlog of unsent bytes has drained. */\n  paused(transport: Transport): void;\n}',
  ),
);
round(
  'Now the counter.',
  edit(
    'src/observe/metrics.ts',
    "  const paused = counter('gate_pauses', []);",
    "  const paused = counter('gate_pauses_total', []);",
  ),
);
round('That line does not exist yet; I need the exact place.', read('src/observe/metrics.ts', 96, 70));
round(
  '',
  edit(
    'src/observe/metrics.ts',
    'function gateCounters(',
    '/** Counts of the gate, each with its labels. */\nfunction gateCounters(',
  ),
  grep('fault\\(', 'src/observe/metrics.ts', 4),
);
round(
  'Type-check what we have.',
  bash('npx tsc -p tsconfig.json', {
    error:
      "src/observe/metrics.ts(118,3): error TS2741: Property 'paused' is missing in type '{ opened(transport: Transport): void; closed(transport: Transport, code: number): void; refused(status: number): void; received(wire: Wire, bytes: number): void; sent(wire: Wire, bytes: number): void; fault(kind: string): void; }' but required in type 'GateMetrics'.",
  }),
);
round('As expected. Where does the connection pause?', grep('PAUSED_BY_BACKLOG', 'src/gate', 3));
round('', read('src/gate/connection.ts', 140, 50));
round(
  '',
  edit(
    'src/gate/connection.ts',
    '      this.#setPaused(this.#paused | PAUSED_BY_BACKLOG);\n',
    '      this.#setPaused(this.#paused | PAUSED_BY_BACKLOG);\n      this.#metrics.paused(this.transport);\n',
  ),
);
round('Does the connection know its metrics under that name?', grep('metrics', 'src/gate', 1));
round('', read('src/gate/connection.ts', 60, 90));
round('Now the test beside the other load tests.', read('test/faults/load.test.ts', 1, 120));
round(
  '',
  bash('node test/run.mjs test/faults/load', {
    failing: 'slow',
    because:
      '  TypeError: this.#metrics.paused is not a function\n      at GateConnection.send (dist/src/gate/connection.js:118:28)\n      at Peer.#send (dist/src/service/peer.js:141:34)',
  }),
);
round('The fake in the tests lacks the new method.', grep('fault:|fault\\(', 'test', 2));
round('', read('src/observe/metrics.ts', 60, 110));
round(
  '',
  bash('npx tsc -p tsconfig.json', { text: '' }),
  bash('npx biome check src test', { text: 'Checked 412 files in 381ms. No fixes applied.' }),
);
round('', bash('node test/run.mjs test/faults/load'), bash('node test/run.mjs test/gate'));
round(
  'Done: `curated_gate_pauses_total{transport}` counts each time reading stops for the backlog. The port has `paused`, the connection calls it where it sets `PAUSED_BY_BACKLOG`, and the slow-reader test expects one count.',
);

// Turn 3: another subject.
user(
  'Something else. What happens to a turn when the disk is full? Walk through the journal and tell me what the agent sees.',
);
round("I'll start at the store's contract.", read('src/journal/store.ts'), grep('STORAGE_FULL', 'src', 2));
round('', read('src/journal/queued-store.ts'));
round('And the engine below it.', read('src/journal/sqlite-engine.ts'));
round('', read('src/journal/runner.ts'), grep('isFull|SQLITE_FULL|ENOSPC', 'src/journal', 3));
round('How does the session take the failure?', grep('flush\\(', 'src', 3));
round('', read('src/session/commit.ts'), read('src/session/mailbox.ts'));
round(
  'The tests on full disks should say the same.',
  bash('node test/run.mjs test/faults/journal'),
  read('test/faults/journal-disk.test.ts'),
);
round('What does the client do with it?', read('src/client/retry.ts'), read('src/errors.ts'));
round('Let me check that the error is retryable on the wire.', grep('retryable', 'src', 1));
round(
  'On a full disk the group commit fails as a whole: nothing of it is acknowledged, and every waiting call gets `STORAGE_FULL`, which is retryable. The journal re-reads its head before the next write, so what was rolled back is not counted as stored. The client does not repeat by itself, because the same call would fail again until there is room.',
);

// Turn 4: back to the first change.
user(
  'Fine. Back to the pause counter: is it documented where people look for it? Then run everything once more and show me the diff.',
);
round('', grep('gate_pauses|faults_total', 'src', 1), read('src/observe/metrics.ts', 1, 60));
round('', read('src/observe/pages.ts'), read('src/observe/health.ts'));
round(
  '',
  edit(
    'src/gate/ports.ts',
    '  /** Reading stops until the backlog of unsent bytes has drained. */',
    '  /** Reading stops until the backlog of unsent bytes (`out_pause_bytes`) has drained. */',
  ),
);
round('', read('src/gate/connection.ts', 140, 50), read('src/gate/ports.ts'));
round(
  '',
  bash('npx tsc -p tsconfig.json', { text: '' }),
  bash('npx biome check .', { text: 'Checked 498 files in 512ms. No fixes applied.' }),
);
round('', bash('node test/run.mjs test/'));
round(
  'The new test once more by itself, and the file as it stands.',
  bash('node test/run.mjs test/faults/load'),
  read('test/faults/load.test.ts', 1, 120),
);
round(
  '',
  grep('paused\\(', 'src'),
  bash('git status --short', {
    text: ' M src/gate/connection.ts\n M src/gate/ports.ts\n M src/observe/metrics.ts\n M test/faults/load.test.ts',
  }),
);
round(
  '',
  bash('git diff --stat', {
    text: ' src/gate/connection.ts    | 1 +\n src/gate/ports.ts         | 2 ++\n src/observe/metrics.ts    | 7 +++++++\n test/faults/load.test.ts  | 9 +++++++++\n 4 files changed, 19 insertions(+)',
  }),
);
round(
  'Everything passes. The counter is named in the help text of `/metrics`, which is where an operator meets it; the port documents when it is called. Four files, 19 lines.',
);

const schema = (properties, required) => ({ type: 'object', properties, required });
const string = (description) => ({ type: 'string', description });
const conversation = {
  id: 'demo-coding-session',
  format: 'anthropic',
  model: 'claude-sonnet-4-5',
  system:
    'You are a coding agent in a TypeScript repository. Read before you edit, keep changes small, run the type checker and the tests that concern a change, and say plainly what you found. Paths are relative to the root of the repository. A result that was cleared from your context can be fetched again by its handle with the recall tool.',
  tools: [
    {
      name: 'Read',
      description: 'Reads a file, with line numbers.',
      input_schema: schema(
        { file_path: string('path'), offset: { type: 'integer' }, limit: { type: 'integer' } },
        ['file_path'],
      ),
    },
    {
      name: 'Glob',
      description: 'Lists files by pattern.',
      input_schema: schema({ path: string('folder'), pattern: string('glob') }, ['pattern']),
    },
    {
      name: 'Grep',
      description: 'Searches file contents by regular expression.',
      input_schema: schema(
        {
          pattern: string('regular expression'),
          path: string('file or folder'),
          context: { type: 'integer' },
        },
        ['pattern'],
      ),
    },
    {
      name: 'Edit',
      description: 'Replaces an exact string in a file.',
      input_schema: schema(
        {
          file_path: string('path'),
          old_string: string('what is there'),
          new_string: string('what shall be there'),
        },
        ['file_path', 'old_string', 'new_string'],
      ),
    },
    {
      name: 'Bash',
      description: 'Runs a command and gives its output.',
      input_schema: schema({ command: string('shell command') }, ['command']),
    },
  ],
  messages,
};
const file = join(root, 'demo/coding-session.jsonl');
writeFileSync(file, `${JSON.stringify(conversation)}\n`);
const errors = messages.flatMap((m) => (Array.isArray(m.content) ? m.content : [])).filter((b) => b.is_error);
console.log(`${messages.length} messages, ${calls} calls, ${errors.length} of them failed: ${file}`);
