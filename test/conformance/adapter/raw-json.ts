// Finds the exact text of a value inside a JSON text, so that an emitted request is compared byte for byte. Pure.

function skipSpace(s: string, i: number): number {
  while (i < s.length && (s[i] === ' ' || s[i] === '\n' || s[i] === '\t' || s[i] === '\r')) i++;
  return i;
}

function skipString(s: string, i: number): number {
  for (let k = i + 1; k < s.length; k++) {
    if (s[k] === '\\') k++;
    else if (s[k] === '"') return k + 1;
  }
  return s.length;
}

function skipValue(s: string, i: number): number {
  let depth = 0;
  for (let k = i; k < s.length; ) {
    const c = s[k];
    if (c === '"') {
      k = skipString(s, k);
      if (depth === 0) return k;
      continue;
    }
    if (c === '{' || c === '[') depth++;
    else if (c === '}' || c === ']') {
      if (depth === 0) return k;
      depth--;
      if (depth === 0) return k + 1;
    } else if (depth === 0 && (c === ',' || c === ' ' || c === '\n')) return k;
    k++;
  }
  return s.length;
}

/** Text of the value under a chain of object keys, or undefined where there is none. `s` must be valid JSON. */
export function rawAt(s: string, keys: readonly string[]): string | undefined {
  let i = skipSpace(s, 0);
  for (const key of keys) {
    if (s[i] !== '{') return undefined;
    i = skipSpace(s, i + 1);
    let found = false;
    while (i < s.length && s[i] === '"') {
      const end = skipString(s, i);
      const name: unknown = JSON.parse(s.slice(i, end));
      i = skipSpace(s, skipSpace(s, end) + 1);
      if (name === key) {
        found = true;
        break;
      }
      i = skipSpace(s, skipValue(s, i));
      if (s[i] === ',') i = skipSpace(s, i + 1);
    }
    if (!found) return undefined;
  }
  return s.slice(i, skipValue(s, i));
}
