// Native edits of a session (S-6, S-7): the request fields that ask for them, and what the provider's answers report.

import { readApplied } from '../../providers/native/applied.js';
import { checkFields } from '../../providers/native/check.js';
import { BETAS, type NativeFields } from '../../providers/native/fields.js';
import type { Draft } from '../commit.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';

/** Says once a session, model and configuration what was asked for and is not to be had. */
export function tellRefused(session: Session, draft: Draft): void {
  const key = session.state.format === 'anthropic' ? 'anthropic' : 'openai_responses';
  for (const { why } of session.native.plan.refused) {
    draft.push(event('session.notice', { path: `/config/curated/native/${key}`, text: why }));
  }
}

/** Fields for the answer of llm.prepare and for its event; nothing where no native edit is on. */
export function nativeFields(
  session: Session,
  tokens: number,
): { fields: Omit<NativeFields, 'betas'> & { betas?: string[] }; event: { native?: unknown } } {
  const { plan, forecast } = session.native;
  // A list with deferred tools needs its header for good, whatever the configuration says by now.
  const sticky = session.state.toolList.deferred.size > 0 ? [BETAS.toolChanges] : [];
  if (plan.edits.length === 0) return { fields: sticky.length === 0 ? {} : { betas: sticky }, event: {} };
  const { betas: own, ...rest } = plan.fields;
  const betas = [...new Set([...own, ...sticky])];
  const faults = checkFields(session.profile, plan.fields);
  // Our own settings compiled into something the provider refuses is a fault of ours: the request goes without.
  if (faults.length > 0) {
    session.deps.notice('native edits left out', { rule: faults[0]!.rule, path: faults[0]!.path });
    return { fields: {}, event: {} };
  }
  const predicted = plan.delegated.has('results')
    ? { predicted: forecast.of(session.state.calls, tokens) }
    : {};
  return {
    fields: { ...rest, ...(betas.length === 0 ? {} : { betas }) },
    event: { native: { edits: [...plan.edits], ...predicted } },
  };
}

/** The provider's report of what it edited, as decisions (S-7); the tokens that it took out of the last request. */
export function takeReport(session: Session, draft: Draft, report: unknown): number {
  const { state } = session;
  const applied = readApplied(state.format, report);
  if (applied === undefined) {
    draft.push(event('memory.diagnostic', { what: 'native_report_refused' }));
    return 0;
  }
  let cleared = 0;
  for (const edit of applied) {
    cleared += edit.cleared_input_tokens ?? 0;
    const { type: _, ...counts } = edit;
    const predicted = edit.type === 'clear_tool_uses_20250919' ? state.nativeSent?.predicted : undefined;
    draft.push(
      event('memory.native_edit', {
        ...counts,
        edit: edit.type,
        request: state.sent.requests,
        ...(predicted === undefined
          ? {}
          : { predicted, agrees: predicted.cleared_tool_uses === (edit.cleared_tool_uses ?? 0) }),
      }),
    );
  }
  const expected = state.nativeSent?.predicted?.cleared_tool_uses ?? 0;
  if (expected > 0 && !applied.some((e) => e.type === 'clear_tool_uses_20250919')) {
    const predicted = state.nativeSent!.predicted!;
    draft.push(
      event('memory.native_edit', {
        edit: 'clear_tool_uses_20250919',
        cleared_tool_uses: 0,
        cleared_input_tokens: 0,
        request: state.sent.requests,
        predicted,
        agrees: false,
      }),
    );
  }
  return cleared;
}

/** A choice of tools that the provider refuses (PV-A16) is the host's own field: it is told, once a session. */
export function tellForced(session: Session, draft: Draft, choice: unknown): void {
  if (choice == null || session.toldForced) return;
  const fault =
    session.state.toolList.text() === undefined
      ? { rule: 'PV-A16', message: 'tool_choice is only allowed where tools are listed' }
      : checkFields(session.profile, { tool_choice: choice })[0];
  if (fault === undefined) return;
  session.toldForced = true;
  draft.push(event('session.notice', { path: '/tool_choice', text: `${fault.rule}: ${fault.message}` }));
}
