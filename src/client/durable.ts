// Durable state of a session: plan, todos, manifest, decisions; in every request once, in no summary's input.
import type { WireResult } from '../protocol/index.js';
import type { SessionCaller } from './caller.js';

/** `{text, done}`, `{content, status}` with their usual aliases, or a bare string. */
export type TodoItem = string | Record<string, unknown>;
/** The rendered block after a change, and its tokens. */
export type DurableBlock = WireResult<'durable.set_plan'>;

export class DurableState {
  readonly #session: SessionCaller;

  constructor(session: SessionCaller) {
    this.#session = session;
  }

  setPlan(title: string, text: string): Promise<DurableBlock> {
    return this.#session.call('durable.set_plan', { title, text });
  }

  setTodos(items: TodoItem[]): Promise<DurableBlock> {
    return this.#session.call('durable.set_todos', { items });
  }

  setManifest(text: string): Promise<DurableBlock> {
    return this.#session.call('durable.set_manifest', { text });
  }

  /** Decisions are only ever added. */
  addDecision(text: string): Promise<DurableBlock> {
    return this.#session.call('durable.add_decision', { text });
  }

  get(): Promise<WireResult<'durable.get'>> {
    return this.#session.call('durable.get', {});
  }

  /** The block as the model sees it; "" when there is nothing. */
  async toContextBlock(): Promise<string> {
    return (await this.get()).block;
  }

  async isEmpty(): Promise<boolean> {
    return (await this.get()).is_empty;
  }
}
