// What a provider refuses of the system prompt and the tool definitions. Both are the host's, and we edit neither.

import type { Violation } from '../../providers/types.js';
import { declaredNames, staticViolations } from '../../providers/validate.js';
import type { SessionState } from '../state/state.js';

/** Faults of what goes out before the messages; looked for again when it changes. */
export class StaticFaults {
  #last: { system: string | undefined; tools: string | undefined; found: readonly Violation[] } | undefined;

  #declared: { tools: string | undefined; names: ReadonlySet<string> | undefined } | undefined;

  /** Names of the tools that the request lists; undefined where the list does not tell them all. */
  declared(state: SessionState): ReadonlySet<string> | undefined {
    const tools = state.toolList.text();
    if (this.#declared === undefined || this.#declared.tools !== tools)
      this.#declared = { tools, names: declaredNames(parsed(tools)) };
    return this.#declared.names;
  }

  of(state: SessionState): readonly Violation[] {
    // With openai-chat the system prompt is a message, and is checked as one.
    const system = state.format === 'openai-chat' ? undefined : state.system?.native.text;
    const tools = state.toolList.text();
    if (this.#last === undefined || this.#last.system !== system || this.#last.tools !== tools) {
      const found = staticViolations(state.spec, parsed(system), parsed(tools));
      this.#last = { system, tools, found };
    }
    return this.#last.found;
  }
}

function parsed(text: string | undefined): unknown {
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
