// Surrogates without their partner: JavaScript's strings may hold them, UTF-8 may not.

const LONE = /[\ud800-\udfff]/u;

/** Does the string hold a surrogate without its partner (PV-A18)? */
export function hasLone(text: string): boolean {
  const fast = (text as string & { isWellFormed?: () => boolean }).isWellFormed;
  return fast === undefined ? LONE.test(text) : !fast.call(text);
}
