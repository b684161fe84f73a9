// Tools that no active layer answers for any more come back: after a change of the configuration nobody else would ever
// restore them.

import { planned } from '../../curation/decisions.js';
import { hasBoundThinking } from '../../curation/tools/legal.js';
import { DISCOVER } from '../../curation/tools/tool-classes.js';
import { PLUGIN_IDS } from '../../settings/index.js';
import type { Draft } from '../commit.js';
import type { Session } from '../session.js';
import type { NewEvent } from '../state/events.js';

export function releaseTools(session: Session, draft: Draft): void {
  const { state, settings } = session;
  const list = state.toolList;
  const { active, plugins } = settings;
  const enforced = settings.mode === 'enforce';
  const prunes = enforced && active.has(PLUGIN_IDS.toolDefPruner) && plugins.toolDefPruner.enabled;
  const discovers = enforced && active.has(PLUGIN_IDS.progressive);
  const pruned = prunes ? [] : [...list.pruned.keys()];
  const veiled = discovers ? [] : [...list.hidden].filter((key) => !list.pruned.has(key));
  const own = !discovers && list.hasOwn(DISCOVER) ? [DISCOVER] : [];
  if (pruned.length + veiled.length + own.length === 0 || isBound(session)) return;
  const listed = new Map(list.catalog.map((t) => [t.key, t]));
  for (const key of pruned) {
    const event = planned('memory.tool_def_restored', {
      tool_id: key,
      last_used_turn: state.toolFacts.invoked.get(key) ?? state.toolFacts.seen.get(key) ?? state.turn,
      definition_size: listed.get(key)?.bytes ?? 0,
      reason: 'config',
      _show: [key],
    });
    draft.push(event as NewEvent);
  }
  envelope(session, draft, 'tool_def_pruner', PLUGIN_IDS.toolDefPruner, pruned, {});
  envelope(session, draft, 'progressive', PLUGIN_IDS.progressive, [...veiled, ...own], {
    _show: veiled,
    _hide: own,
  });
}

function envelope(
  session: Session,
  draft: Draft,
  layer: string,
  id: string,
  keys: readonly string[],
  fields: { _show?: string[]; _hide?: string[] },
): void {
  if (keys.length === 0) return;
  const { state } = session;
  const event = planned('memory.curated', {
    layer,
    sections_touched: keys.map((key) => ({
      section_id: `${id}/${key}`,
      kind: 'session',
      tokens_delta: (fields._hide?.includes(key) ? -1 : 1) * state.toolList.tokens(key),
    })),
    cache_invalidates: state.sent.requests > 0,
    at_turn: state.turn,
    first_message: 0,
    reason: 'config',
    ...fields,
  });
  draft.push(event as NewEvent);
}

/** What was thought is bound to the list as it is (PV-A25). */
function isBound({ state, profile }: Session): boolean {
  return hasBoundThinking({
    profile,
    messages: state.messages,
    isDropped: (at) => state.ledger.isDropped(at),
  });
}
