// An agent that does at random what real agents do, rightly and wrongly, against a fake provider that refuses what real
// ones refuse. Every choice comes from one seed.

import type { FakeAnthropic } from '../conformance/fakes/anthropic.js';
import type { FakeOpenAi } from '../conformance/fakes/openai.js';
import type { BenchDaemon, Json } from '../session/bench-daemon.js';
import type { Dice } from './dice.js';

export type AgentFormat = 'anthropic' | 'openai-chat' | 'openai-responses';

export interface Provider {
  ask(request: Json, betas?: string[]): { status: number; body: Json };
}

export function providerOf(
  format: AgentFormat,
  model: string,
  fakes: { anthropic: FakeAnthropic; openai: FakeOpenAi },
): Provider {
  return {
    ask: (request, betas = []) =>
      format === 'anthropic'
        ? fakes.anthropic.messages(JSON.stringify({ model, max_tokens: 1000, ...request }), {
            'anthropic-beta': betas.join(','),
          })
        : format === 'openai-chat'
          ? fakes.openai.chat(JSON.stringify({ model, ...request }))
          : fakes.openai.responses(
              JSON.stringify({
                model,
                instructions: request.system,
                tools: request.tools,
                input: request.messages,
              }),
            ),
  };
}

const WORDS =
  'alpha beta gamma delta src/main.ts error 404 config.yaml value=17 the a of "quoted" 数据 🙂 end'.split(
    ' ',
  );
const TOOLS = ['read_file', 'shell', 'grep', 'ask_user', 'web_fetch'];

/** Definitions of the agent's tools, some of them in classes that discovery may hide. */
export function toolsOf(format: AgentFormat): Json[] {
  return TOOLS.map((name) => {
    const schema = { type: 'object', properties: { path: { type: 'string' } } };
    const own = name === 'web_fetch' ? { class: 'web' } : name === 'ask_user' ? {} : { class: 'files' };
    const fields = { name, description: `The tool ${name}.` };
    if (format === 'anthropic') return { ...fields, input_schema: schema, ...own };
    return format === 'openai-chat'
      ? { type: 'function', function: { ...fields, parameters: schema }, ...own }
      : { type: 'function', ...fields, parameters: schema, ...own };
  });
}

export function prose(dice: Dice, words: number): string {
  return Array.from({ length: words }, () => dice.pick(WORDS)).join(' ');
}

/** What a tool gives back: mostly small, sometimes large, now and then empty, an error or a picture. */
function output(dice: Dice): { content: Json; error: boolean } {
  const error = dice.chance(0.08);
  if (dice.chance(0.04)) return { content: '', error };
  if (dice.chance(0.05)) {
    return {
      content: [
        { type: 'text', text: prose(dice, 5) },
        {
          type: 'image',
          source: {
            type: 'base64',
            media_type: 'image/png',
            data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ',
          },
        },
      ],
      error,
    };
  }
  return { content: prose(dice, dice.chance(0.25) ? 600 : 30), error };
}

let serial = 0;

/** A call id: usually fresh, sometimes one that the host has used before. */
function callId(dice: Dice): string {
  serial += 1;
  return dice.chance(0.05) ? `again_${dice.below(3)}` : `call_${serial.toString(36)}`;
}

/** What the assistant says next: text, or one to four calls, with the thinking that the provider issued. */
export function reply(dice: Dice, format: AgentFormat, issued: Json): Json[] {
  const calls = dice.chance(0.6) ? 1 + dice.below(dice.chance(0.2) ? 4 : 1) : 0;
  const made = Array.from({ length: calls }, () => ({
    id: callId(dice),
    name: dice.pick(TOOLS),
    input: { path: dice.pick(['a.ts', 'b.ts', 'c.ts']), n: dice.below(3) },
  }));
  if (format === 'anthropic') {
    const thinking = (issued.content ?? []).filter((b: Json) => b.type === 'thinking');
    const text = calls === 0 || dice.chance(0.5) ? [{ type: 'text', text: prose(dice, 8) }] : [];
    return [
      {
        role: 'assistant',
        content: [...thinking, ...text, ...made.map((c) => ({ type: 'tool_use', ...c }))],
      },
    ];
  }
  if (format === 'openai-responses') {
    const said = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: prose(dice, 6) }],
    };
    return calls === 0
      ? [said]
      : made.map((c) => ({
          type: 'function_call',
          call_id: c.id,
          name: c.name,
          arguments: JSON.stringify(c.input),
        }));
  }
  return calls === 0
    ? [{ role: 'assistant', content: prose(dice, 8) }]
    : [
        {
          role: 'assistant',
          content: dice.chance(0.5) ? null : prose(dice, 4),
          tool_calls: made.map((c) => ({
            id: c.id,
            type: 'function',
            function: { name: c.name, arguments: JSON.stringify(c.input) },
          })),
        },
      ];
}

export function callsOf(format: AgentFormat, said: readonly Json[]): string[] {
  return said.flatMap((message) => callsIn(format, message));
}

function callsIn(format: AgentFormat, message: Json): string[] {
  if (format === 'openai-responses') return message.type === 'function_call' ? [message.call_id] : [];
  if (message.role !== 'assistant') return [];
  return format === 'anthropic'
    ? message.content.filter((b: Json) => b.type === 'tool_use').map((b: Json) => b.id)
    : (message.tool_calls ?? []).map((c: Json) => c.id);
}

/** Results of a message's calls; with `wrong`, as a careless host writes them: one missing, one twice, one orphan, late text first. */
export function results(dice: Dice, format: AgentFormat, ids: readonly string[], wrong: boolean): Json[] {
  const list = ids.map((id) => ({ id, ...output(dice) }));
  if (wrong && dice.chance(0.4)) list.splice(dice.below(list.length), 1);
  if (wrong && dice.chance(0.3) && list.length > 0) list.push({ ...dice.pick(list), content: 'again' });
  if (wrong && dice.chance(0.2)) list.push({ id: 'orphan', ...output(dice) });
  if (wrong && dice.chance(0.3)) list.reverse();
  if (format === 'anthropic') {
    const blocks: Json[] = list.map((r) => ({
      type: 'tool_result',
      tool_use_id: r.id,
      content: r.content,
      ...(r.error ? { is_error: true } : {}),
    }));
    if (dice.chance(0.1)) blocks.push({ type: 'text', text: prose(dice, 5) });
    if (wrong && dice.chance(0.3)) blocks.unshift({ type: 'text', text: 'by the way' });
    return blocks.length === 0
      ? [{ role: 'user', content: prose(dice, 4) }]
      : [{ role: 'user', content: blocks }];
  }
  if (format === 'openai-responses') {
    const items: Json[] = list.map((r) => ({
      type: 'function_call_output',
      call_id: r.id,
      output: typeof r.content === 'string' ? r.content : prose(dice, 9),
    }));
    return items.length === 0 ? [{ role: 'user', content: prose(dice, 4) }] : items;
  }
  const messages: Json[] = list.map((r) => ({
    role: 'tool',
    tool_call_id: r.id,
    content: typeof r.content === 'string' ? r.content : prose(dice, 9),
  }));
  return messages.length === 0 ? [{ role: 'user', content: prose(dice, 4) }] : messages;
}

export async function journalOf(d: BenchDaemon): Promise<Json[]> {
  const out: Json[] = [];
  for (let from = 1; ; ) {
    const page = await d.call('journal.read', { session: 's', from_seq: from });
    out.push(...page.events);
    if (page.events.length === 0) return out;
    from = page.next_seq;
  }
}
