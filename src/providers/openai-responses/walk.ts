// Rules over the sequence of Responses items: pairs, and reasoning with what it produced.
import type { Native, Profile, Reading, RuleWalk, Violation } from '../types.js';
import { str } from '../values.js';
import { isAnswer, REFERENCE } from './items.js';

interface OpenCall {
  index: number;
  type: string;
}

export class ResponsesWalk implements RuleWalk {
  readonly #profile: Profile;
  readonly #open = new Map<string, OpenCall>();
  readonly #ids = new Set<string>();
  #count = 0;
  /** Index of a reasoning item that waits for the item it produced; -1 = none. */
  #reasoning = -1;
  /** References of the newest model turn that no output has answered, and whether an item of it was the last. */
  #references = 0;
  #inTurn = false;

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  push(r: Reading, m: Native, index: number): Violation[] {
    const out: Violation[] = [];
    const add: Add = (rule, message, at = index) => out.push({ rule, path: `/messages/${at}`, message });
    this.#count++;
    const type = r.parts[0]?.type;
    if (r.role === 'assistant') {
      if (!this.#inTurn) this.#references = 0;
      if (type === REFERENCE) this.#references++;
    }
    this.#inTurn = r.role === 'assistant';
    if (type === 'reasoning') this.#reasoningItem(m, index, add);
    else {
      if (this.#reasoning >= 0 && (r.role !== 'assistant' || type === 'compaction'))
        add('PV-R3', 'a reasoning item without its required following item', this.#reasoning);
      this.#reasoning = -1;
    }
    for (const part of r.parts) {
      if (part.kind === 'tool_call') this.#call(part.callId!, part.type!, index, add);
      else if (part.kind === 'tool_result') this.#output(part.callId!, part.type, add);
    }
    if (type === REFERENCE && this.#profile.store === false)
      add('PV-R6', 'items are not persisted when store is false');
    return out;
  }

  finish(pending: ReadonlySet<string> = new Set()): Violation[] {
    const out: Violation[] = [];
    const add: Add = (rule, message, at = 0) => out.push({ rule, path: `/messages/${at}`, message });
    if (this.#count === 0) return [{ rule: 'PV-R10', path: '/messages', message: 'input must not be empty' }];
    if (this.#reasoning >= 0)
      add('PV-R3', 'a reasoning item without its required following item', this.#reasoning);
    for (const [id, call] of this.#open)
      if (!pending.has(id)) add('PV-R1', `no tool output found for ${call.type} ${id}`, call.index);
    return out;
  }

  #reasoningItem(m: Native, index: number, add: Add): void {
    this.#reasoning = index;
    if (this.#profile.store === false && !str(m.value, 'encrypted_content'))
      add('PV-R6', `item ${str(m.value, 'id') ?? ''} is not persisted when store is false`);
  }

  #call(id: string, type: string, index: number, add: Add): void {
    if (this.#ids.has(id)) add('PV-R1', `two calls share the call_id ${id}`);
    this.#ids.add(id);
    this.#open.set(id, { index, type });
  }

  #output(id: string, type: string | undefined, add: Add): void {
    const open = this.#open.get(id);
    // The call may be one that a reference stands for.
    if (open === undefined && this.#references > 0 && !this.#ids.has(id)) {
      this.#references--;
      this.#ids.add(id);
    } else if (open === undefined || !isAnswer(type, open.type))
      add('PV-R1', `no tool call found for output ${id}`);
    else this.#open.delete(id);
  }
}

type Add = (rule: string, message: string, at?: number) => void;
