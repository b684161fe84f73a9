// The table of all handlers. A method without one is answered UNSUPPORTED.

import { COMPACTION_CALLS } from './compaction-calls.js';
import type { Handlers } from './context.js';
import { CONTEXT_CALLS } from './context-calls.js';
import { DURABLE_CALLS } from './durable-calls.js';
import { JOURNAL_CALLS } from './journal-calls.js';
import { READ_CALLS } from './read-calls.js';
import { RECALL_CALLS } from './recall-calls.js';
import { SESSION_CALLS } from './session-calls.js';
import { TOOL_CALLS } from './tool-calls.js';
import { TURN_CALLS } from './turn-calls.js';

export const HANDLERS: Handlers = {
  ...SESSION_CALLS,
  ...TURN_CALLS,
  ...READ_CALLS,
  ...JOURNAL_CALLS,
  ...RECALL_CALLS,
  ...CONTEXT_CALLS,
  ...DURABLE_CALLS,
  ...TOOL_CALLS,
  ...COMPACTION_CALLS,
};
