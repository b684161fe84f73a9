// Expands the big-string markers of a case ($repeat, $concat) at any depth. Pure.
import { arr, isObj } from './types.js';

/** A copy of `v` in which every marker is the string that it stands for. Throws TypeError on a malformed marker. */
export function expand(v: unknown): unknown {
  if (Array.isArray(v)) return v.map(expand);
  if (!isObj(v)) return v;
  const keys = Object.keys(v);
  if (keys.length === 1 && keys[0] === '$repeat') {
    const spec = v['$repeat'];
    if (!isObj(spec)) throw new TypeError('$repeat wants {text, times}');
    const text = expand(spec['text']);
    const times = spec['times'];
    if (typeof text !== 'string' || typeof times !== 'number')
      throw new TypeError('$repeat wants {text, times}');
    return text.repeat(times);
  }
  if (keys.length === 1 && keys[0] === '$concat') {
    const parts = arr(v['$concat']).map(expand);
    if (parts.some((p) => typeof p !== 'string')) throw new TypeError('$concat wants strings');
    return parts.join('');
  }
  // `__proto__` is a key as any other.
  return Object.fromEntries(keys.map((k) => [k, expand(v[k])]));
}
