// Every tool result and call input of a recorded part by its call's id, to hold what `recall.get` gives against. Pure.
import { sliceValue } from '../json/index.js';
import { specOf } from '../providers/spec.js';
import type { Format } from '../providers/types.js';
import type { Part } from './parts.js';

export class Originals {
  /** Exact JSON texts by call id; ids may repeat in one conversation. */
  readonly #byCall = new Map<string, Set<string>>();

  constructor(part: Part, format: Format) {
    const spec = specOf(format);
    for (const { native } of part.messages) {
      for (const p of spec.read(native).parts) {
        if (p.callId === undefined) continue;
        const path = p.kind === 'tool_result' ? p.bodyPath : p.argsPath;
        const text = path === undefined ? undefined : sliceValue(native.text, path);
        if (text === undefined) continue;
        const known = this.#byCall.get(p.callId) ?? new Set();
        this.#byCall.set(p.callId, known.add(text));
      }
    }
  }

  /**
   * True if the recalled value is one that the call had: a string by its characters, anything else by its exact text.
   * @param resultText exact JSON text of the answer of `recall.get`
   */
  holds(callId: string, resultText: string): boolean {
    const known = [...(this.#byCall.get(callId) ?? [])];
    const parts = sliceValue(resultText, ['parts']);
    if (parts !== undefined) return known.includes(parts);
    const recalled: unknown = JSON.parse(sliceValue(resultText, ['text']) ?? 'null');
    return known.some((text) => {
      const own: unknown = JSON.parse(text);
      return typeof own === 'string' ? own === recalled : text === recalled;
    });
  }
}
