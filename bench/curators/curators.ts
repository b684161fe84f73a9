// Curators of other projects, and the plainest one, each as a function of the whole history to what of it is sent. They come
// from the folder of peers' node_modules and are no dependency of the product.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type History, type Kept, type Unit, whole } from './history.js';

export interface Curator {
  name: string;
  /** What it was told; '' for its own defaults. */
  settings: string;
  /** @param messages stored messages that the request carries */
  curate(history: History, messages: number): Kept[] | Promise<Kept[]>;
}

/** Packages that must be there, by the file that is loaded. */
const NEEDED = [
  '@langchain/core/dist/messages/index.js',
  'langchain/dist/agents/middleware/contextEditing.js',
  'ai/dist/index.mjs',
] as const;

const LAST = 40;
const BUDGET = 50_000;
const LATER_TRIGGER = 30_000;

/** What of the folder is not installed. */
export function absentIn(folder: string): string[] {
  return NEEDED.filter((file) => !existsSync(join(folder, file))).map((file) => file.split('/dist/')[0]!);
}

/** @param tokensOf counts a unit as the provider's message */
export async function curators(folder: string, tokensOf: (unit: Unit) => number): Promise<Curator[]> {
  const load = (file: string): Promise<unknown> => import(pathToFileURL(join(folder, file)).href);
  const core = (await load(NEEDED[0])) as LangChain;
  const { ClearToolUsesEdit } = (await load(NEEDED[1])) as { ClearToolUsesEdit: ClearEdit };
  const { pruneMessages } = (await load(NEEDED[2])) as AiSdk;
  return [
    {
      name: 'keep last N',
      settings: `${LAST} messages`,
      curate: (history, n) => whole(history.upTo(n)).filter(({ message }) => message >= n - LAST),
    },
    trim(core, tokensOf, {}, `maxTokens ${BUDGET}`),
    trim(
      core,
      tokensOf,
      { startOn: 'human', endOn: ['human', 'tool'] },
      `maxTokens ${BUDGET}, startOn human`,
    ),
    clear(core, ClearToolUsesEdit, tokensOf, {}, ''),
    clear(
      core,
      ClearToolUsesEdit,
      tokensOf,
      { trigger: { tokens: LATER_TRIGGER }, keep: { messages: 5 } },
      `from ${LATER_TRIGGER} tokens, keep 5`,
    ),
    prune(pruneMessages, `before-last-${LAST}-messages`),
  ];
}

interface LcMessage {
  id?: string;
  content: unknown;
  tool_call_id?: string;
}
type LcClass = new (fields: Record<string, unknown>) => LcMessage;
interface LangChain {
  AIMessage: LcClass;
  HumanMessage: LcClass;
  SystemMessage: LcClass;
  ToolMessage: LcClass;
  trimMessages(messages: LcMessage[], o: Record<string, unknown>): Promise<LcMessage[]>;
}
type ClearEdit = new (
  o: Record<string, unknown>,
) => {
  apply(p: { messages: LcMessage[]; countTokens: (messages: LcMessage[]) => Promise<number> }): Promise<void>;
};

/** Units as LangChain's messages, each made once. */
class AsLangChain {
  readonly #core: LangChain;
  readonly #made = new WeakMap<Unit, LcMessage>();
  readonly #units = new WeakMap<LcMessage, Unit>();
  readonly #tokensOf: (unit: Unit) => number;
  /** By the message's id: some functions work on copies. */
  readonly #tokens = new Map<string, number>();

  constructor(core: LangChain, tokensOf: (unit: Unit) => number) {
    this.#core = core;
    this.#tokensOf = tokensOf;
  }

  message(unit: Unit): LcMessage {
    let made = this.#made.get(unit);
    if (made === undefined) {
      made = this.#make(unit);
      this.#made.set(unit, made);
      this.#units.set(made, unit);
      this.#tokens.set(made.id!, this.#tokensOf(unit));
    }
    return made;
  }

  unit(message: LcMessage): Unit | undefined {
    return this.#units.get(message);
  }

  tokens = (messages: readonly LcMessage[]): number => {
    let sum = 0;
    // What is not of the history is a placeholder.
    for (const m of messages) sum += this.#tokens.get(m.id ?? '') ?? 8;
    return sum;
  };

  #make(unit: Unit): LcMessage {
    const { AIMessage, HumanMessage, SystemMessage, ToolMessage } = this.#core;
    const fields = { id: `${unit.message}.${unit.parts.join('.')}`, content: unit.text };
    if (unit.role === 'system') return new SystemMessage(fields);
    if (unit.role === 'user') return new HumanMessage(fields);
    if (unit.role === 'tool')
      return new ToolMessage({ ...fields, tool_call_id: unit.callId, name: unit.tool });
    return new AIMessage({ ...fields, tool_calls: unit.calls.map((c) => ({ ...c, type: 'tool_call' })) });
  }
}

function trim(
  core: LangChain,
  tokensOf: (unit: Unit) => number,
  more: Record<string, unknown>,
  settings: string,
): Curator {
  const as = new AsLangChain(core, tokensOf);
  return {
    name: 'LangChain trimMessages',
    settings,
    async curate(history, n) {
      const units = history.upTo(n);
      const kept = await core.trimMessages(
        units.map((u) => as.message(u)),
        {
          ...{ maxTokens: BUDGET, strategy: 'last', includeSystem: true, tokenCounter: as.tokens },
          ...more,
        },
      );
      const ids = new Set(kept.map((m) => m.id));
      return whole(units.filter((u) => ids.has(as.message(u).id)));
    },
  };
}

function clear(
  core: LangChain,
  Edit: ClearEdit,
  tokensOf: (unit: Unit) => number,
  config: Record<string, unknown>,
  settings: string,
): Curator {
  const as = new AsLangChain(core, tokensOf);
  const edit = new Edit(config);
  return {
    name: 'LangChain ClearToolUsesEdit',
    settings,
    async curate(history, n) {
      const units = history.upTo(n);
      const byCall = new Map(units.filter((u) => u.role === 'tool').map((u) => [u.callId, u]));
      const messages = units.map((u) => as.message(u));
      await edit.apply({ messages, countTokens: async (list) => as.tokens(list) });
      return messages.flatMap((m) => {
        const unit = as.unit(m);
        if (unit !== undefined) return whole([unit]);
        const cleared = byCall.get(m.tool_call_id ?? '');
        return cleared === undefined
          ? []
          : whole([cleared]).map((kept) => ({ ...kept, body: String(m.content) }));
      });
    },
  };
}

interface SdkPart {
  type: string;
  toolCallId?: string;
  toolName?: string;
  kept: Kept;
}
interface SdkMessage {
  role: string;
  content: SdkPart[];
}
interface AiSdk {
  pruneMessages(o: { messages: SdkMessage[]; reasoning: string; toolCalls: string }): SdkMessage[];
}

function prune(pruneMessages: AiSdk['pruneMessages'], toolCalls: string): Curator {
  return {
    name: 'AI SDK pruneMessages',
    settings: `tool calls ${toolCalls}, reasoning before-last-message`,
    curate(history, n) {
      const messages: SdkMessage[] = [];
      for (const unit of history.upTo(n)) {
        const content = unit.parts.map((part) => sdkPart(history, unit, part));
        // All results of one answer are one message there.
        const last = messages.at(-1);
        if (unit.role === 'tool' && last?.role === 'tool') last.content.push(...content);
        else messages.push({ role: unit.role, content });
      }
      return pruneMessages({ messages, reasoning: 'before-last-message', toolCalls }).flatMap((m) =>
        m.content.map((p) => p.kept),
      );
    },
  };
}

function sdkPart(history: History, { message, tool }: Unit, part: number): SdkPart {
  const kept = { message, part };
  const p = history.readings[message]!.parts[part];
  if (p?.kind === 'tool_call')
    return { type: 'tool-call', toolCallId: p.callId ?? '', toolName: p.tool ?? '', kept };
  if (p?.kind === 'tool_result')
    return { type: 'tool-result', toolCallId: p.callId ?? '', toolName: tool, kept };
  return { type: p?.kind === 'thinking' ? 'reasoning' : 'text', kept };
}
