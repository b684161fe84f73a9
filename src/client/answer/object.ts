// Objects of a stream, looked at without trust. Pure.

export type Obj = Record<string, unknown>;

export function isObj(v: unknown): v is Obj {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}

/** Adds a piece of text to a field that grows. */
export function grow(target: Obj, key: string, piece: unknown): void {
  if (typeof piece !== 'string') return;
  const so = target[key];
  target[key] = (typeof so === 'string' ? so : '') + piece;
}
