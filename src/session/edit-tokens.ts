// Tokens that edits of one stored message change, on top of the edits that stand there already.

import { applyEdits, type TextEdit } from '../json/index.js';
import { Native } from '../json/native.js';
import { tokensChanged } from '../tokens/edit-tokens.js';
import { combine, measureMessage } from '../tokens/request-count.js';
import { readHinted } from './hints.js';
import type { Session } from './session.js';

/** @param edits of stored message `at`, in its own coordinates */
export function tokensWith(session: Session, at: number, edits: readonly TextEdit[]): number {
  const { state, profile } = session;
  const { native, reading, hint } = state.messages[at]!;
  const standing = state.ledger.editsOf(at, session.projection.projected).filter((e) => 'path' in e);
  const read = (with_: readonly TextEdit[]) =>
    readHinted(state.spec, new Native(applyEdits(native.text, with_)), hint?.media);
  return tokensChanged(
    standing.length === 0 ? reading : read(standing as TextEdit[]),
    read([...(standing as TextEdit[]), ...edits]),
    profile.image,
    (text) => session.countShort(text),
  );
}

/** Tokens of a message of ours, its overhead included. */
export function tokensOf(session: Session, json: string): number {
  const measure = measureMessage(session.state.spec.read(new Native(json)), session.profile.image);
  return combine(
    measure,
    measure.texts.map((text) => session.countShort(text)),
  ).tokens;
}
