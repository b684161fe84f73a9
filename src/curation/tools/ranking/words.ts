// Words of tool names, descriptions and questions, brought to one form: names are split where their writers joined them,
// endings are taken off lightly. Pure.

const STOP: ReadonlySet<string> = new Set(
  (
    'a an the of to in on at for and or is are was were be been it its this that these those with by from as i me my we ' +
    'our you your he she they them his her their do does did can could would should will shall may might must have has ' +
    'had not no if then so than but what which who whom when where why how please help need want let get give tell show ' +
    'make just also some any all about into out up there here am im id ll ve re us'
  ).split(' '),
);

const WORD = /[a-z\u00c0-\u024f]+|\d+|[\u4e00-\u9fff]+/g;
const HAN = /[\u4e00-\u9fff]/;

/** Stems in order, repeats kept; Chinese as pairs of characters. @param keepStops for lists of chosen words */
export function stems(text: string, keepStops = false): string[] {
  const out: string[] = [];
  const split = text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase();
  for (const [word] of split.matchAll(WORD)) {
    if (HAN.test(word)) {
      if (word.length === 1) out.push(word);
      for (let i = 0; i + 1 < word.length; i += 1) out.push(word.slice(i, i + 2));
    } else if (word.length > 1 && (keepStops || !STOP.has(word))) out.push(stem(word));
  }
  return out;
}

const VOWEL = /[aeiouy]/;

export function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  let s = singular(word);
  for (const ending of ['ing', 'ed']) {
    const head = s.slice(0, -ending.length);
    if (!s.endsWith(ending) || head.length < 3 || !VOWEL.test(head)) continue;
    s = /([bdfgmnprt])\1$/.test(head) ? head.slice(0, -1) : head;
    break;
  }
  if (s.endsWith('ation') && s.length > 7) s = `${s.slice(0, -5)}at`;
  else if (s.length > 6 && /[st]ion$/.test(s)) s = s.slice(0, -3);
  if (s.endsWith('er') && s.length > 5) s = s.slice(0, -2);
  else if (s.endsWith('or') && s.length > 6) s = s.slice(0, -2);
  if (s.endsWith('ly') && s.length > 5) s = s.slice(0, -2);
  if (s.endsWith('ment') && s.length > 7) s = s.slice(0, -4);
  if (s.endsWith('e') && s.length > 3) s = s.slice(0, -1);
  if (s.endsWith('y') && s.length > 4) s = `${s.slice(0, -1)}i`;
  return s;
}

function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(ss|us|is)$/.test(word)) return word;
  if (/(sh|ch|x|ss|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
}
