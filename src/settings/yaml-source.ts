// A YAML text as a plain value plus the line of each key. Knows YAML and its traps, no key of ours. Pure.
import { isAlias, isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import type { KeyPath } from './fields.js';
import type { ConfigFault } from './types.js';

/** A configuration is small; what is larger is a mistake or an attack. */
const MAX_CHARACTERS = 1_048_576;
/** Levels of nesting; ours need six. */
const MAX_DEPTH = 64;
/** Total expansions of aliases, nested ones multiplied. */
const MAX_ALIASES = 100;

export type YamlRead =
  | { ok: true; value: unknown; line(path: KeyPath): number | undefined }
  | { ok: false; errors: ConfigFault[] };

/** Where the parser's own words speak to programmers. */
const WORDS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'tabs are not allowed as indentation',
  MULTIPLE_DOCS: 'a second document begins here, and a configuration is one',
};

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!.replace(/ at line \d+, column \d+:?$/, '');
}

/** True if brackets alone nest deeper than allowed; the parser is recursive and must not see such a text. */
function tooDeep(text: string): boolean {
  let depth = 0;
  let indentations = 0;
  for (const line of text.split('\n')) {
    for (const c of line) {
      if (c === '[' || c === '{') depth++;
      else if (c === ']' || c === '}') depth = Math.max(0, depth - 1);
      if (depth > MAX_DEPTH) return true;
    }
    // `- - - -` nests as well, and so does `? ? ?`.
    indentations = /^[\s]*((?:[-?] +)*)/.exec(line)![1]!.length / 2;
    if (indentations > MAX_DEPTH) return true;
  }
  return false;
}

/** Parses one YAML 1.2 document. Errors have 1-based lines. */
export function readYaml(text: string): YamlRead {
  const refuse = (message: string, line?: number): YamlRead => ({
    ok: false,
    errors: [{ path: '', ...(line === undefined ? {} : { line }), text: message }],
  });
  if (text.length > MAX_CHARACTERS) return refuse(`the file is larger than ${MAX_CHARACTERS} characters`);
  if (tooDeep(text)) return refuse(`more than ${MAX_DEPTH} levels of nesting`);
  const lines = new LineCounter();
  const lineAt = (offset: number | undefined) =>
    offset === undefined ? undefined : lines.linePos(offset).line;
  try {
    const doc = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: true });
    // An unresolved tag is only a warning to the parser; for a configuration it is a value of unknown meaning.
    const problems = [...doc.errors, ...doc.warnings];
    if (problems.length > 0) {
      return {
        ok: false,
        errors: problems.slice(0, 20).map((e) => ({
          path: '',
          line: lineAt(e.pos[0]) ?? 1,
          text: WORDS[e.code] ?? firstLine(e.message),
        })),
      };
    }
    let badKey: number | undefined;
    visit(doc, {
      Pair(_, pair) {
        if (!isScalar(pair.key) || typeof pair.key.value === 'object') {
          badKey ??= lineAt((pair.key as Node | null)?.range?.[0]) ?? 1;
        }
      },
    });
    if (badKey !== undefined) return refuse('a key must be a plain text', badKey);
    const value: unknown = doc.toJS({ maxAliasCount: MAX_ALIASES });
    const line = (path: KeyPath): number | undefined => {
      let node: unknown = doc.contents;
      let at = lineAt((node as Node | null)?.range?.[0]);
      for (const step of path) {
        if (isAlias(node)) node = node.resolve(doc);
        let next: unknown;
        if (isMap(node)) {
          const pair = node.items.find(
            (p) => isPair(p) && isScalar(p.key) && String(p.key.value) === String(step),
          );
          if (pair === undefined) return at;
          at = lineAt((pair.key as Node).range?.[0]) ?? at;
          next = pair.value;
        } else if (isSeq(node)) {
          next = node.items[Number(step)];
          at = lineAt((next as Node | null)?.range?.[0]) ?? at;
        } else return at;
        node = next;
      }
      return at;
    };
    return { ok: true, value, line };
  } catch (e) {
    // toJS throws on alias bombs and on unresolved aliases.
    const message = e instanceof Error ? firstLine(e.message) : String(e);
    return refuse(/alias/i.test(message) ? `too many or unknown aliases: ${message}` : message);
  }
}
