// What a layer may know of the tools: the host's list, what of it is listed, and what happened to each. Pure types.

import type { ToolEntry } from './catalog.js';

export interface ToolSurvey {
  /** The host's list, in its order. */
  readonly catalog: readonly ToolEntry[];
  /** Keys as the next request lists them. */
  readonly listed: readonly string[];
  /** Keys as the last main request listed them; undefined before the first. */
  readonly sent: readonly string[] | undefined;
  /** Turn in which layer 2 hid each hidden tool. */
  readonly pruned: ReadonlyMap<string, number>;
  /** All that is hidden, by layer 2 or by discovery. */
  readonly hidden: ReadonlySet<string>;
  /** Turn in which each tool was first in the host's list. */
  readonly seen: ReadonlyMap<string, number>;
  /** Turn of the newest call of each tool, calls inside other tools included. */
  readonly invoked: ReadonlyMap<string, number>;
  /** Turn in which a discover call last showed each tool. */
  readonly discovered: ReadonlyMap<string, number>;
  /** Tools that this request's tool_choice names. */
  readonly chosen: readonly string[];
  /** Declared as deferred (PV-A46): showing one changes no byte that was sent; what was shown so stays. */
  readonly deferred: ReadonlySet<string>;
  /** What is hidden now is to be declared as deferred. */
  readonly defers: boolean;
  /** A tool_choice other than `none` is given: some tool must be listed. */
  readonly mustList: boolean;
  /** A final turn has ended and no main request has followed yet. */
  readonly turnBoundary: boolean;
  /** What an earlier layer of this pass takes out, or will: no other layer's business. */
  readonly claimed: Set<string>;
  /** Tokens of a definition. */
  tokens(key: string): number;
}
