// curated completion: scripts for bash, zsh and fish, made from the command tree itself.
import { Argument, type Command } from 'commander';

interface Entry {
  /** Words before it: '' for the top, `config` for its children. */
  path: string;
  name: string;
  description: string;
  options: { flag: string; description: string }[];
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
      { path, name: sub.name(), description: sub.description(), options: optionsOf(sub) },
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

/** Words that may follow each command line so far. */
function words(entries: readonly Entry[], top: Entry['options']): [string, string[]][] {
  return [
    ['', [...childrenOf(entries, ''), ...top.map((o) => o.flag)]],
    ...entries.map((e): [string, string[]] => [
      full(e),
      [...childrenOf(entries, full(e)), ...e.options.map((o) => o.flag)],
    ]),
  ];
}

function bash(entries: readonly Entry[], top: Entry['options']): string {
  const cases = words(entries, top).map(([path, list]) => `    "${path}") words="${list.join(' ')}" ;;`);
  const known = entries.map((e) => `"${full(e)}"`).join('|');
  return `_curated() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" next words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in ${known}) path="$next" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ "$current" == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _curated curated
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
