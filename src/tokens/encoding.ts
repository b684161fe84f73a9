// Which tokenizer counts for a model, and whether its counts are the provider's own. Knows no tokenizer: who has tables for
// an optional vocabulary offers it.
import type { Encoding, OptionalEncoding } from '../pool/contract.js';
import { claudeId } from '../providers/profile.js';

export interface ModelEncoding {
  encoding: Encoding;
  /** True where the model's provider uses this very encoding; false where counts are the base of an estimate. */
  exact: boolean;
}

/** Model-name prefixes with a public tokenizer. The longest that fits wins: `gpt-4` must not catch `gpt-4o`. */
const EXACT: readonly (readonly [prefix: string, encoding: Encoding])[] = [
  ['gpt-6', 'o200k_base'],
  ['gpt-5', 'o200k_base'],
  ['gpt-4.5', 'o200k_base'],
  ['gpt-4.1', 'o200k_base'],
  ['gpt-4o', 'o200k_base'],
  ['chatgpt-4o', 'o200k_base'],
  ['o1', 'o200k_base'],
  ['o3', 'o200k_base'],
  ['o4', 'o200k_base'],
  ['codex', 'o200k_base'],
  ['gpt-4', 'cl100k_base'],
  ['gpt-3.5', 'cl100k_base'],
  ['gpt-35', 'cl100k_base'],
];

/** Open models whose vocabulary a package ships. What follows a prefix decides: Qwen 3.5 and Llama 33 are others. */
const OPTIONAL: readonly (readonly [model: RegExp, encoding: OptionalEncoding])[] = [
  [/^(?:meta-)?llama-?3(?![0-9])/, 'llama3'],
  [/^qwen-?3(?![0-9.])/, 'qwen3'],
  [/^deepseek-(?:v3(?![0-9])|r1(?![0-9]))/, 'deepseek_v3'],
];

const offered = new Set<OptionalEncoding>();

/** Of models that were asked for lately: each call of a session asks. */
const known = new Map<string, ModelEncoding>();
const KNOWN_MOST = 256;

/** From now on models of this vocabulary are counted with it. What was counted before stays as it was counted. */
export function offerEncoding(encoding: OptionalEncoding): void {
  offered.add(encoding);
  known.clear();
}

/** The optional vocabulary of a model, offered or not. */
export function optionalEncoding(model: string): OptionalEncoding | undefined {
  const name = bareModel(model);
  return OPTIONAL.find(([re]) => re.test(name))?.[1];
}

export function isOffered(encoding: OptionalEncoding): boolean {
  return offered.has(encoding);
}

/** The name without a router's or a cloud's path (`openai/gpt-4o`, `ft:gpt-4o:org`), in lower case. */
function bareModel(model: string): string {
  const name = model.toLowerCase().replace(/^ft:/, '');
  return name.slice(name.lastIndexOf('/') + 1);
}

/**
 * Encoding of a model. Claude: o200k_base, not exact, which its estimates are fitted over (PV-A52). Any other model without a public
 * tokenizer: cl100k_base, not exact (NS-6); the vocabularies of most open models grew out of it.
 */
export function encodingOf(model: string): ModelEncoding {
  let found = known.get(model);
  if (found === undefined) {
    found = lookedUp(model);
    if (known.size >= KNOWN_MOST) known.clear();
    known.set(model, found);
  }
  return found;
}

function lookedUp(model: string): ModelEncoding {
  const name = bareModel(model);
  const optional = offered.size === 0 ? undefined : optionalEncoding(model);
  if (optional !== undefined && offered.has(optional)) return { encoding: optional, exact: true };
  let best: readonly [string, Encoding] | undefined;
  for (const row of EXACT) {
    const [prefix] = row;
    // A prefix ends at a name part: `o1-mini` is one of the o1, `o100` is not.
    const next = name.charAt(prefix.length);
    if (!name.startsWith(prefix) || /[0-9]/.test(next)) continue;
    if (best === undefined || prefix.length > best[0].length) best = row;
  }
  if (best !== undefined) return { encoding: best[1], exact: true };
  return { encoding: claudeId(model) === undefined ? 'cl100k_base' : 'o200k_base', exact: false };
}
