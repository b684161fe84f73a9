// The task kinds the pool ships with. Imported for its effect by the worker's entry and by the pool (inline runs).
import { fallbackCount } from '../../native/index.js';
import { planClearing } from '../curation/clearing-plan.js';
import '../summary/task.js';
import { registerTask } from './registry.js';
import { similarities } from './vectors.js';

/** Rows a round trip's 15 us pay for: the plan takes about 3 ns a row. */
const INLINE_ROWS = 4096;
/** Multiplications a round trip pays for. */
const INLINE_PRODUCTS = 8192;

registerTask('plan_clearing', { run: planClearing, inline: (columns) => columns.n <= INLINE_ROWS });
// The reference is slow, and loads a vocabulary on first use: never on the thread of the sockets.
registerTask('count_fallback', {
  run: ({ texts, encoding }) => ({ counts: texts.map((t) => fallbackCount(t, encoding)) }),
});
registerTask('similarity', {
  run: similarities,
  inline: ({ dims, vectors }) =>
    (vectors instanceof Float32Array ? vectors.length : vectors.length * dims) <= INLINE_PRODUCTS,
});
