// Writes the golden snapshot of the current format: node dist/test/session/make-golden-snapshot.js DIR. Run once per format and
// build; the old ones stay.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryStore } from '../../src/journal/index.js';
import { foldState } from '../../src/session/load.js';
import { bodyOf, openBody, stateHash } from '../../src/session/snapshot/body.js';
import { packed, SNAPSHOT_FORMAT } from '../../src/session/snapshot/container.js';
import { VERSION } from '../../src/version.js';
import { converse } from '../model/conversations.js';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: make-golden-snapshot.js DIR');
// A conversation that has much of what a state can hold, and no text that is kept elsewhere.
for (let seed = 1; ; seed += 1) {
  const store = new MemoryStore();
  await converse(seed, 20, store);
  const state = await foldState(store, { tenant: 'default', session: 's' });
  const rich = state.ledger.size > 5 && state.handles.size > 0 && state.tools !== undefined;
  const body = bodyOf(state);
  if (!rich || openBody(body).blobs.length > 0) continue;
  const name = join(folder, `snapshot-${SNAPSHOT_FORMAT}-${VERSION}`);
  const bytes = await packed(body);
  writeFileSync(`${name}.bin`, bytes);
  writeFileSync(`${name}.txt`, `${SNAPSHOT_FORMAT} ${VERSION} ${stateHash(state)}\n`);
  console.log(`seed ${seed}, ${bytes.length} bytes`);
  break;
}
