// The meaning of a passage's words, a character a dimension, as the index keeps it. Pure.

import { embedMeaning, MEANING_DIMS } from '../../topics/meaning.js';
import { scan, Words } from '../../topics/scan.js';

const scanned = new Words();
const vector = new Float32Array(MEANING_DIMS);
/** A dimension is a character: ZERO and up to STEPS below or above it. */
const STEPS = 40;
const ZERO = 80;

/** ASCII text of MEANING_DIMS characters; '' where the table knows no word. Reads the text's beginning. */
export function meaningOf(text: string): string {
  if (embedMeaning(scan(text, scanned), vector) === 0) return '';
  let most = 0;
  for (const x of vector) most = Math.max(most, Math.abs(x));
  return String.fromCharCode(...Array.from(vector, (x) => ZERO + Math.round((x / most) * STEPS)));
}

/** 0 where either is ''. */
export function cosine(a: string, b: string): number {
  if (a === '' || b === '') return 0;
  let [product, left, right] = [0, 0, 0];
  for (let i = 0; i < MEANING_DIMS; i += 1) {
    const [x, y] = [a.charCodeAt(i) - ZERO, b.charCodeAt(i) - ZERO];
    product += x * y;
    left += x * x;
    right += y * y;
  }
  return product / Math.sqrt(left * right);
}
