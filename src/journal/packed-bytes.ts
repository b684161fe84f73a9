// Groups of records as bytes, for the redo log and the way to the engine's thread.
import { Packr } from 'msgpackr';
import { CELLS, type Cell, type PackedGroup } from './packed.js';

const packr = new Packr({ useRecords: false });
/** Written over by each call; what does not fit gets a buffer of its own. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

type Flat = [tenant: string, session: string, expectedSeq: number, prev: string, cells: Cell[]];

/** In a buffer of their own, which is all that crosses a thread. Groups of live journals alone: an archive is never appended to. */
export function groupsOut(groups: readonly PackedGroup[]): Uint8Array {
  const flat = groups.map(({ key, expectedSeq, prev, cells }) => [
    key.tenant,
    key.session,
    expectedSeq,
    prev,
    cells,
  ]);
  packr.useBuffer(scratch);
  return new Uint8Array(packr.pack(flat));
}

/** Throws where the bytes are no groups. */
export function groupsIn(bytes: Uint8Array): PackedGroup[] {
  const flat = packr.unpack(bytes) as Flat[];
  return flat.map(([tenant, session, expectedSeq, prev, cells]) => {
    if (cells.length % CELLS !== 0) throw new Error('records of another shape');
    return { key: { tenant, session }, expectedSeq, prev, cells };
  });
}
