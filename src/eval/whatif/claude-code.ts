// Claude Code's session files: one line an event, `{type, message, uuid, parentUuid, timestamp, sessionId, isSidechain}`.
// An answer comes in several lines that share `message.id` and repeat its usage; a resumed session repeats old lines.
import type { TokenClasses } from '../../economics/index.js';
import { sliceValues } from '../../json/index.js';
import { Native } from '../../json/native.js';
import { classesOfUsage } from '../usage-report.js';
import {
  isJson,
  type Json,
  type LoggedRequest,
  type LoggedSession,
  type LogShape,
  stringOf,
  timeOf,
} from './logged.js';

/** Lines that carry no message of the model's context. */
const ASIDE = new Set([
  'summary',
  'system',
  'file-history-snapshot',
  'queue-operation',
  'progress',
  'attachment',
  'custom-title',
  'ai-title',
  'last-prompt',
  'permission-mode',
  'pr-link',
  'tag',
  'agent-name',
]);
/** Sessions that are open at once in one file: main and sub-agents. The one untouched longest is closed first. */
const OPEN = 16;

export class ClaudeCodeLog implements LogShape {
  readonly #seen: Set<string>;
  readonly #open = new Map<string, Thread>();
  /** Side chains by the uuid of their lines. */
  readonly #sideOf = new Map<string, string>();
  #done: LoggedSession[] = [];

  /** @param seen ids of answers that are counted already, over all files of the run */
  constructor(seen: Set<string>) {
    this.#seen = seen;
  }

  static knows(v: Json): boolean {
    const { type } = v;
    if (type === 'user' || type === 'assistant') return isJson(v['message']);
    return typeof type === 'string' && ASIDE.has(type) && !('payload' in v);
  }

  take(v: Json, text: string): boolean {
    const { type } = v;
    if (type === 'system' && v['subtype'] === 'compact_boundary') this.#thread(v).cut(this.#done);
    if (type !== 'user' && type !== 'assistant') return true;
    const message = v['message'];
    if (!isJson(message)) return false;
    const { content } = message;
    if (typeof content !== 'string' && !Array.isArray(content)) return false;
    // An error message that the agent wrote itself: no model said it, none reads it.
    if (message['model'] === '<synthetic>' || v['isApiErrorMessage'] === true) return true;
    const thread = this.#thread(v);
    if (v['isCompactSummary'] === true) thread.cut(this.#done);
    const blocks =
      typeof content === 'string'
        ? [`{"type":"text","text":${JSON.stringify(content)}}`]
        : (sliceValues(text, ['message', 'content']) ?? []);
    if (type === 'assistant') thread.answer(v, message, blocks);
    else thread.user(v, content, blocks, this.#done);
    return true;
  }

  drain(): LoggedSession[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  end(): void {
    for (const thread of this.#open.values()) thread.cut(this.#done);
    this.#open.clear();
    this.#sideOf.clear();
  }

  #thread(v: Json): Thread {
    const session = stringOf(v['sessionId']) ?? '';
    const side = v['isSidechain'] === true ? this.#side(v) : undefined;
    const key = side === undefined ? session : `${session}/${side}`;
    let thread = this.#open.get(key);
    if (thread === undefined) thread = new Thread(key, side !== undefined, this.#seen);
    this.#open.delete(key);
    this.#open.set(key, thread);
    if (this.#open.size > OPEN) {
      const [oldest, least] = this.#open.entries().next().value!;
      least.cut(this.#done);
      this.#open.delete(oldest);
    }
    return thread;
  }

  /** The sub-agent that a line belongs to: by its id, else by the first line of its chain. */
  #side(v: Json): string {
    const agent = stringOf(v['agentId']);
    if (agent !== undefined) return agent;
    const uuid = stringOf(v['uuid']) ?? '';
    const root = this.#sideOf.get(stringOf(v['parentUuid']) ?? '') ?? uuid;
    this.#sideOf.set(uuid, root);
    return root;
  }
}

/** An answer whose lines are still coming, and what users and tools said behind it. */
interface Answer {
  id: string;
  blocks: string[];
  request: LoggedRequest;
  isSeen: boolean;
}

/** One line of conversation: the main one, or a sub-agent's. */
class Thread {
  readonly #id: string;
  readonly #isSide: boolean;
  readonly #seen: Set<string>;
  #parts = 0;
  #messages: Native[] = [];
  #requests: LoggedRequest[] = [];
  #attached = 0;
  #model: string | undefined;
  #answer: Answer | undefined;
  #said: string[] = [];
  /** Messages up to and including each line's, by uuid. */
  #ends = new Map<string, number>();

  constructor(id: string, isSide: boolean, seen: Set<string>) {
    this.#id = id;
    this.#isSide = isSide;
    this.#seen = seen;
  }

  answer(v: Json, message: Json, blocks: readonly string[]): void {
    const id = stringOf(message['id']) ?? stringOf(v['requestId']) ?? stringOf(v['uuid']) ?? '';
    if (this.#answer === undefined || this.#answer.id !== id || id === '') {
      this.#flush();
      const at = timeOf(v['timestamp']);
      const model = stringOf(message['model']);
      this.#model ??= model;
      this.#answer = {
        id,
        blocks: [],
        request: {
          carried: this.#messages.length,
          answer: 1,
          ...(at === undefined ? {} : { at }),
          ...(model === undefined ? {} : { model }),
        },
        isSeen: id !== '' && this.#seen.has(id),
      };
      if (id !== '') this.#seen.add(id);
    }
    const { request } = this.#answer;
    this.#answer.blocks.push(...blocks);
    const usage = largest(request.usage, classesOfUsage('anthropic', message['usage']));
    if (usage !== undefined) request.usage = usage;
    this.#mark(v, request.carried + 1);
  }

  user(v: Json, content: unknown, blocks: readonly string[], done: LoggedSession[]): void {
    const uuid = stringOf(v['uuid']);
    // A resumed session that stands twice in one file.
    if (uuid !== undefined && this.#ends.has(uuid)) return;
    const isResult = Array.isArray(content) && content.some((b) => isJson(b) && b['type'] === 'tool_result');
    if (!isResult) this.#rewind(v, done);
    this.#said.push(...blocks);
    this.#mark(v, this.#messages.length + (this.#answer === undefined ? 0 : 1) + 1);
  }

  /** Hands out what there is; what follows starts with an empty context. */
  cut(done: LoggedSession[]): void {
    this.#flush();
    if (this.#requests.length > 0) {
      done.push({
        id: this.#parts === 0 ? this.#id : `${this.#id}#${this.#parts + 1}`,
        isPart: this.#isSide || this.#parts > 0,
        format: 'anthropic',
        ...(this.#model === undefined ? {} : { model: this.#model }),
        messages: this.#messages,
        attached: this.#attached,
        requests: this.#requests,
      });
      this.#parts++;
    }
    this.#messages = [];
    this.#requests = [];
    this.#attached = 0;
    this.#ends = new Map();
  }

  /** A user who writes below an older line has gone back to it: what came after is no longer in the context. */
  #rewind(v: Json, done: LoggedSession[]): void {
    const end = this.#ends.get(stringOf(v['parentUuid']) ?? '');
    const length = this.#messages.length + (this.#answer === undefined ? 0 : 1);
    if (end === undefined || end >= length) return;
    this.#flush();
    const kept = this.#messages.slice(0, end);
    const ends = [...this.#ends].filter(([, e]) => e <= end);
    this.cut(done);
    this.#messages = kept;
    this.#attached = kept.length;
    this.#ends = new Map(ends);
  }

  #mark(v: Json, end: number): void {
    const uuid = stringOf(v['uuid']);
    if (uuid !== undefined) this.#ends.set(uuid, end);
  }

  #flush(): void {
    const answer = this.#answer;
    if (answer !== undefined) {
      this.#messages.push(message('assistant', answer.blocks));
      if (!answer.isSeen) this.#requests.push(answer.request);
      else if (this.#requests.length === 0) this.#attached = this.#messages.length;
    }
    if (this.#said.length > 0) this.#messages.push(message('user', this.#said));
    this.#answer = undefined;
    this.#said = [];
  }
}

function message(role: 'assistant' | 'user', blocks: readonly string[]): Native {
  return new Native(`{"role":"${role}","content":[${blocks.join(',')}]}`);
}

/** The lines of an answer repeat its usage; earlier ones may know less of the output. */
function largest(a: TokenClasses | undefined, b: TokenClasses | undefined): TokenClasses | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    uncached: Math.max(a.uncached, b.uncached),
    read: Math.max(a.read, b.read),
    write5m: Math.max(a.write5m, b.write5m),
    write1h: Math.max(a.write1h, b.write1h),
    output: Math.max(a.output, b.output),
  };
}
