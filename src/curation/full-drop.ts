// drop_strategy full_drop (L1-8): a result goes together with its call, where nothing else hangs on either of them. Where
// a rule would break (parallel calls, words beside the call or the result, a class that forbids it) there is no drop,
// and the envelope stands in. Pure.

import { pointer, sliceIn } from '../json/index.js';
import { removeParts } from '../providers/edits.js';
import { legal } from '../providers/legal.js';
import type { CallRecord, ResultRecord } from './calls.js';
import { claimOf } from './claim.js';
import { planned } from './decisions.js';
import { handleOf } from './handle.js';
import type { Built } from './layer.js';
import type { Survey } from './survey.js';

export interface Pair {
  call: CallRecord;
  result: ResultRecord;
  /** Tokens of both messages. */
  tokens: number;
}

/** The pair, if both messages hold nothing but it. */
export function droppable(survey: Survey, result: ResultRecord): Pair | undefined {
  if (survey.settings.plugins.toolResultClear.dropStrategy !== 'full_drop') return undefined;
  const call = result.call === undefined ? undefined : survey.calls.calls[result.call];
  if (call === undefined || call.cut !== undefined || (result.cuts?.length ?? 0) > 0) return undefined;
  // Items of a Responses history hang together through reasoning; a template counts roles: both keep the envelope.
  const { modelClass, alternation } = survey.profile;
  if (survey.spec.format === 'openai-responses' || (alternation ?? 'none') !== 'none') return undefined;
  const situation = { 1: true, 2: true, 4: true, 6: true, 8: false, 9: false } as const;
  if (legal('remove-pair', modelClass, situation).answer !== 'yes') return undefined;
  if (survey.isPinned(claimOf(call.at, call.part))) return undefined;
  const alone = (at: number) => {
    const message = survey.messages[at]!;
    return message.reading.parts.length === 1 && !survey.isDropped(at) && !survey.isFrozen(at, []);
  };
  if (call.at !== result.at - 1 || !alone(call.at) || !alone(result.at)) return undefined;
  if (!answers(survey, result.at + 1)) return undefined;
  return { call, result, tokens: survey.messages[call.at]!.tokens + survey.messages[result.at]!.tokens };
}

/** The model's next message follows: with the pair gone it stands where the call stood. */
function answers(survey: Survey, at: number): boolean {
  return survey.messages[at]?.reading.role === 'assistant' && !survey.isDropped(at);
}

export function dropping(survey: Survey, pair: Pair, reason: string, section: string): Built[] | undefined {
  const { call, result } = pair;
  const edits = removeParts(survey.spec.format, survey.messages, [
    { at: call.at, part: survey.messages[call.at]!.reading.parts[call.part]! },
    { at: result.at, part: survey.messages[result.at]!.reading.parts[result.part]! },
  ]);
  if (edits.some((e) => e.op !== 'drop')) return undefined;
  const told = [
    { at: result.at, index: result.part, reason, size: result.bytes },
    { at: call.at, index: call.part, reason: 'input', size: 0 },
  ].map(({ at, index, reason: why, size }) => {
    const message = survey.messages[at]!;
    const part = message.reading.parts[index]!;
    const place = part.kind === 'tool_call' ? part.argsPath : part.bodyPath;
    const original = place === undefined ? undefined : sliceIn(message.native, place);
    if (place === undefined || original === undefined) return undefined;
    const bytes = size === 0 ? Buffer.byteLength(original) : size;
    return planned('memory.tool_result_cleared', {
      tool_call_id: result.id,
      tool: result.tool,
      original_size: bytes,
      cleared_at_turn: survey.turn,
      reason: why,
      handle: handleOf(survey.tenant, survey.session, message.seq, index, original),
      message: at,
      path: pointer(part.path),
      tokens_delta: -message.tokens,
      tokens_delta_estimate: -Math.trunc(bytes / 4),
      _of: place,
    });
  });
  const [ofResult, ofCall] = told;
  if (ofResult === undefined || ofCall === undefined) return undefined;
  const both = [call.at, result.at].map((at) => {
    return { op: 'drop' as const, at, delta: -survey.messages[at]!.tokens };
  });
  const touched = (at: number) => {
    return { section_id: section, kind: 'volatile' as const, tokens_delta: -survey.messages[at]!.tokens };
  };
  return [
    // One decision: a divergence between the two takes it back as a whole.
    { edits: both, section: touched(result.at), event: ofResult },
    { edits: [], section: touched(call.at), event: ofCall },
  ];
}
