// Seeded random strings for the parity tests: mixes of alphabets, words, contractions, spaces and rare characters.

const ASCII_PARTS = [
  ' ',
  '  ',
  '\n',
  '\r',
  '\r\n',
  '\t',
  '\v',
  '\f',
  'a',
  'b',
  'Z',
  'S',
  'T',
  "'",
  "'s",
  "'LL",
  "'Re",
  "'d",
  '1',
  '23',
  '4567',
  '/',
  '//',
  '(',
  ');',
  '{',
  '"',
  '":',
  '_',
  '-',
  '--',
  '=',
  '<|endoftext|>',
  '<|fim_prefix|>',
  'the',
  ' function',
  'return',
  'HTML',
  'camelCase',
  '\0',
  '\x7f',
  '.',
  ',',
  '\\n',
  '\\u00e9',
  'https://',
  '0x',
  '#',
];
const WIDE_PARTS = [
  'é',
  'ſ',
  "'ſ",
  'ß',
  'ǅ',
  'ʰ',
  '\u0301',
  '\u0903',
  '\u20dd',
  'Ж',
  'ж',
  'Ω',
  'א',
  'ע',
  'ب',
  'ة',
  '٣',
  'ก',
  '่',
  'क',
  '्',
  'ष',
  '中',
  '文',
  '。',
  '，',
  'あ',
  'カ',
  '한',
  '글',
  '　',
  '\u00a0',
  '\u0085',
  '\u2028',
  '\u2029',
  '\u200b',
  '\u200d',
  '\ufeff',
  '\ufffd',
  '\ufe0f',
  '😀',
  '👨‍👩‍👧',
  '🇩🇪',
  '𝒜',
  '𝟘',
  '𐐀',
  '𐐨',
  'Ⅷ',
  '½',
  '߀',
  '\u{1e900}',
  '\u{e0100}',
  '\u{10ffff}',
  '\ud800',
  '\udfff',
  '\udc00\ud800',
  '—',
  '’',
  '’s',
  '“',
  '”',
  '…',
  '€',
];
/** What runs of three-byte characters are made of: words that tokens span, single characters, marks, other scripts. */
const CJK_PARTS =
  '我们 用户 因此 数据库 的 了 不 北京赛车 彩神 中华人民共和国 一 二 龘 龥 〇 々 を し である ています コンピュータ ー プ カタカナ ｶﾞ ㌔ 습니다 니다 한국어 데이터 가 힣 ᄀ ㄱ ， 。 、 ： 」 「 （ ） ！ … 　 ０ １２ Ａｂ ａ Ⅻ ㊥ 豈 ﷽ ไทย ่ ภาษา हिन्दी ् ა კა აბ ა် မြန်မာ ខ្មែរ ꦲ ⵣ ᏣᎳᎩ \u3099 \u302a \ufe0f \ufffd \u2028 \ud7a4 \uabcd \uffff'.split(
    ' ',
  );

/** Letters that stand in one word with them. */
const LATIN_PARTS = [
  'a',
  'B',
  'Git',
  'API',
  'iOS',
  ' x',
  ' File',
  "'s",
  "'S",
  '(ab',
  '"A',
  '1',
  'é',
  'É',
  ' ',
];

/** A run of them up to some windows long, here and there something else. */
function randomCjk(random: () => number, parts: number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const strange = random() * 0.2;
  const mixed = random() < 0.4;
  const common = 0x20 << Math.floor(random() * 9);
  const base = pick([0x4e00, 0x4e00, 0x3040, 0xac00, 0x0e00]);
  let out = '';
  for (let i = 0; i < parts * 4; i++) {
    const r = random();
    if (mixed && random() < 0.3) out += pick(LATIN_PARTS);
    else if (r < strange / 2) out += pick(ASCII_PARTS);
    else if (r < strange) out += pick(WIDE_PARTS);
    else if (r < 0.5) out += pick(CJK_PARTS);
    else
      out += String.fromCharCode(
        base + Math.floor(random() * Math.min(common, base === 0x0e00 ? 128 : 8192)),
      );
  }
  return out;
}

/** One string of up to some 60 parts, from one of several mixes. */
export function randomString(random: () => number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const mix = Math.floor(random() * 10);
  const parts = 1 + Math.floor(random() * (random() < 0.1 ? 60 : 14));
  if (mix > 7) return randomCjk(random, parts);
  let out = '';
  for (let i = 0; i < parts; i++) {
    if (mix < 3) out += pick(ASCII_PARTS);
    else if (mix === 3) out += pick(WIDE_PARTS);
    else if (mix === 4) out += random() < 0.8 ? pick(ASCII_PARTS) : pick(WIDE_PARTS);
    else if (mix === 5) out += String.fromCharCode(Math.floor(random() * 128));
    else if (mix === 6) out += String.fromCharCode(Math.floor(random() * 0x10000));
    else out += String.fromCodePoint(Math.floor(random() * 0x110000));
  }
  return out;
}
