// All strings of a value, in document order, also those inside JSON strings. Pure.

/** Strings and keys of `v`; a string that holds a JSON object or list is given itself, then its inner strings. */
export function* allStrings(v: unknown, depth = 0): Generator<string> {
  if (typeof v === 'string') {
    yield v;
    const inner = depth < 4 ? parsed(v) : undefined;
    if (inner !== undefined) yield* allStrings(inner, depth + 1);
  } else if (Array.isArray(v)) {
    for (const x of v) yield* allStrings(x, depth);
  } else if (typeof v === 'object' && v !== null) {
    for (const [k, x] of Object.entries(v)) {
      yield k;
      yield* allStrings(x, depth);
    }
  }
}

function parsed(s: string): unknown {
  if (!/^\s*[[{]/.test(s) || !/[\]}]\s*$/.test(s)) return undefined;
  try {
    return JSON.parse(s);
  } catch {
    return undefined;
  }
}

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export function hasLoneSurrogate(s: string): boolean {
  return LONE.test(s);
}
