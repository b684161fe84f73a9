// curated completion: scripts for bash, zsh and fish, made from the command tree itself.
import { Argument, type Command } from 'commander';

interface Flag {
  flag: string;
  description: string;
  /** What its value may be, where that is a closed set. */
  choices: readonly string[];
}

interface Entry {
  /** Words before it: '' for the top, `config` for its children. */
  path: string;
  name: string;
  description: string;
  options: Flag[];
  /** What its first argument may be, where that is a closed set. */
  choices: readonly string[];
  /** Its first argument is a session's id: the running daemon is asked for them. */
  isOfSession: boolean;
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;
const SESSION = 'session';

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

function optionsOf(c: Command): Flag[] {
  const help = { flag: '--help', description: 'display help', choices: [] };
  const own = c.options.map((o) => ({
    flag: o.long ?? o.short!,
    description: o.description,
    choices: o.argChoices ?? [],
  }));
  return [...own, help];
}

/** All commands of the tree, parents before children. */
function entriesOf(program: Command): Entry[] {
  const walk = (c: Command, path: string): Entry[] =>
    c.commands.flatMap((sub) => [
      {
        path,
        name: sub.name(),
        description: sub.description(),
        options: optionsOf(sub),
        choices: sub.registeredArguments[0]?.argChoices ?? [],
        isOfSession: sub.registeredArguments[0]?.name() === SESSION,
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
function following(entries: readonly Entry[], top: readonly Flag[]): [string, string[], string[]][] {
  const flags = (options: readonly Flag[]) => options.map((o) => o.flag);
  return [
    ['', childrenOf(entries, ''), flags(top)],
    ...entries.map((e): [string, string[], string[]] => [
      full(e),
      [...childrenOf(entries, full(e)), ...(full(e) === 'help' ? childrenOf(entries, '') : e.choices)],
      flags(e.options),
    ]),
  ];
}

function bash(entries: readonly Entry[], top: readonly Flag[]): string {
  const cases = following(entries, top).map(
    ([path, words, flags]) => `    "${path}") words="${words.join(' ')}" flags="${flags.join(' ')}" ;;`,
  );
  const known = entries.map((e) => `"${full(e)}"`).join('|');
  const values = entries.flatMap((e) =>
    e.options
      .filter((o) => o.choices.length > 0)
      .map((o) => `    "${full(e)} ${o.flag}") words="${o.choices.join(' ')}" ;;`),
  );
  const withSession = [
    ...entries.filter((e) => e.isOfSession).map((e) => `"${full(e)} ${e.name}"`),
    ...entries
      .filter((e) => e.options.some((o) => o.flag === `--${SESSION}`))
      .map((e) => `"${full(e)} --${SESSION}"`),
  ];
  // Ids hold whatever their agent put in: they are quoted, and never given to compgen, which would run what stands in them.
  return `_curated() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" path="" next words="" flags="" i id
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in ${known}) path="$next" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  case "$path $before" in
${values.join('\n')}
    ${withSession.join('|')})
      [[ "$current" == -* ]] || while IFS= read -r id; do
        [[ "$id" == "$current"* ]] && COMPREPLY+=("$(printf %q "$id")")
      done < <("\${COMP_WORDS[0]}" sessions --ids 2>/dev/null) ;;
  esac
  [[ "$current" == -* ]] && words="$flags"
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _curated curated
`;
}

function zsh(entries: readonly Entry[], top: readonly Flag[]): string {
  return `#compdef curated
autoload -U +X bashcompinit && bashcompinit
${bash(entries, top)}`;
}

const FISH_IDS = "'(curated sessions --ids 2>/dev/null)'";

function fish(entries: readonly Entry[], top: readonly Flag[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = top.map(
    (o) => `complete -c curated -n __fish_use_subcommand -l ${o.flag.slice(2)} -d ${quote(o.description)}`,
  );
  for (const e of entries) {
    const seen = e.path.split(' ').filter((w) => w !== '');
    const under =
      seen.length === 0 ? '__fish_use_subcommand' : quote(`__fish_seen_subcommand_from ${seen.join(' ')}`);
    lines.push(`complete -c curated -f -n ${under} -a ${e.name} -d ${quote(e.description)}`);
    const within = quote(`__fish_seen_subcommand_from ${e.name}`);
    for (const o of e.options) {
      const ids = o.flag === `--${SESSION}` ? ` -x -a ${FISH_IDS}` : '';
      const values = o.choices.length === 0 ? ids : ` -x -a ${quote(o.choices.join(' '))}`;
      const flag = o.flag.replace(/^-+/, '');
      lines.push(`complete -c curated -n ${within} -l ${flag}${values} -d ${quote(o.description)}`);
    }
    if (e.choices.length > 0)
      lines.push(`complete -c curated -f -n ${within} -a ${quote(e.choices.join(' '))}`);
    if (e.isOfSession) lines.push(`complete -c curated -n ${within} -a ${FISH_IDS}`);
  }
  return `${lines.join('\n')}\n`;
}
