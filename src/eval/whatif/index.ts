// The door of whatif: logs in, report out.
export { type JudgeOptions, judge } from './judge.js';
export { Judges } from './judges.js';
export { type PackedSession, packSession, unpackSession } from './packed.js';
export { promptOf, type Totals, WHATIF_PRESETS, type WhatIfReport } from './report.js';
export { type WhatIfOptions, whatIf } from './whatif.js';
