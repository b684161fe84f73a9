// curated completion: scripts for bash, zsh and fish, made from the command tree itself.
import { Argument, type Command } from 'commander';

interface Entry {
  /** Words before it: '' for the top, `config` for its children. */
  path: string;
  name: string;
  description: string;
  options: { flag: string; description: string }[];
  /** What its first argument may be, where that is a closed set. */
  choices: readonly string[];
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function register(program: Command): void {
  program
    .command('completion')
    .description('print a completion script, e.g. source <(curated completion bash)')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: (typeof SHELLS)[number]) => {
      const entries = entriesOf(program);
      const top = optionsOf(program);
      process.stdout.write({ bash, zsh, fish }[shell](entries, top));
    });
}

function optionsOf(c: Command): Entry['options'] {
  const help = { flag: '--help', description: 'display help' };
  return [...c.options.map((o) => ({ flag: o.long ?? o.short!, description: o.description })), help];
}

/** All commands of the tree, parents before children. */
export function entriesOf(program: Command): Entry[] {
  const walk = (c: Command, path: string): Entry[] =>
    c.commands.flatMap((sub) => [
      {
        path,
        name: sub.name(),
        description: sub.description(),
        options: optionsOf(sub),
        choices: sub.registeredArguments[0]?.argChoices ?? [],
      },
      ...walk(sub, `${path} ${sub.name()}`.trim()),
    ]);
  return walk(program, '');
}

function childrenOf(entries: readonly Entry[], path: string): string[] {
  return entries.filter((e) => e.path === path).map((e) => e.name);
}

function full(e: Entry): string {
  return `${e.path} ${e.name}`.trim();
}

/** What may follow each command line so far: words (of a command that takes a file none, so that the shell offers files), and flags. */
function following(entries: readonly Entry[], top: Entry['options']): [string, string[], string[]][] {
  const flags = (options: Entry['options']) => options.map((o) => o.flag);
  return [
    ['', childrenOf(entries, ''), flags(top)],
    ...entries.map((e): [string, string[], string[]] => [
      full(e),
      [...childrenOf(entries, full(e)), ...e.choices],
      flags(e.options),
    ]),
  ];
}

function bash(entries: readonly Entry[], top: Entry['options']): string {
  const cases = following(entries, top).map(
    ([path, words, flags]) => `    "${path}") words="${words.join(' ')}" flags="${flags.join(' ')}" ;;`,
  );
  const known = entries.map((e) => `"${full(e)}"`).join('|');
  return `_curated() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" next words="" flags="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in ${known}) path="$next" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  [[ "$current" == -* ]] && words="$flags"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _curated curated
`;
}

function zsh(entries: readonly Entry[], top: Entry['options']): string {
  return `#compdef curated
autoload -U +X bashcompinit && bashcompinit
${bash(entries, top)}`;
}

function fish(entries: readonly Entry[], top: Entry['options']): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = top.map(
    (o) => `complete -c curated -n __fish_use_subcommand -l ${o.flag.slice(2)} -d ${quote(o.description)}`,
  );
  for (const e of entries) {
    const seen = e.path.split(' ').filter((w) => w !== '');
    const under =
      seen.length === 0 ? '__fish_use_subcommand' : quote(`__fish_seen_subcommand_from ${seen.join(' ')}`);
    lines.push(`complete -c curated -f -n ${under} -a ${e.name} -d ${quote(e.description)}`);
    for (const o of e.options)
      lines.push(
        `complete -c curated -n ${quote(`__fish_seen_subcommand_from ${e.name}`)} -l ${o.flag.replace(/^-+/, '')} -d ${quote(o.description)}`,
      );
  }
  return `${lines.join('\n')}\n`;
}
