// The conformance checker of PROVIDERS.md: (request, provider profile, earlier requests) -> violations. Pure.
import { type Obj, objs } from '../types.js';
import { anthropicContent } from './anthropic-content.js';
import { anthropicPairs } from './anthropic-pairs.js';
import { anthropicRequestRules, systemStays } from './anthropic-request.js';
import { boundThinking } from './bound-thinking.js';
import { chatRules } from './chat.js';
import type { RuleProfile } from './profile.js';
import { responsesRules } from './responses.js';
import { textRules, toolRules } from './text.js';
import type { Violation } from './violation.js';

/** A final assistant message may be empty (PV-A17): the strict reading of the failure cases keeps it apart. */
const ALLOWED = new Set(['EMPTY_FINAL']);

/** Every violation of the rules a server can check. `earlier`: requests of the same session, oldest first. */
export function checkRequest(request: Obj, p: RuleProfile, earlier: readonly Obj[] = []): Violation[] {
  const shared = [...textRules(request), ...toolRules(request['tools'])];
  if (p.api === 'openai-chat') return [...shared, ...chatRules(request, p)];
  if (p.api === 'openai-responses') return [...shared, ...responsesRules(request, p)];
  const list = objs(request['messages']);
  const own = [
    ...anthropicContent(list, p),
    ...anthropicPairs(list),
    ...anthropicRequestRules(request, p),
  ].filter((v) => !ALLOWED.has(v.rule));
  const bound = p.modelClass === 'AB' ? boundThinking(request, earlier) : [];
  return [...shared, ...own, ...systemStays(request, earlier), ...bound];
}
