// The one signature of all layers, and the composition's contract.

import type { LedgerEdit, Planned, SectionTouched } from './decisions.js';
import type { Survey } from './survey.js';

/** What carrying a candidate out writes: made only for those that are chosen. */
export interface Built {
  edits: LedgerEdit[];
  section: SectionTouched;
  /** The decision's own event; undefined when the envelope alone tells it. */
  event?: Planned;
  /** Tools that leave or join the list (keys of curation/tools/catalog). */
  hide?: readonly string[];
  show?: readonly string[];
  /** A tool of ours that joins the list. */
  own?: { key: string; text: string; tokens: number };
}

/** An edit that waits for neither boundary nor price: the list of tools grows (P-7), or nothing was sent yet. */
export interface AtOnce extends Built {
  /** As of a candidate. */
  at: number;
  /** What the last request carried stays as it is. */
  presend: boolean;
}

/** An edit that a layer offers; the stack decides whether it is made, by boundary and price. */
export interface Candidate {
  /** Stored message of the first touched byte; -1 when it stands before the messages (tools). */
  at: number;
  /** Tokens that go: before minus after. Of the right size; the built edit has the exact number. */
  frees: number;
  /** Tokens of what will stand in its place, about. */
  leaves: number;
  /** Main requests at the time when it became a candidate. */
  since: number;
  /** Never sent so far: needs no boundary and costs nothing in cache. */
  presend: boolean;
  /** What it touches: of several candidates with the same claim only the first layer's is made. */
  claim?: string;
  /** Only where the request would not fit without it. */
  lastResort?: boolean;
  /** No rule of a plugin asks for it: what is left as it is breaks none. */
  unasked?: boolean;
  /**
   * Undefined when it turns out not to shrink the request; several when they are one edit to the cache.
   * @param survey that of the run which chose it
   */
  build(survey: Survey): Built | readonly Built[] | undefined;
}

/** A decision to take back: the original stands in the request again. The layer has asked the price itself. */
export interface Restore {
  at: number;
  build(): Built;
}

export interface LayerPlan {
  readonly candidates: readonly Candidate[];
  readonly atOnce?: readonly AtOnce[];
  readonly restores?: readonly Restore[];
  /** Events that change no byte (a topic shift, a diagnostic). */
  readonly events?: readonly Planned[];
}

/** What most layers have to say at most calls. */
export const NOTHING: LayerPlan = { candidates: [] };

export interface Layer {
  /** As in events: `tool_result_clear`. */
  readonly name: string;
  /** Full plugin id: the first part of its section ids. */
  readonly id: string;
  /** What S-3 says of `cache_invalidates` where nothing is known of the provider's cache. */
  readonly invalidatesUnknown: boolean;
  plan(survey: Survey): LayerPlan;
}
