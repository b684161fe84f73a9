// The commands by name, in the order of the help. Each is a file of its own, which is loaded when its command is asked for: the
// replay behind `eval` takes longer to load than most commands take.
import type { Command } from 'commander';

type Register = (program: Command) => void;

const COMMANDS: Readonly<Record<string, () => Promise<{ register: Register }>>> = {
  start: () => import('./start.js'),
  stop: () => import('./stop.js'),
  status: () => import('./status.js'),
  doctor: () => import('./doctor.js'),
  whatif: () => import('./whatif.js'),
  eval: () => import('./eval.js'),
  promote: () => import('./promote.js'),
  sample: () => import('./sample.js'),
  savings: () => import('./savings.js'),
  run: () => import('./run.js'),
  sessions: () => import('./sessions.js'),
  tail: () => import('./tail.js'),
  replay: () => import('./replay.js'),
  files: () => import('./files.js'),
  state: () => import('./state.js'),
  diff: () => import('./diff.js'),
  bisect: () => import('./bisect.js'),
  undo: () => import('./undo.js'),
  forget: () => import('./forget.js'),
  journal: () => import('./journal.js'),
  context: () => import('./context.js'),
  mcp: () => import('./mcp.js'),
  count: () => import('./count.js'),
  tokenizers: () => import('./tokenizers.js'),
  token: () => import('./token.js'),
  config: () => import('./config.js'),
  demo: () => import('./demo.js'),
  completion: () => import('./completion.js'),
  help: () => import('./help.js'),
};

/** Options of curated itself that need no command. */
const ALONE: ReadonlySet<string> = new Set(['--version', '-V', '--print-config']);
/** These speak of all commands. */
const OF_ALL: ReadonlySet<string> = new Set(['completion', 'help']);

/** Adds the command that `args` begin with, or none where they ask for none, or else all: for the help, and for what was meant. */
export async function registerFor(program: Command, args: readonly string[]): Promise<void> {
  const [first = ''] = args;
  if (ALONE.has(first)) return;
  const isOne = Object.hasOwn(COMMANDS, first) && !OF_ALL.has(first);
  // The group's own help command comes with the last.
  const names = isOne ? [first, 'help'] : Object.keys(COMMANDS);
  const modules = await Promise.all(names.map((name) => COMMANDS[name]!()));
  for (const { register } of modules) register(program);
}
