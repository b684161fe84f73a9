// Replays one session of a journal file with everything that could decide anew made to throw: modules by hooks, clock, chance
// and network here. Prints what journal.replay answers. Run by replay.test.ts: node only-decisions.js FILE TENANT SESSION.
import { register } from 'node:module';

register('./only-decisions-hooks.js', import.meta.url);
const { SqliteStore } = await import('../../src/journal/index.js');
const { replay } = await import('../../src/session/commands/replay.js');

const forbid = (what: string) => () => {
  throw new Error(`a replay must not ask for ${what}`);
};
const [path, tenant, session] = process.argv.slice(2) as [string, string, string];
const store = await SqliteStore.open(path);
Date.now = forbid('the time');
performance.now = forbid('the time');
Math.random = forbid('chance');
globalThis.fetch = forbid('the network');
const done = await replay(store, { tenant, session });
process.stdout.write(`${JSON.stringify(done)}\n`);
await store.close();
