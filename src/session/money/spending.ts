// What the main requests of a session have cost, as they went out and as they would have uncurated: the account that
// bounds what an edit may lose. Counted by the prefix rule: what did not change is read, the rest is written.

import type { KnownPrefix } from '../../curation/known-prefix.js';
import {
  inputUnits,
  NO_SPENDING,
  outputUnits,
  pauseClass,
  type Spending,
  wasCold,
} from '../../economics/index.js';
import { rawTokens, requestTokens, sectionTokens } from '../request/sections.js';
import type { Session } from '../session.js';
import type { Spent } from '../state/spent.js';
import type { SessionState } from '../state/state.js';

/** Another model counts in another currency: a new account, which keeps the bound by itself. */
export function spentOf(state: SessionState): Spending {
  return state.spent?.model === state.model ? state.spent : NO_SPENDING;
}

/** The account with the request that goes out now. O(1). @param at start of the request, epoch ms */
export function spendingWith(session: Session, prefix: KnownPrefix, at: number): Spent {
  const { state, settings } = session;
  const overhead = settings.curated.fixedOverheadTokens;
  const rendering = session.projection;
  rendering.sync(state);
  const raw = rawTokens(state, overhead);
  const view = requestTokens(state, rendering, overhead);
  const before = state.spent?.model === state.model ? state.spent : undefined;
  const tariff = session.tariff(at);
  // Unknown counts as warm: what is saved is never taken for more than it is.
  const warm = before === undefined ? 0 : prefix.known ? 1 - prefix.cold : 1;
  const hour = prefix.known && prefix.hour;
  const reads = {
    off: state.staticChanged ? 0 : Math.min(before?.raw ?? 0, raw),
    curated: Math.min(before?.view ?? 0, unchangedTokens(session, view)),
  };
  return {
    model: state.model,
    off: (before?.off ?? 0) + inputUnits(tariff, raw, warm * reads.off, hour),
    curated: (before?.curated ?? 0) + inputUnits(tariff, view, warm * reads.curated, hour),
    raw,
    view,
    reads,
    warm,
    ...(prefix.known && prefix.pause !== undefined ? { pause: prefix.pause } : {}),
  };
}

/** What a report adds to the account: the answer's price, and after a pause whether the cache was still there. */
export interface Reported {
  _spent?: Spent;
  _pause?: { length: number; cold: boolean };
}

/** @param at as of the request, epoch ms */
export function withReport(
  session: Session,
  usage: { cached: number; prompt: number; output: number },
  at: number,
): Reported {
  const { state } = session;
  const { spent } = state;
  if (spent === undefined || spent.model !== state.model) return {};
  const tariff = session.tariff(at);
  const { reads, view, raw } = spent;
  // The same answer follows either request; it is dearer only where the longer one is in a dearer tier.
  const answer = outputUnits(tariff, view, usage.output);
  const told = { ...spent, off: spent.off + answer, curated: spent.curated + answer };
  const length = spent.pause === undefined ? 0 : pauseClass(spent.pause);
  if (length === 0 || reads.curated < tariff.rules.minTokens) return { _spent: told };
  const cold = wasCold(reads.curated, usage, view);
  const warm = cold ? 0 : 1;
  const change = (tokens: number, read: number): number =>
    inputUnits(tariff, tokens, warm * read) - inputUnits(tariff, tokens, spent.warm * read);
  told.off += change(raw, reads.off);
  told.curated += change(view, reads.curated);
  return { _pause: { length, cold }, _spent: { ...told, warm } };
}

/** Leading tokens of the request that the last one had as well. */
function unchangedTokens(session: Session, view: number): number {
  const { state, projection } = session;
  const list = projection.projected ? state.toolListObserved : state.toolList;
  if (state.staticChanged || list.changed) return 0;
  const dirty = projection.projected ? state.dirtyObserved : state.dirtyFrom;
  if (!Number.isFinite(dirty)) return view;
  return sectionTokens(state, projection).static + projection.tokensBetween(-1, dirty);
}
