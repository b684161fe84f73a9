// What users want back: each wish is a decision of its own, carried out with whatever else is edited at the turn boundary.
// Runs before all others, and asks no price: the user has.

import { planned, type UndoWish } from '../decisions.js';
import { type Built, type Layer, type LayerPlan, NOTHING, type Restore } from '../layer.js';
import { withoutThinking } from '../sealed-thinking.js';
import type { Survey } from '../survey.js';
import { listMayGrow } from '../tools/legal.js';

const ID = 'curated.undo';

export class Undo implements Layer {
  readonly name = 'undo';
  readonly id = ID;
  readonly invalidatesUnknown = true;

  plan(survey: Survey): LayerPlan {
    if (!survey.boundary || survey.undo.length === 0) return NOTHING;
    return { candidates: [], restores: survey.undo.flatMap((wish) => restoreOf(survey, wish) ?? []) };
  }
}

function restoreOf(survey: Survey, wish: UndoWish): Restore | undefined {
  if (wish.tool_id !== undefined) {
    return listMayGrow(survey) ? { at: -1, build: () => listed(survey, wish, wish.tool_id!) } : undefined;
  }
  const undoes = [wish.seq_of, ...wish._with];
  const { tokens, first } = survey.takingBack(undoes);
  if (wish.covers !== undefined)
    return { at: wish.covers[0], build: () => unsummarised(survey, wish, undoes, tokens) };
  return { at: first, build: () => restored(wish, undoes, tokens) };
}

/** The messages of a summary's range again; their bound thinking was voided when they left, and stays away (PV-A26). */
function unsummarised(survey: Survey, wish: UndoWish, undoes: number[], returning: number): Built {
  const [from, to] = wish.covers!;
  const isBack = (at: number) => at >= from && at <= to && survey.isDropped(at);
  const edits = withoutThinking({ ...survey, isDropped: (at) => !isBack(at) }, from);
  const tokens = returning + edits.reduce((sum, e) => sum + (e.delta ?? 0), 0);
  return {
    edits,
    section: { section_id: `${ID}/range-${from}-${to}`, kind: 'session', tokens_delta: tokens },
    event: planned('memory.summary_undone', {
      handle: wish.handle ?? '',
      covers: [from, to],
      reason: 'undo',
      tokens_delta: tokens,
      undoes,
      _undo: undoes,
    }),
  };
}

function listed(survey: Survey, wish: UndoWish, key: string): Built {
  const { tools } = survey;
  const tokens = tools?.tokens(key) ?? 0;
  return {
    edits: [],
    section: { section_id: `${ID}/${key}`, kind: 'session', tokens_delta: tokens },
    show: [key],
    event: planned('memory.tool_def_restored', {
      tool_id: key,
      last_used_turn: tools?.invoked.get(key) ?? tools?.seen.get(key) ?? survey.turn,
      definition_size: tools?.catalog.find((t) => t.key === key)?.bytes ?? 0,
      reason: 'undo',
      tokens_delta: tokens,
      undoes: [wish.seq_of],
    }),
  };
}

function restored(wish: UndoWish, undoes: number[], tokens: number): Built {
  const name = wish.tool_call_id ?? `message-${wish.message}`;
  return {
    edits: [],
    section: { section_id: `${ID}/${name}`, kind: 'volatile', tokens_delta: tokens },
    event: planned('memory.tool_result_restored', {
      tool_call_id: wish.tool_call_id ?? '',
      tool: wish.tool ?? '',
      handle: wish.handle ?? '',
      reason: 'undo',
      message: wish.message ?? 0,
      path: wish.path ?? '',
      tokens_delta: tokens,
      undoes,
      _undo: undoes,
    }),
  };
}
