// Rules over the sequence of Anthropic messages, fed one message at a time. Each push costs what the message holds.
import { type Path, pointer, valueAt } from '../../json/index.js';
import type { Native, Part, Profile, Reading, RuleWalk, Violation } from '../types.js';
import { member, str } from '../values.js';
import { isEffortOnly } from './check.js';
import { isServerCall, isServerResult } from './read.js';
import { definedIn, toolChanges } from './tool-changes.js';

const MAX_MESSAGES = 100_000;
type Ttl = '5m' | '1h';

interface Place {
  index: number;
  path: Path;
}

/** Counts cache marks in request order: tools, system, messages (PV-A38, PV-A40). */
export class MarkCount {
  count = 0;
  #short = false;

  add(cacheControl: unknown): { tooMany: boolean; ttlOrder: boolean } {
    this.count++;
    const ttl: Ttl = str(cacheControl, 'ttl') === '1h' ? '1h' : '5m';
    const ttlOrder = ttl === '1h' && this.#short;
    if (ttl === '5m') this.#short = true;
    return { tooMany: this.count > 4, ttlOrder };
  }
}

export class AnthropicWalk implements RuleWalk {
  readonly #profile: Profile;
  readonly #marks: MarkCount;
  readonly #ids = new Set<string>();
  #count = 0;
  /** Calls of the newest assistant message that have no result yet. */
  readonly #open = new Map<string, Place>();
  #callIndex = -1;
  /** The user message that took the first result of the open group. */
  #resultIndex = -1;
  /** Did anything stand between the calls and this message? */
  #between = false;
  readonly #serverOpen = new Map<string, Place>();
  #last: 'none' | 'user' | 'assistant' | 'assistant-server' | 'system' = 'none';
  #lastIndex = -1;
  /** Place of the mid-conversation system run that must be followed by the assistant or the end. */
  #system = -1;
  #paused = false;
  /** Tools that system messages add or remove by name, and those that they define (PV-A46). */
  readonly #changed: { place: Place; name: string }[] = [];
  readonly #defined = new Set<string>();

  constructor(profile: Profile, marks = new MarkCount()) {
    this.#profile = profile;
    this.#marks = marks;
  }

  push(r: Reading, m: Native, index: number): Violation[] {
    const out: Violation[] = [];
    const add = (rule: string, place: Place, message: string) =>
      out.push({ rule, path: `/messages/${place.index}${pointer(place.path)}`, message });
    if (++this.#count === MAX_MESSAGES + 1)
      add('PV-A21', { index, path: [] }, `more than ${MAX_MESSAGES} messages`);
    if (this.#last === 'none') this.#head(r, index, add);
    for (const path of r.marks) {
      const { tooMany, ttlOrder } = this.#marks.add(member(valueAt(m.value, path), 'cache_control'));
      if (tooMany)
        add(
          'PV-A38',
          { index, path },
          `a maximum of 4 blocks with cache_control, found ${this.#marks.count}`,
        );
      if (ttlOrder) add('PV-A40', { index, path }, 'a 1h mark must not come after a 5m mark');
    }
    if (r.role === 'assistant') this.#assistant(r, m, index, add);
    else if (r.role === 'system') this.#systemMessage(m, index, add);
    else this.#user(r, index, add);
    this.#lastIndex = index;
    return out;
  }

  finish(pending: ReadonlySet<string> = new Set(), declared?: ReadonlySet<string>): Violation[] {
    const out: Violation[] = [];
    const add: Add = (rule, place, message) =>
      out.push({ rule, path: `/messages/${place.index}${pointer(place.path)}`, message });
    if (this.#count === 0)
      return [{ rule: 'PV-A10', path: '/messages', message: 'messages must not be empty' }];
    let waits = false;
    for (const [id, place] of this.#open) {
      if (pending.has(id)) waits = true;
      else add('PV-A1', place, `tool_use without tool_result right after: ${id}`);
    }
    if (declared !== undefined)
      for (const { place, name } of this.#changed)
        if (!declared.has(name) && !this.#defined.has(name))
          add('PV-A46', place, `name not declared in tools: ${name}`);
    const isAssistant = this.#last === 'assistant' || this.#last === 'assistant-server';
    if (isAssistant && !this.#profile.prefill && !waits && !this.#paused && this.#open.size === 0)
      add('PV-A15', { index: this.#lastIndex, path: [] }, 'the last message must not be the assistant’s');
    return out;
  }

  #head(r: Reading, index: number, add: Add): void {
    const compacted = r.role === 'assistant' && r.parts[0]?.type === 'compaction';
    if (r.role !== 'user' && !compacted)
      add('PV-A10', { index, path: [] }, 'the first message must use the user role');
  }

  #assistant(r: Reading, m: Native, index: number, add: Add): void {
    const compacted = r.parts[0]?.type === 'compaction';
    // Everything before a compaction block is ignored, also what was still open there (PV-A35).
    if (!compacted)
      for (const [id, place] of this.#open)
        add('PV-A1', place, `tool_use without tool_result right after: ${id}`);
    this.#open.clear();
    if (compacted) this.#serverOpen.clear();
    this.#callIndex = index;
    this.#resultIndex = -1;
    this.#between = false;
    let programmatic = false;
    for (const part of r.parts) {
      if (part.kind === 'tool_call') {
        const id = part.callId!;
        if (this.#ids.has(id))
          add('PV-A3', { index, path: [...part.path, 'id'] }, `tool_use ids must be unique: ${id}`);
        this.#ids.add(id);
        if (!this.#open.has(id)) this.#open.set(id, { index, path: part.path });
        const caller = member(valueAt(m.value, part.path), 'caller');
        if (caller !== undefined && str(caller, 'type') !== 'direct') programmatic = true;
      } else if (part.atom !== undefined) this.#server(part, index, add);
    }
    // A paused turn, or a program that waits for a client tool, leaves its server call open for a later message.
    this.#paused = this.#serverOpen.size > 0;
    if (programmatic) this.#keepServerOpen = true;
    const type = r.parts.at(-1)?.type;
    this.#last = isServerResult(type) ? 'assistant-server' : 'assistant';
    this.#system = -1;
  }

  #keepServerOpen = false;

  #server(part: Part, index: number, add: Add): void {
    if (isServerCall(part.type)) this.#serverOpen.set(part.atom!, { index, path: part.path });
    else if (!this.#serverOpen.delete(part.atom!))
      add(
        'PV-A34',
        { index, path: part.path },
        `${part.type} without its call in the same assistant message`,
      );
    if (this.#serverOpen.size === 0) this.#keepServerOpen = false;
  }

  #closeServer(add: Add): void {
    if (this.#keepServerOpen) return;
    for (const place of this.#serverOpen.values())
      add('PV-A34', place, 'a server tool call without its result in the same assistant message');
    this.#serverOpen.clear();
  }

  #systemMessage(m: Native, index: number, add: Add): void {
    const here = { index, path: [] };
    if (!this.#profile.midSystem) add('PV-A11', here, "role 'system' is not supported on this model");
    const effort = isEffortOnly(m.value);
    const changes = toolChanges(m);
    for (const { path, name } of changes) this.#changed.push({ place: { index, path }, name });
    for (const name of definedIn(m)) this.#defined.add(name);
    if (this.#paused && changes.length > 0)
      add('PV-A46', here, 'the tool set does not change directly after a paused turn');
    if (this.#open.size > 0) add('PV-A6', here, 'nothing may stand between tool_use and tool_result');
    this.#between = true;
    this.#closeServer(add);
    if (effort) return;
    const may = this.#last === 'user' || this.#last === 'assistant-server' || this.#last === 'system';
    if (!may) add('PV-A12', here, 'a system message follows a user turn or a server tool result');
    this.#system = index;
    this.#last = 'system';
  }

  #user(r: Reading, index: number, add: Add): void {
    if (this.#system >= 0)
      add(
        'PV-A12',
        { index: this.#system, path: [] },
        'a system message is last or followed by the assistant',
      );
    this.#system = -1;
    this.#closeServer(add);
    this.#paused = false;
    for (const part of r.parts) {
      if (part.kind !== 'tool_result') continue;
      const place = { index, path: part.path };
      if (!this.#open.delete(part.callId!)) {
        add(
          'PV-A2',
          place,
          `unexpected tool_use_id ${part.callId}: no such tool_use in the previous message`,
        );
        continue;
      }
      if (this.#resultIndex < 0) {
        if (this.#between || index !== this.#callIndex + 1)
          add('PV-A6', place, 'the result message must stand right after the call message');
        this.#resultIndex = index;
      } else if (this.#resultIndex !== index)
        add('PV-A4', place, 'all results of a group sit in one user message');
    }
    if (this.#callIndex >= 0) this.#between = true;
    this.#last = 'user';
  }
}

type Add = (rule: string, place: Place, message: string) => void;
