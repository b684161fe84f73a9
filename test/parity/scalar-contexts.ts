// Every Unicode scalar value in contexts that reach every branch of the split patterns.
import assert from 'node:assert/strict';
import { attach, type BuiltInEncoding as Encoding } from '../../native/index.js';
import { expected } from './oracle.js';

const CONTEXTS: readonly ((c: string) => string)[] = [
  (c) => c,
  (c) => `a${c}b`,
  (c) => ` ${c}x`,
  (c) => `${c}'s${c}`,
  (c) => `1${c}23`,
  (c) => `(${c}\n/`,
  (c) => `${c}${c} ${c}`,
  (c) => `A${c}B'${c}`,
  (c) => `\t${c}\u0301c`,
  (c) => `中${c}文 \n ${c}`,
];

/** Scalar values of one comparison. Few enough that two errors hardly cancel, enough to pay for the call. */
const BATCH = 16;

/** Compares counts over all 1,112,064 values; fails naming the first value and context that differ. */
export function compareScalars(encoding: Encoding): number {
  const tokenizer = attach();
  let values = 0;
  CONTEXTS.forEach((context, number) => {
    let batch: string[] = [];
    const check = () => {
      const text = batch.map(context).join('\nq\n');
      if (tokenizer.count(text, encoding) !== expected(text, encoding)) {
        const bad = batch.find(
          (c) => tokenizer.count(context(c), encoding) !== expected(context(c), encoding),
        );
        const point = (bad ?? batch[0]!).codePointAt(0)!.toString(16);
        assert.fail(
          `U+${point} in context ${number} (${encoding})${bad === undefined ? ' or one after it' : ''}`,
        );
      }
      values += batch.length;
      batch = [];
    };
    for (let c = 0; c < 0x110000; c++) {
      if (c === 0xd800) c = 0xe000;
      batch.push(String.fromCodePoint(c));
      if (batch.length === BATCH) check();
    }
    check();
  });
  tokenizer.dispose();
  return values / CONTEXTS.length;
}
