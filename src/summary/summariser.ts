// The one interface behind every way to make a summary.

import type { Encoding } from '../pool/contract.js';
import type { Rejection } from './answer.js';
import type { SourceMessage } from './source.js';

export interface SummaryRequest {
  session: string;
  purpose: 'summary' | 'compaction';
  messages: SourceMessage[];
  /** Turns of the messages, inclusive. */
  turns: [number, number];
  /** Tokens the answer may have (NS-10). */
  maxTokens: number;
  /** Tokens the text should have at most; a built-in summariser keeps to it, a model is only told by `maxTokens`. */
  budget: number;
  encoding: Encoding;
  /** The operator's own instruction in place of ours. */
  prompt?: string;
  mustPreserve: readonly string[];
  /** Kinds whose absence is worth one more call (L4-9). */
  requireKinds: readonly string[];
  attempts: number;
}

export type Summary =
  | { ok: true; text: string; kinds: string[] | null; calls: number }
  | { ok: false; reason: Rejection; detail?: string; calls: number };

export interface Summariser {
  readonly kind: 'client' | 'http' | 'extractive';
  /** Resolves in any case, within reason: the caller bounds the time by the signal. */
  summarise(request: SummaryRequest, signal: AbortSignal): Promise<Summary>;
}
