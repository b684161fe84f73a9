// The request of the newest llm.prepare answer as exact texts, and the next one made from it by the operations that the
// daemon tells: what an agent has received already is not sent to it again.
import {
  applyEdits,
  child,
  type JsonNode,
  type Path,
  parseTree,
  sliceValue,
  sliceValues,
} from '../json/index.js';
import { ClientError } from './errors.js';
import { steps } from './patch.js';

interface Operation {
  op: string;
  path: string;
  /** Exact text of the value. */
  json: string | undefined;
}

export class HeldRequest {
  /** As the answer told it: the name of this request. */
  readonly hash: string;
  #text: string | undefined;
  #system: string | undefined;
  #tools: string | undefined;
  #messages: string[] | undefined;

  private constructor(hash: string) {
    this.hash = hash;
  }

  /** @param text exact JSON text of the request */
  static of(hash: string, text: string): HeldRequest {
    const held = new HeldRequest(hash);
    held.#text = text;
    return held;
  }

  /** Exact JSON text; put together on demand. */
  get text(): string {
    if (this.#text === undefined) {
      const system = this.#system === undefined ? '' : `"system":${this.#system},`;
      const tools = this.#tools === undefined ? '' : `"tools":${this.#tools},`;
      this.#text = `{${system}${tools}"messages":[${this.#messages!.join(',')}]}`;
    }
    return this.#text;
  }

  /**
   * The request of the next answer; this one stays as it is.
   * @param ops exact JSON text of the operations. Throws ClientError PATCH where one has no place.
   */
  next(hash: string, ops: string): HeldRequest {
    this.#split();
    const next = new HeldRequest(hash);
    next.#system = this.#system;
    next.#tools = this.#tools;
    next.#messages = [...this.#messages!];
    for (const operation of operationsOf(ops)) next.#apply(operation);
    return next;
  }

  /** Into its messages, once. */
  #split(): void {
    if (this.#messages !== undefined) return;
    const text = this.#text!;
    this.#messages = sliceValues(text, ['messages']) ?? [];
    this.#system = sliceValue(text, ['system']);
    this.#tools = sliceValue(text, ['tools']);
  }

  #apply({ op, path, json }: Operation): void {
    const [part, index, ...inside] = steps(path);
    if (op === 'remove' ? json !== undefined : json === undefined) refuse(op, path);
    if (part === 'messages') {
      if (index === undefined) this.#messages = sliceValues(json ?? refuse(op, path), []) ?? refuse(op, path);
      else if (inside.length === 0) this.#message(op, path, index, json);
      else {
        const at = this.#index(path, index);
        const message = this.#messages![at]!;
        this.#messages![at] = edited(message, { op, path, json }, inside);
      }
    } else if (index !== undefined) refuse(op, path);
    else if (part === 'system') this.#system = json;
    else if (part === 'tools') this.#tools = json;
    else refuse(op, path);
  }

  #message(op: string, path: string, index: string, json: string | undefined): void {
    const messages = this.#messages!;
    if (op === 'add') {
      if (index === '-' || Number(index) === messages.length) messages.push(json!);
      else messages.splice(this.#index(path, index), 0, json!);
    } else if (op === 'remove') messages.splice(this.#index(path, index), 1);
    else if (op === 'replace') messages[this.#index(path, index)] = json!;
    else refuse(op, path);
  }

  #index(path: string, index: string): number {
    const at = /^(0|[1-9][0-9]*)$/.test(index) ? Number(index) : -1;
    return at >= 0 && at < this.#messages!.length ? at : refuse('no such message', path);
  }
}

function refuse(what: string, path: string): never {
  throw new ClientError('PATCH', `${what} at ${path} has no place in the request`);
}

function operationsOf(text: string): Operation[] {
  return (parseTree(text).items ?? []).map((item) => {
    const value = child(item, 'value');
    return {
      op: textOf(text, item, 'op'),
      path: textOf(text, item, 'path'),
      json: value === undefined ? undefined : text.slice(value.start, value.end),
    };
  });
}

function textOf(text: string, item: JsonNode, key: string): string {
  const node = child(item, key);
  return node?.type === 'string' ? (JSON.parse(text.slice(node.start, node.end)) as string) : '';
}

/** A message with one operation inside it; every other byte as it was. */
function edited(message: string, { op, path, json }: Operation, inside: readonly string[]): string {
  const place: (string | number)[] = [];
  let node: JsonNode | undefined = parseTree(message);
  let parent: JsonNode | undefined;
  for (const step of inside) {
    if (node === undefined) refuse(op, path);
    parent = node;
    place.push(node.items === undefined ? step : step === '-' ? node.items.length : Number(step));
    node = child(node, place.at(-1)!);
  }
  const target: Path = place;
  if (op === 'remove' && node !== undefined) return applyEdits(message, [{ op: 'remove', path: target }]);
  if (op === 'add' && parent?.items !== undefined)
    return applyEdits(message, [{ op: 'before', path: target, json: json! }]);
  if (op === 'add' || (op === 'replace' && node !== undefined))
    return applyEdits(message, [{ op: 'set', path: target, json: json! }]);
  return refuse(op, path);
}
