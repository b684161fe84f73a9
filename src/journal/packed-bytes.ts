// Groups of records as bytes, for the redo log.
import { Packr } from 'msgpackr';
import { CELLS, type Cell, type PackedGroup } from './packed.js';

const packr = new Packr({ useRecords: false });

type Flat = [tenant: string, session: string, expectedSeq: number, prev: string, cells: Cell[]];

/** Valid until the next call. Groups of live journals alone: an archive is never appended to. */
export function groupsOut(groups: readonly PackedGroup[]): Uint8Array {
  return packr.pack(
    groups.map(({ key, expectedSeq, prev, cells }) => [key.tenant, key.session, expectedSeq, prev, cells]),
  );
}

/** Throws where the bytes are no groups. */
export function groupsIn(bytes: Uint8Array): PackedGroup[] {
  const flat = packr.unpack(bytes) as Flat[];
  return flat.map(([tenant, session, expectedSeq, prev, cells]) => {
    if (cells.length % CELLS !== 0) throw new Error('records of another shape');
    return { key: { tenant, session }, expectedSeq, prev, cells };
  });
}
