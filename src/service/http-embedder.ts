// Vectors over HTTP, as OpenAI and compatible servers give them (`/v1/embeddings`). The key comes from the environment or a file
// that only its owner can read; it is in no event, no log and no error.

import { fetch } from 'undici';
import type { Answer } from '../session/topics/vectors.js';

export interface HttpEmbedderOptions {
  /** Base address, with or without the API's path. */
  url: string;
  model: string;
  /** Asked for, and required of the answer; undefined: whatever the model gives. */
  dimensions?: number | undefined;
  /** Gives the key, or undefined for servers that want none. Asked at each call, so that a new key is used at once. */
  key(): string | undefined;
}

/** No vector is that long as text. */
const MAX_BYTES = 1024 * 1024;

/** One text's vector, or in a few words why there is none. Never throws. */
export async function embedOverHttp(
  o: HttpEmbedderOptions,
  text: string,
  deadlineMs: number,
): Promise<Answer> {
  let key: string | undefined;
  try {
    key = o.key();
  } catch {
    return { failed: 'the key cannot be read' };
  }
  try {
    const response = await fetch(endpoint(o.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({
        model: o.model,
        input: [text],
        encoding_format: 'float',
        ...(o.dimensions === undefined ? {} : { dimensions: o.dimensions }),
      }),
      signal: AbortSignal.timeout(deadlineMs),
      // A key is for the address that was configured and for no other.
      redirect: 'error',
    });
    // What the server says of a refusal may repeat what it was sent: the status is enough.
    if (!response.ok) return { failed: `the embeddings server answered ${response.status}` };
    const body = await response.text();
    if (body.length > MAX_BYTES) return { failed: 'the answer is too long' };
    const vector = vectorIn(JSON.parse(body));
    return vector === undefined ? { failed: 'the answer holds no vector' } : { model: o.model, vector };
  } catch (e) {
    const late = (e as Error).name === 'TimeoutError';
    return { failed: late ? `no answer within ${deadlineMs} ms` : 'the embeddings server cannot be asked' };
  }
}

function endpoint(url: string): string {
  const base = url.replace(/\/+$/, '');
  if (base.endsWith('/embeddings')) return base;
  return base.endsWith('/v1') ? `${base}/embeddings` : `${base}/v1/embeddings`;
}

function vectorIn(value: unknown): unknown {
  const data = (value as { data?: unknown } | null)?.data;
  return Array.isArray(data) ? (data[0] as { embedding?: unknown } | undefined)?.embedding : undefined;
}
