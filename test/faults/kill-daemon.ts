// The daemon that F44 kills, whole. It loads everything, says so, and begins at a word on stdin: so that the next one is loaded
// while this one still serves. Argument: the home folder.
import { writeSync } from 'node:fs';
import { startDaemon } from '../../src/daemon.js';
import { resolvePaths } from '../../src/paths.js';

process.stdin.once('data', async () => {
  await startDaemon({
    paths: resolvePaths({}, process.argv[2]),
    port: false,
    logLevel: 'error',
    // Sessions leave memory between two calls, and some leave snapshots: kills meet those too.
    limits: { park_ms: 100, snapshot_events: 4 },
  });
  writeSync(1, 'listening\n');
});
process.stdin.once('end', () => process.exit(0));
writeSync(1, 'loaded\n');
