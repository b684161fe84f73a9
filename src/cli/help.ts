// curated help: the help of any command by its words, and what was meant where there is none of that name.
import type { Command } from 'commander';
import { distance } from '../settings/nearest.js';
import { paint } from './paint.js';

/** What the parser finds wrong, in our words. Commands take it from the one that they are added to. */
export function saysErrors(group: Command): Command {
  return group.configureOutput({
    outputError: (text, write) => {
      write(text.replace(/^error: /, `${paint.red('curated:')} `));
      if (text.startsWith('error: unknown command'))
        write(`${paint.dim('hint:')} ${nameOf(group)} --help lists the commands\n`);
    },
  });
}

/** Registered last: also the groups of commands get theirs. */
export function register(program: Command): void {
  const groups = program.commands.filter((c) => c.commands.length > 0);
  for (const group of [program, ...groups]) {
    saysErrors(group)
      .helpCommand(false)
      .command('help')
      .description('display help for a command')
      .argument('[command...]', 'its words')
      .action((words: readonly string[]) => found(group, words).outputHelp());
  }
}

function found(group: Command, words: readonly string[]): Command {
  let at = group;
  for (const word of words) {
    const next = at.commands.find((c) => c.name() === word);
    if (next === undefined) {
      const names = at.commands.map((c) => c.name());
      // `help count foo`: a command without commands of its own has its help alone.
      if (names.length === 0) return at;
      return at.error(`error: unknown command '${word}'${meant(word, names)}`, {
        code: 'commander.unknownCommand',
      });
    }
    at = next;
  }
  return at;
}

/** As the parser says it of a mistyped command. */
function meant(word: string, names: readonly string[]): string {
  const near = names.map((name) => ({ name, far: distance(word, name) }));
  const least = Math.min(...near.map((n) => n.far));
  const close = near.filter((n) => n.far === least && n.far <= Math.max(2, n.name.length / 2));
  if (close.length === 0) return '';
  const list = close.map((n) => n.name).join(', ');
  return close.length === 1 ? `\n(Did you mean ${list}?)` : `\n(Did you mean one of ${list}?)`;
}

function nameOf(c: Command): string {
  return c.parent === null ? c.name() : `${nameOf(c.parent)} ${c.name()}`;
}
