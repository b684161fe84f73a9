// What of the static section is mended rather than refused: nothing that the host says is changed by it.

import type { Draft } from './commit.js';
import { event } from './events.js';
import type { Session } from './session.js';

/**
 * A list that names no tool is none: OpenAI refuses it, and `tool_choice` and `parallel_tool_calls` beside it. Anthropic takes
 * it. Journalled once; what was given stays stored. O(1).
 */
export function mendStatic({ state, settings }: Session, draft: Draft): void {
  if (settings.mode !== 'enforce' || state.format === 'anthropic') return;
  if (!state.toolList.isEmpty || state.toolList.text() === undefined) return;
  draft.push(
    event('session.repaired', {
      what: 'an empty list of tools is none: send neither tool_choice nor parallel_tool_calls with it',
      rule: 'PV-A45',
      no_tools: true,
    }),
  );
}
