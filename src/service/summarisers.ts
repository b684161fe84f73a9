// Which summariser a session gets: the connected agent's model, one over HTTP, or the built-in one.

import { CuratedError } from '../errors.js';
import { RawJson } from '../json/index.js';
import type { Pool } from '../pool/pool.js';
import { specOf } from '../providers/spec.js';
import type { SummariserWanted } from '../session/deps.js';
import { BuiltInSummariser } from '../summary/built-in.js';
import { httpComplete, keyFrom } from '../summary/http.js';
import { type Complete, ModelSummariser } from '../summary/model.js';
import type { Summariser } from '../summary/summariser.js';
import { extractIn } from '../summary/task.js';
import type { Caller } from './context.js';

/** Time for one answer of the client; the cycle's own deadline ends it before. */
const ASK_MS = 10 * 60_000;

export function summariserFor(wanted: SummariserWanted, pool: Pool, env: NodeJS.ProcessEnv): Summariser {
  const { settings, encoding } = wanted;
  const { kind, url, model, api, keyEnv } = settings.curated.summarizer;
  const caller = wanted.holder as Caller | undefined;
  const count = (texts: readonly string[]) => pool.countTokens(texts, encoding);
  if ((kind === 'auto' || kind === 'client') && caller?.can('llm')) {
    const declared = Number(caller.llm?.['max_input_tokens']);
    return new ModelSummariser({
      kind: 'client',
      complete: clientComplete(caller, wanted),
      maxInputTokens: Number.isFinite(declared) && declared > 0 ? declared : roomOf(wanted.window),
      count,
    });
  }
  if ((kind === 'auto' && url !== undefined) || kind === 'http') {
    if (url === undefined || model === undefined)
      throw new CuratedError('CONFIG', 'curated.summarizer needs url and model for kind http');
    return new ModelSummariser({
      kind: 'http',
      complete: httpComplete({ api, url, model, key: () => keyFrom(keyEnv, env) }),
      maxInputTokens: roomOf(wanted.window),
      count,
    });
  }
  return new BuiltInSummariser((payload) => extractIn(pool, payload, { background: wanted.background }));
}

/** Input that a model of this window takes beside the longest answer; unknown windows are not guessed. */
function roomOf(window: number | undefined): number | undefined {
  return window === undefined ? undefined : window - Math.min(20_000, Math.floor(window / 2));
}

function clientComplete(caller: Caller, wanted: SummariserWanted): Complete {
  const { format } = wanted;
  return async (r, signal) => {
    if (signal.aborted) throw new CuratedError('SUMMARY_FAILED', 'late');
    const answer = await caller.ask(
      'llm.complete',
      {
        session: r.session,
        purpose: r.purpose,
        system: r.system,
        messages: [new RawJson(specOf(format).textMessage('user', r.user))],
        max_tokens: r.maxTokens,
      },
      ASK_MS,
    );
    const calls = (answer as { tool_calls?: unknown }).tool_calls;
    return {
      text: answer.text,
      stopReason: answer.stop_reason,
      toolCalls: Array.isArray(calls) && calls.length > 0,
    };
  };
}
