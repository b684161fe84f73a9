// The item types of the Responses API: who wrote them, and which pair with which.

import { str } from '../values.js';

interface CallType {
  /** Type of the item that answers it. */
  output: string;
  /** Key of the call's id in the call and in its answer. */
  callKey: string;
  outputKey: string;
  /** Keys of the call's name and arguments, where there are any that may be edited. */
  args?: string;
  /** The answer's text may be replaced by a string. */
  clearable: boolean;
}

/** Calls that the client answers, by the type of the call (PV-R1). */
export const CALLS: Readonly<Record<string, CallType>> = {
  function_call: {
    output: 'function_call_output',
    callKey: 'call_id',
    outputKey: 'call_id',
    args: 'arguments',
    clearable: true,
  },
  custom_tool_call: {
    output: 'custom_tool_call_output',
    callKey: 'call_id',
    outputKey: 'call_id',
    args: 'input',
    clearable: true,
  },
  local_shell_call: {
    output: 'local_shell_call_output',
    callKey: 'call_id',
    outputKey: 'id',
    clearable: true,
  },
  shell_call: { output: 'shell_call_output', callKey: 'call_id', outputKey: 'call_id', clearable: false },
  apply_patch_call: {
    output: 'apply_patch_call_output',
    callKey: 'call_id',
    outputKey: 'call_id',
    clearable: true,
  },
  computer_call: {
    output: 'computer_call_output',
    callKey: 'call_id',
    outputKey: 'call_id',
    clearable: false,
  },
  mcp_approval_request: {
    output: 'mcp_approval_response',
    callKey: 'id',
    outputKey: 'approval_request_id',
    clearable: false,
  },
  tool_search_call: {
    output: 'tool_search_output',
    callKey: 'call_id',
    outputKey: 'call_id',
    clearable: false,
  },
};

/** The same table by the type of the answer. */
export const OUTPUTS: Readonly<Record<string, CallType & { call: string }>> = Object.fromEntries(
  Object.entries(CALLS).map(([call, row]) => [row.output, { ...row, call }]),
);

export function outputType(type: string | undefined): (CallType & { call: string }) | undefined {
  return type !== undefined && Object.hasOwn(OUTPUTS, type) ? OUTPUTS[type] : undefined;
}

/** The call that an item is, if it is one. */
export function callOf(item: unknown): CallType | undefined {
  const type = str(item, 'type');
  return type !== undefined && Object.hasOwn(CALLS, type) && !isHosted(item, type) ? CALLS[type] : undefined;
}

/** The answer that an item is, if it is one. */
export function outputOf(item: unknown): (CallType & { call: string }) | undefined {
  const type = str(item, 'type');
  return type === undefined || isHosted(item, type) ? undefined : outputType(type);
}

/** A search for tools that the provider makes itself has no `call_id`, and both of its items are the provider's. */
function isHosted(item: unknown, type: string): boolean {
  return type.startsWith('tool_search_') && str(item, 'call_id') === undefined;
}

/** A reference may stand for any stored item: whether it is a call, and which, only the provider knows. */
export const REFERENCE = 'item_reference';

/** Does an item of type `output` answer one of type `call`? Hosts answer a local shell call like a function as well, and are not refused. */
export function isAnswer(output: string | undefined, call: string): boolean {
  if (outputType(output)?.call === call) return true;
  return call === 'local_shell_call' && output === CALLS['function_call']!.output;
}
