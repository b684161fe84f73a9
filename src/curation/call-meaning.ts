// What a call of a session does, told once: several layers ask, and its arguments never change.

import type { CallRecord } from './calls.js';
import { type CallMeaning, meaningOf } from './tool-semantics.js';

export function callMeaning(call: CallRecord): CallMeaning {
  call.meaning ??= meaningOf(call.tool, call.args);
  return call.meaning;
}
