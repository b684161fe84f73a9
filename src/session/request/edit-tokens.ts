// Tokens that edits of one stored message change, on top of the edits that stand there already.

import { applyEdits, sliceIn, type TextEdit } from '../../json/index.js';
import { Native } from '../../json/native.js';
import type { Native as AnyNative, Reading } from '../../providers/types.js';
import { tokensChanged } from '../../tokens/edit-tokens.js';
import { combine, measureMessage } from '../../tokens/request-count.js';
import { readHinted } from '../intake/hints.js';
import type { Session } from '../session.js';
import type { MediaHint } from '../state/events.js';

/** Messages with more parts than this have edits of one block counted in that block alone. */
const FEW_PARTS = 8;

/** @param edits of stored message `at`, in its own coordinates */
export function tokensWith(session: Session, at: number, edits: readonly TextEdit[]): number {
  const { state } = session;
  const { native, reading, hint } = state.messages[at]!;
  const standing = state.ledger
    .editsOf(at, session.projection.projected)
    .filter((e) => 'path' in e) as TextEdit[];
  if (reading.parts.length > FEW_PARTS && hint?.media === undefined) {
    const block = blockOf(edits);
    const text = block === undefined ? undefined : sliceIn(native, ['content', block]);
    if (text !== undefined) {
      const alone = `{"role":${JSON.stringify(reading.role)},"content":[${text}]}`;
      return changed(session, new Native(alone), inBlock(standing, block!), inBlock(edits, block!));
    }
  }
  return changed(session, native, standing, edits, { reading, media: hint?.media });
}

function changed(
  session: Session,
  native: AnyNative,
  standing: readonly TextEdit[],
  edits: readonly TextEdit[],
  whole?: { reading: Reading; media: readonly MediaHint[] | undefined },
): number {
  const read = (with_: readonly TextEdit[]) =>
    readHinted(session.state.spec, new Native(applyEdits(native.text, with_)), whole?.media);
  const before = whole !== undefined && standing.length === 0 ? whole.reading : read(standing);
  return tokensChanged(before, read([...standing, ...edits]), session.profile.image, (text) =>
    session.countShort(text),
  );
}

/** The one block of a message's content that all edits are about; undefined where they move blocks or name several. */
function blockOf(edits: readonly TextEdit[]): number | undefined {
  const block = edits[0]?.path[1];
  if (typeof block !== 'number') return undefined;
  return edits.every((e) => isInBlock(e, block)) ? block : undefined;
}

function isInBlock({ op, path }: TextEdit, block: number): boolean {
  return path[0] === 'content' && path[1] === block && (path.length > 2 || op === 'set' || op === 'remove');
}

/** Those of the edits that are about a block, as edits of a message that holds nothing else. */
function inBlock(edits: readonly TextEdit[], block: number): TextEdit[] {
  return edits
    .filter((e) => isInBlock(e, block))
    .map((e) => ({ ...e, path: ['content', 0, ...e.path.slice(2)] }));
}

/** Tokens of a message of ours, its overhead included. */
export function tokensOf(session: Session, json: string): number {
  const measure = measureMessage(session.state.spec.read(new Native(json)), session.profile.image);
  return combine(
    measure,
    measure.texts.map((text) => session.countShort(text)),
  ).tokens;
}
