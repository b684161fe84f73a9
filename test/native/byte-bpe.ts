// A byte-level BPE in the form of tokenizer.json, made by hand, and the plain way to count with one: split by the patterns
// one after another, then merge by rank. Slow and obvious, for parity.

/** GPT-2's character for each byte. */
const CHARS: string[] = [];
{
  let extra = 0;
  for (let b = 0; b < 256; b += 1) {
    const printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || (b >= 174 && b <= 255);
    CHARS.push(String.fromCharCode(printable ? b : 256 + extra++));
  }
}

export function spelled(text: string): string {
  return [...Buffer.from(text)].map((b) => CHARS[b]!).join('');
}

const WORDS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|";
const REST = '| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';

/** The split patterns as the three vocabularies have them. */
export const SPLITS = {
  llama3: [`${WORDS}\\p{N}{1,3}${REST}`],
  qwen3: [`${WORDS}\\p{N}${REST}`],
  deepseek_v3: [
    '\\p{N}{1,3}',
    '[一-龥぀-ゟ゠-ヿ]+',
    '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+',
  ],
} as const;
export type Shape = keyof typeof SPLITS;

/** Merges learned from a text as BPE does: the most frequent pair first, ties by spelling. */
export function learn(words: readonly string[], merges: number): [string, string][] {
  let parts = words.map((w) => [...spelled(w)]);
  const learned: [string, string][] = [];
  const known = new Set<string>();
  while (learned.length < merges) {
    const counts = new Map<string, number>();
    for (const p of parts)
      for (let i = 0; i + 1 < p.length; i += 1) {
        const pair = `${p[i]} ${p[i + 1]}`;
        counts.set(pair, (counts.get(pair) ?? 0) + 1);
      }
    const best = [...counts]
      .filter(([pair]) => !known.has(pair.replace(' ', '')))
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0];
    if (best === undefined) break;
    const [a, b] = best[0].split(' ') as [string, string];
    learned.push([a, b]);
    known.add(a + b);
    parts = parts.map((p) => merged(p, a, b));
  }
  return learned;
}

function merged(parts: readonly string[], a: string, b: string): string[] {
  const out: string[] = [];
  for (let i = 0; i < parts.length; i += 1) {
    if (parts[i] === a && parts[i + 1] === b) {
      out.push(a + b);
      i += 1;
    } else out.push(parts[i]!);
  }
  return out;
}

export function tokenizerJson(
  shape: Shape,
  merges: readonly [string, string][],
  extra: readonly string[] = [],
) {
  const all = [...CHARS, ...merges.map(([a, b]) => a + b), ...extra];
  return {
    normalizer: shape === 'qwen3' ? { type: 'NFC' } : null,
    added_tokens: [{ id: all.length, content: '<|eot|>', special: true }],
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        ...SPLITS[shape].map((Regex) => ({
          type: 'Split',
          pattern: { Regex },
          behavior: 'Isolated',
          invert: false,
        })),
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
      ],
    },
    model: {
      type: 'BPE',
      unk_token: null,
      byte_fallback: false,
      ignore_merges: shape === 'llama3',
      vocab: Object.fromEntries(all.map((t, i) => [t, i])),
      merges: merges.map(([a, b]) => `${a} ${b}`),
    },
  };
}

/** Pieces of a text: each pattern splits what the one before has left, matches and what is between them alike. */
export function pieces(shape: Shape, text: string): string[] {
  let parts = [text];
  for (const source of SPLITS[shape]) {
    const re = new RegExp(
      source.replace("(?i:'s|'t|'re|'ve|'m|'ll|'d)", "'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])"),
      'gu',
    );
    // What an earlier pattern matched stands by itself, but is split by the later ones too.
    parts = parts.flatMap((part) => {
      const out: string[] = [];
      let from = 0;
      for (const m of part.matchAll(re)) {
        if (m[0] === '') continue;
        if (m.index > from) out.push(part.slice(from, m.index));
        out.push(m[0]);
        from = m.index + m[0].length;
      }
      if (from < part.length) out.push(part.slice(from));
      return out;
    });
  }
  return parts;
}

export function countSlowly(
  shape: Shape,
  merges: readonly [string, string][],
  whole: ReadonlySet<string>,
  text: string,
): number {
  const ranks = new Map(merges.map(([a, b], i) => [`${a} ${b}`, i]));
  let tokens = 0;
  const formed = shape === 'qwen3' ? text.normalize('NFC') : text;
  for (const piece of pieces(shape, formed)) {
    let parts = [...spelled(piece)];
    if (whole.has(spelled(piece))) parts = [piece];
    for (;;) {
      let best = -1;
      let rank = Number.POSITIVE_INFINITY;
      for (let i = 0; i + 1 < parts.length; i += 1) {
        const r = ranks.get(`${parts[i]} ${parts[i + 1]}`);
        if (r !== undefined && r < rank) {
          rank = r;
          best = i;
        }
      }
      if (best < 0) break;
      parts = merged(parts, parts[best]!, parts[best + 1]!);
    }
    tokens += parts.length;
  }
  return tokens;
}
