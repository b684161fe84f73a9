// From a byte-level BPE in the form of Hugging Face's tokenizer.json to the list of tokens that packTables takes. Refuses
// what the core could not count exactly.

/** GPT-2's alphabet: a printable character for each byte. */
function byteAlphabet() {
  const bytes = new Map();
  let extra = 0;
  for (let b = 0; b < 256; b++) {
    const printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || (b >= 174 && b <= 255);
    bytes.set(printable ? b : 256 + extra++, b);
  }
  return bytes;
}

/** Split patterns by their exact text: what a vocabulary's pre-tokenizer must be for a PATTERN of the core. */
const WORDS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|";
const REST = '| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const SPLITS = new Map([
  [JSON.stringify([`${WORDS}\\p{N}{1,3}${REST}`]), 'cl100k'],
  [JSON.stringify([`${WORDS}\\p{N}${REST}`]), 'qwen'],
  [
    JSON.stringify([
      '\\p{N}{1,3}',
      '[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+',
      '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+',
    ]),
    'deepseek',
  ],
]);

function patternOf(pre) {
  const steps = pre?.type === 'Sequence' ? pre.pretokenizers : [pre];
  const splits = steps.filter((s) => s?.type === 'Split');
  const plain = splits.every((s) => s.behavior === 'Isolated' && s.invert !== true);
  const last = steps.at(-1);
  const pattern = SPLITS.get(JSON.stringify(splits.map((s) => s.pattern?.Regex)));
  if (!plain || pattern === undefined || splits.length !== steps.length - 1)
    throw new Error('its pre-tokenizer is none that the core knows');
  if (last?.type !== 'ByteLevel' || last.add_prefix_space === true || last.use_regex === true)
    throw new Error('it is no byte-level vocabulary');
  return pattern;
}

function formOf(normalizer) {
  if (normalizer === null || normalizer === undefined) return undefined;
  if (normalizer.type === 'NFC') return 'NFC';
  if (normalizer.type === 'Sequence' && normalizer.normalizers.length === 0) return undefined;
  throw new Error(`its normalizer ${normalizer.type} is none that the core knows`);
}

/**
 * @param json the parsed tokenizer.json
 * @returns tokens as latin1 strings in the order of merging, the left halves of each token's merges, the name of its PATTERN,
 *   and the normal form that texts are brought to first
 */
export function readTokenizerJson(json) {
  const { model } = json;
  if (model?.type !== 'BPE' || model.byte_fallback === true || model.unk_token)
    throw new Error('it is no byte-level BPE');
  const alphabet = byteAlphabet();
  const bytesOf = (word) => {
    let out = '';
    for (const ch of word) {
      const b = alphabet.get(ch.codePointAt(0));
      if (b === undefined) throw new Error(`${JSON.stringify(word)} is not in the byte alphabet`);
      out += String.fromCharCode(b);
    }
    return out;
  };
  const tokens = [];
  // Single bytes come first; their order says nothing, since no merge makes one.
  for (let b = 0; b < 256; b++) tokens.push(String.fromCharCode(b));
  let newest = '';
  const pairs = [];
  for (const merge of model.merges) {
    const [a, b] = Array.isArray(merge) ? merge : merge.split(' ');
    const made = a + b;
    // Some list every way to make a token, one behind another: the token has one rank all the same.
    if (made !== newest) {
      tokens.push(bytesOf(made));
      pairs.push([]);
      newest = made;
    }
    pairs.at(-1).push(bytesOf(a));
  }
  if (new Set(tokens).size !== tokens.length) throw new Error('a token is merged at two ranks');
  return {
    tokens,
    lefts: pairs,
    wholePieces: model.ignore_merges === true,
    pattern: patternOf(json.pre_tokenizer),
    form: formOf(json.normalizer),
  };
}
