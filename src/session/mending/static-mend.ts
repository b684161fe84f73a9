// What of the static section is mended rather than refused: nothing that the host says is changed by it.

import type { Format } from '../../providers/types.js';
import { str } from '../../providers/values.js';
import type { Draft } from '../commit.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import type { SessionState } from '../state/state.js';

/** A prompt that says nothing is none: as the first message of a chat it would be refused. */
export function isNoPrompt(format: Format, prompt: unknown): boolean {
  if (format !== 'openai-chat' || prompt === undefined) return false;
  return Array.isArray(prompt) ? prompt.every((b) => str(b, 'text') === '') : prompt === '';
}

/**
 * A list that names no tool is none: OpenAI refuses it, and `tool_choice` and `parallel_tool_calls` beside it. Anthropic takes
 * it. Journalled once; what was given stays stored. O(1).
 */
export function mendStatic({ state, settings }: Session, draft: Draft): void {
  if (settings.mode !== 'enforce' || state.format === 'anthropic') return;
  if (isNoPrompt(state.format, state.system?.native.value)) {
    draft.push(event('session.system', { text: null, tokens: 0, features: [] }));
    tell(state, draft, 'system');
  }
  if (!state.toolList.isEmpty || state.toolList.text() === undefined) return;
  draft.push(
    event('session.repaired', {
      what: 'an empty list of tools is none: send neither tool_choice nor parallel_tool_calls with it',
      rule: 'PV-A45',
      no_tools: true,
    }),
  );
  tell(state, draft, 'tools');
}

/** What stands before everything was sent as it was. */
function tell(state: SessionState, draft: Draft, part: string): void {
  if (state.sent.requests === 0) return;
  draft.push(
    event('memory.curated', {
      layer: 'repair',
      sections_touched: [{ section_id: `curated.repair/${part}`, kind: 'session', tokens_delta: 0 }],
      cache_invalidates: true,
      at_turn: state.turn,
      first_message: 0,
      recache_tokens: 0,
      reason: 'rules',
      forced: true,
    }),
  );
}
