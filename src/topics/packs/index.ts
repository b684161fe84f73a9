// All phrase packs.

import { DE, FR } from './de-fr.js';
import { JA, KO, RU, ZH } from './east.js';
import { EN } from './en.js';
import type { Pack } from './pack.js';
import { ES, IT, PT } from './romance.js';

export type { Pack } from './pack.js';
export const PACKS: readonly Pack[] = [EN, DE, FR, ES, PT, IT, ZH, JA, KO, RU];
