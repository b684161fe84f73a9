// The item types of the Responses API: who wrote them, and which pair with which.

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
};

/** The same table by the type of the answer. */
export const OUTPUTS: Readonly<Record<string, CallType & { call: string }>> = Object.fromEntries(
  Object.entries(CALLS).map(([call, row]) => [row.output, { ...row, call }]),
);

export function callType(type: string | undefined): CallType | undefined {
  return type !== undefined && Object.hasOwn(CALLS, type) ? CALLS[type] : undefined;
}

export function outputType(type: string | undefined): (CallType & { call: string }) | undefined {
  return type !== undefined && Object.hasOwn(OUTPUTS, type) ? OUTPUTS[type] : undefined;
}

/** Does an item of type `output` answer one of type `call`? Hosts answer a local shell call like a function as well, and are not refused. */
export function isAnswer(output: string | undefined, call: string): boolean {
  if (outputType(output)?.call === call) return true;
  return call === 'local_shell_call' && output === CALLS['function_call']!.output;
}
