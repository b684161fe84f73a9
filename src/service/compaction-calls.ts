// Handlers around compaction: memory.compact, approval.respond, llm.error.

import { CuratedError } from '../errors.js';
import type { Params } from '../protocol/index.js';
import { prepare } from '../session/commands/prepare.js';
import type { Cycle, CycleKind } from '../session/condense/cycle.js';
import type { Session } from '../session/session.js';
import { event } from '../session/state/events.js';
import { newGateRun, weightsOf } from '../session/window/gate.js';
import { PLUGIN_IDS } from '../settings/index.js';
import { isOverflow, isOverflowStop } from '../summary/retryable.js';
import type { Handlers } from './context.js';
import { heldCall } from './held-call.js';
import { withRequest } from './recorded-request.js';

export const COMPACTION_CALLS: Handlers = {
  'memory.compact': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    const { compactor } = actor;
    let begun: Cycle | undefined;
    try {
      const started = await actor.write(
        { holder: caller, command: 'write', method: 'memory.compact', level: 'ack' },
        (draft) => {
          const { session } = actor;
          const { state, settings } = session;
          // One that runs goes on; an empty log has nothing to condense; a session that is not curated stays as it is.
          if (compactor.cycle !== undefined || state.messages.length === 0 || settings.mode !== 'enforce')
            return false;
          const kind = kindOf(session, p.target);
          const reason = p.reason ?? 'requested';
          draft.push(
            event('memory.compact.request', {
              reason,
              ...(p.target === undefined ? {} : { target: p.target }),
            }),
          );
          const { compaction, summaryBuffer } = settings.plugins;
          const tail = kind === 'summary' ? summaryBuffer.maxRecent : compaction.protectRecent;
          const pending = p.pending === undefined ? state.pending : new Set(p.pending);
          begun = compactor.begin(draft, { kind, reason, origin: 'host', tail, pending });
          if (begun === undefined) {
            draft.push(event('memory.compaction.failed', { reason: 'nothing_to_summarise' }));
          }
          return true;
        },
      );
      if (begun !== undefined) compactor.launch(begun);
      return { started };
    } catch (e) {
      if (begun !== undefined) compactor.abandon(begun);
      throw e;
    }
  },

  'approval.respond': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    return { accepted: actor.compactor.respond(p.request, p.decision) };
  },

  'llm.error': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    const { session } = actor;
    // The provider's word was taken in with the first try: the same call again is answered from what is recorded.
    const repeated = p.key !== undefined && session.state.keys.has(p.key);
    const told = errorOf(p.error);
    const overflow = isOverflow(told.message, told.type) || isOverflowStop(p.stop_reason);
    const again =
      repeated ||
      (await actor.write({ holder: caller, command: 'write', method: 'llm.error', level: 'ack' }, (draft) => {
        const { recovering, sent } = session.state;
        draft.push(
          event('llm.error', {
            message: told.message,
            overflow,
            ...(told.status === undefined ? {} : { status: told.status }),
            ...(p.delivered === undefined ? {} : { delivered: p.delivered }),
          }),
        );
        return overflow && p.delivered !== true && !recovering && sent.requests > 0;
      }));
    if (!again) throw original(session, told, overflow);
    // What has come since the last request is in it, whether or not anybody has looked.
    session.rendering.sync(session.state);
    const before = session.rendering.digest(undefined, undefined);
    const run = { ...newGateRun(actor.compactor), overflow: 'refused' as const };
    const params = { session: p.session, task_kind: 'gate_retry', pending: [...session.state.pending] };
    try {
      const result = await heldCall(caller, actor, rooms, {
        method: 'llm.error',
        key: p.key,
        params: p,
        run,
        body: (draft) => prepare(session, params, draft, run),
      });
      if (repeated) return withRequest(actor, result, {}, rooms);
      // The same request would overflow again.
      if (session.rendering.digest(undefined, undefined) === before) throw original(session, told, overflow);
      return result;
    } catch (e) {
      const tried =
        e instanceof CuratedError && (e.kind === 'CONTEXT_IRREDUCIBLE' || e.kind === 'SUMMARY_FAILED');
      throw tried ? original(session, told, overflow, e) : e;
    }
  },
};

/** L4-16: the target named, else layer 5, else layer 4. */
function kindOf(session: Session, target: string | undefined): CycleKind {
  const { active } = session.settings;
  if (target?.endsWith('summary_buffer')) return 'summary';
  if (target?.endsWith('compaction')) return 'compaction';
  const only = active.has(PLUGIN_IDS.summaryBuffer) && !active.has(PLUGIN_IDS.compaction);
  return only && !active.has(PLUGIN_IDS.contextWindow) ? 'summary' : 'compaction';
}

interface Told {
  message: string;
  type?: string;
  status?: number;
}

/** The provider's error in whatever shape the agent had it. */
function errorOf(error: Params<'llm.error'>['error']): Told {
  if (typeof error === 'string') return { message: error };
  const outer = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const inner = (
    typeof outer['error'] === 'object' && outer['error'] !== null ? outer['error'] : outer
  ) as Record<string, unknown>;
  const status = [outer['status'], outer['status_code'], inner['status']].find((s) => typeof s === 'number');
  const type = [inner['type'], inner['code']].find((s) => typeof s === 'string');
  const text = [inner['message'], outer['message']].find((s) => typeof s === 'string');
  return {
    message: [text ?? JSON.stringify(error), inner['code']].filter((s) => typeof s === 'string').join(' '),
    ...(type === undefined ? {} : { type: String(type) }),
    ...(status === undefined ? {} : { status: Number(status) }),
  };
}

/** The provider's own error, typed: what the agent would have seen without us, and of an overflow what is too long. */
function original(session: Session, told: Told, overflow: boolean, cause?: unknown): CuratedError {
  if (overflow) session.rendering.sync(session.state);
  const weights = overflow && session.rendering.pieces.length > 0 ? weightsOf(session) : {};
  return new CuratedError(overflow ? 'CONTEXT_IRREDUCIBLE' : 'UNSUPPORTED', told.message, {
    detail: {
      provider_error: told,
      overflow,
      ...weights,
      ...(cause instanceof CuratedError ? { cause: cause.detail ?? cause.message } : {}),
    },
  });
}
