// Writes the golden journals of the current format: node dist/test/journal/make-golden.js DIR. Run once per format version.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  type ChainHead,
  chain,
  detach,
  exportJsonl,
  GENESIS,
  type Payload,
  SqliteStore,
} from '../../src/journal/index.js';
import { RawJson } from '../../src/json/index.js';
import { key } from './kit.js';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: make-golden.js DIR');
const file = join(folder, 'v1.db');
const cyclic: Payload = {};
cyclic['self'] = cyclic;
const events: [type: string, turn: number, payload: Payload, observed?: boolean][] = [
  ['session.opened', 0, { format: 'anthropic', model: 'm', _meta: { source: 'client', agent_id: 'main' } }],
  ['io.input', 0, { id: 'm1', message: '{"role":"user","content":"Grüße 𝄞 \\ud800"}' }],
  ['llm.request', 0, { hash: 'ab', exact: new RawJson('{"temperature":1.0,"seed":12345678901234567890}') }],
  [
    'tool.result',
    1,
    { id: 'm2', text: 'the same long text '.repeat(400), _meta: { parent_seq: 3, side_effect: true } },
  ],
  ['tool.result', 1, { id: 'm3', text: 'the same long text '.repeat(400), odd: `\ud800${'x'.repeat(3000)}` }],
  ['memory.curated', 2, { layer: 'L2', sections_touched: [], $blob: 'not one of ours' }, true],
  ['memory.curated', 2, { layer: 'L3', pretty: new RawJson('{\n  "a": 1\n}') }, false],
  ['agent.turn.end', 2, cyclic],
];
const store = await SqliteStore.open(file, { now: 1_700_000_000_000 });
let head: ChainHead = GENESIS;
for (const [type, turn, given, observed] of events) {
  const { payload, blobs } = detach(given);
  const fields = { seq: head.seq + 1, ts: 1_700_000_000_000 + head.seq * 1000, type, turn, payload };
  const record = chain(head, observed === undefined ? fields : { ...fields, observed });
  store.append(key('golden'), head.seq, [record], blobs);
  head = record;
}
store.setMeta(key('golden'), { model: 'm' });
store.saveSnapshot(key('golden'), head.seq, head.hash, new Uint8Array([1, 2, 3]));
await store.flush('sync');
const lines: string[] = [];
for await (const line of exportJsonl(store, key('golden'))) lines.push(line);
await store.rewind(key('golden'), 5, '2023-11-14T22-13-20Z');
await store.restore(key('golden'), '2023-11-14T22-13-20Z', '2023-11-15T00-00-00Z');
await store.close();
writeFileSync(join(folder, 'v1.jsonl'), `${lines.join('\n')}\n`);
writeFileSync(join(folder, 'v1.db.gz'), gzipSync(readFileSync(file), { level: 9 }));
rmSync(file);
