// The request in the form in which a host asks for it: whole, or as what differs from what it holds. Pure.

import type { RawJson } from '../../json/index.js';
import type { Params } from '../../protocol/methods.js';
import type { SessionState } from '../state/state.js';
import type { EditLog } from './edit-log.js';
import { type Patch, patchOf } from './patch.js';
import { patchFrom } from './patch-from.js';
import type { Rendering } from './rendering.js';
import { requestJson, requestText } from './view.js';

/** The form in which the request is asked for. */
export type Form = Pick<Params<'llm.prepare'>, 'return' | 'base'>;

export interface RequestBody {
  request?: RawJson;
  patch?: Patch;
}

/** A session as far as its request goes. */
export interface Outgoing {
  readonly state: SessionState;
  readonly rendering: Rendering;
  readonly edits: EditLog;
}

export function body({ state, rendering, edits }: Outgoing, form: Form): RequestBody {
  const { lastAnswer } = rendering;
  if (form.return === 'patch' && form.base === undefined) return { patch: patchOf(state, rendering, edits) };
  // An answer that is not held any more cannot be told by its differences: the whole request is right for every base.
  if (form.return === 'patch' && lastAnswer !== undefined && lastAnswer.hash === form.base)
    return { patch: patchFrom(lastAnswer, state, rendering) };
  return { request: requestJson(requestText(state, rendering)) };
}
