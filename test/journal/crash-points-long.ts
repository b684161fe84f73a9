// The long form of the crash points: node dist/test/journal/crash-points-long.js [points=1000000] [seed=1]
import { crashPoints } from './crash-model.js';

const points = Number(process.argv[2] ?? 1_000_000);
const seed = Number(process.argv[3] ?? 1);
const from = performance.now();
const crashes = crashPoints(points, seed);
console.log(
  `${crashes} crash points from seed ${seed} in ${Math.round((performance.now() - from) / 1000)} s: nothing lost, nothing invented`,
);
