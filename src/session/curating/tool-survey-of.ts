// What the layers may know of the tools, and the names that a tool_choice forces.

import type { ToolSurvey } from '../../curation/tools/tool-survey.js';
import type { SessionState } from '../state/state.js';

export function toolSurvey(
  state: SessionState,
  projected: boolean,
  choice: unknown,
  defers = false,
): ToolSurvey | undefined {
  if (state.tools === undefined) return undefined;
  const list = projected ? state.toolListObserved : state.toolList;
  return {
    catalog: list.catalog,
    listed: list.listed(),
    sent: list.sent,
    pruned: list.pruned,
    hidden: list.hidden,
    deferred: list.deferred,
    defers,
    ...state.toolFacts,
    chosen: chosenTools(choice),
    mustList: choice !== undefined && typeOf(choice) !== 'none',
    claimed: new Set(),
    turnBoundary: state.turnBoundary,
    tokens: (key) => list.tokens(key),
  };
}

/** Names in a tool_choice of any format: one tool, or the allowed ones. */
export function chosenTools(choice: unknown): string[] {
  if (typeof choice !== 'object' || choice === null) return [];
  const { name, function: fn, tools, allowed_tools: allowed } = choice as Record<string, unknown>;
  const list = tools ?? (allowed as { tools?: unknown } | undefined)?.tools;
  const nested = Array.isArray(list) ? list.flatMap(chosenTools) : [];
  const inner = (fn as { name?: unknown } | undefined)?.name;
  return [...[name, inner].filter((n): n is string => typeof n === 'string'), ...nested];
}

function typeOf(choice: unknown): unknown {
  return typeof choice === 'string' ? choice : (choice as { type?: unknown } | null)?.type;
}
