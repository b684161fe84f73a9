// Seals the data folder of a home and is killed at a step: node seal-step.js HOME KEY-HEX STEP.

import { sealData } from '../../src/cli/seal-data.js';
import { resolvePaths } from '../../src/paths.js';

const [home, key, at] = process.argv.slice(2) as [string, string, string];
sealData(resolvePaths({}, home), Buffer.from(key, 'hex'), {
  step: (step) => {
    if (step === at) process.kill(process.pid, 'SIGKILL');
  },
});
