// Rules over the sequence of Chat Completions messages, also those of strict chat templates (PV-S).
import { type Path, pointer } from '../../json/index.js';
import { isGenuineUser } from '../groups.js';
import type { Native, Profile, Reading, RuleWalk, Violation } from '../types.js';
import { member } from '../values.js';

interface Place {
  index: number;
  path: Path;
}

export class ChatWalk implements RuleWalk {
  readonly #profile: Profile;
  /** Calls of the newest assistant message that have no tool message yet. */
  readonly #open = new Map<string, Place>();
  #count = 0;
  #hasUser = false;
  #others = false;
  #system = false;
  /** Last visible role for alternation, and whether a tool flow is still one assistant turn. */
  #visible: 'none' | 'user' | 'assistant' = 'none';
  #flow = false;

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  push(r: Reading, m: Native, index: number): Violation[] {
    const out: Violation[] = [];
    const add: Add = (rule, path, message) =>
      out.push({ rule, path: `/messages/${index}${pointer(path)}`, message });
    this.#count++;
    if (isGenuineUser(r)) this.#hasUser = true;
    const calls = r.parts.filter((p) => p.kind === 'tool_call');
    if (r.role === 'tool') this.#tool(r, add);
    else {
      out.push(...this.#unanswered());
      this.#open.clear();
      for (const part of calls)
        if (!this.#open.has(part.callId!)) this.#open.set(part.callId!, { index, path: part.path });
    }
    this.#ids(r, add);
    if (this.#profile.maxCalls !== undefined && calls.length > this.#profile.maxCalls)
      add('PV-S7', ['tool_calls'], `at most ${this.#profile.maxCalls} tool calls at once`);
    this.#head(r, add);
    this.#alternate(r, calls.length > 0, add);
    if (this.#profile.plainContent && typeof member(m.value, 'content') !== 'string')
      add('PV-S5', ['content'], 'content must be a plain string');
    return out;
  }

  finish(pending: ReadonlySet<string> = new Set()): Violation[] {
    if (this.#count === 0)
      return [{ rule: 'PV-C7', path: '/messages', message: 'messages must not be empty' }];
    const out = this.#unanswered(pending);
    if (this.#profile.needsUser && !this.#hasUser)
      out.push({ rule: 'PV-S4', path: '/messages', message: 'no user query found in messages' });
    return out;
  }

  #unanswered(pending: ReadonlySet<string> = new Set()): Violation[] {
    return [...this.#open]
      .filter(([id]) => !pending.has(id))
      .map(([id, place]) => ({
        rule: 'PV-C1',
        path: `/messages/${place.index}${pointer(place.path)}`,
        message: `no tool message responds to tool_call_id ${id}`,
      }));
  }

  #tool(r: Reading, add: Add): void {
    for (const part of r.parts)
      if (part.kind === 'tool_result' && !this.#open.delete(part.callId!))
        add('PV-C2', ['tool_call_id'], `no preceding tool_calls for ${part.callId}`);
  }

  #ids(r: Reading, add: Add): void {
    const ids = this.#profile.ids;
    if (ids === undefined) return;
    for (const part of r.parts) {
      if (part.callId === undefined) continue;
      if (part.callId.length > ids.maxLength)
        add('PV-C3', [...part.path, 'id'], `a call id has at most ${ids.maxLength} characters`);
      else if (ids.pattern !== undefined && !ids.pattern.test(part.callId))
        add('PV-S6', [...part.path, 'id'], `call ids must match ${ids.pattern.source}`);
    }
  }

  #head(r: Reading, add: Add): void {
    if (r.role === 'system') {
      const strict = this.#profile.modelClass === 'SH' ? 'PV-S3' : 'PV-C7';
      if (this.#profile.singleSystem && (this.#system || this.#others))
        add(strict, [], 'one system message, at the beginning');
      this.#system = true;
    } else this.#others = true;
  }

  /** `strict`: a tool flow (calls, tools, answer) is one assistant. `template`: tools and calls are not seen at all. */
  #alternate(r: Reading, calls: boolean, add: Add): void {
    const mode = this.#profile.alternation ?? 'none';
    if (mode === 'none' || r.role === 'system') return;
    if (mode === 'template') {
      if (r.role === 'tool' || calls) return;
      if (r.role === this.#visible) add('PV-S2', [], 'conversation roles must alternate user/assistant/user');
      this.#visible = r.role as 'user' | 'assistant';
      return;
    }
    if (r.role === 'tool') {
      this.#visible = 'assistant';
      this.#flow = true;
      return;
    }
    const role = r.role as 'user' | 'assistant';
    const goesOn = role === 'assistant' && this.#flow;
    if (role === this.#visible && !goesOn)
      add('PV-S1', [], 'conversation roles must alternate user/assistant/user');
    if (role === 'assistant' && this.#visible === 'none') add('PV-S1', [], 'the first role must be user');
    this.#visible = role;
    this.#flow = calls;
  }
}

type Add = (rule: string, path: Path, message: string) => void;
