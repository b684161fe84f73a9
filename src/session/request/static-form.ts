// System prompt and tools as they go out: what the host sent, a cache mark of ours aside, and a system text that stands in a
// block so that it can carry one. Kept between requests, since both are long and seldom change.

import { applyEdits, pointer, type TextEdit } from '../../json/index.js';
import { oneBlock } from '../../providers/blocks.js';
import { isObject, member } from '../../providers/values.js';
import { MarkMemo } from '../marks/mark-memo.js';
import { OUR_MARK, type PlacedMark } from '../marks/placed-mark.js';
import type { SessionState } from '../state/state.js';

/** Position of what stands before the messages, among the messages that go out in blocks. */
export const SYSTEM = -1;

interface Made {
  from: string;
  key: string;
  text: string;
}

export class StaticForm {
  /** Cache marks of the host's own: in what it gave, and in what of it goes out. */
  readonly given = { system: new MarkMemo(), tools: new MarkMemo() };
  readonly listed = { system: new MarkMemo(), tools: new MarkMemo() };
  #marks: readonly PlacedMark[] = [];
  #last: { from: string; index: number } | undefined;
  #made: { system?: Made; tools?: Made } = {};

  get marks(): readonly PlacedMark[] {
    return this.#marks;
  }

  /** @param marks of which the paths begin with `system` or `tools` */
  place(marks: readonly PlacedMark[]): void {
    this.#marks = marks;
  }

  /** System as a field of the request: openai-chat has it as the first message instead. */
  system(state: SessionState): string | undefined {
    if (state.format === 'openai-chat' || state.system === undefined) return undefined;
    const { text } = state.system.native;
    const blocks = text.startsWith('"') && state.format === 'anthropic' && state.inBlocks.includes(SYSTEM);
    return this.#with('system', blocks ? oneBlock(state.format, text) : text);
  }

  /** The listed tools: what the host sent, less what is hidden; undefined when none is left. */
  tools(state: SessionState): string | undefined {
    const text = state.toolList.text();
    return text === undefined ? undefined : this.#with('tools', text);
  }

  /** Index of the last listed tool that is not deferred (PV-A39); -1 when there is none. */
  lastTool(state: SessionState): number {
    const text = state.toolList.text();
    if (text === undefined) return -1;
    if (this.#last?.from !== text) {
      const tools: unknown = JSON.parse(text);
      const index = Array.isArray(tools)
        ? tools.findLastIndex((t) => isObject(t) && member(t, 'defer_loading') !== true)
        : -1;
      this.#last = { from: text, index };
    }
    return this.#last.index;
  }

  #with(part: 'system' | 'tools', from: string): string {
    const edits = this.#marks
      .filter((m) => m.path[0] === part)
      .map((m): TextEdit => ({ op: 'set', path: [...m.path.slice(1), 'cache_control'], json: OUR_MARK }));
    if (edits.length === 0) return from;
    const key = edits.map((e) => pointer(e.path)).join();
    const known = this.#made[part];
    if (known?.from === from && known.key === key) return known.text;
    const text = applyEdits(from, edits);
    this.#made[part] = { from, key, text };
    return text;
  }
}
