// The door of whatif: logs in, report out.
export { type JudgeOptions, judge } from './judge.js';
export { playable } from './playable.js';
export { promptOf, type Totals, WHATIF_PRESETS, type WhatIfReport } from './report.js';
export { type WhatIfOptions, whatIf } from './whatif.js';
