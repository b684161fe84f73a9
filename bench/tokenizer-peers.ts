// The other token counters, for comparison only. @dqbd/tiktoken is a dependency; the rest are installed on demand with
// `npm install --prefix bench/peers` and are reported as absent otherwise.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { get_encoding } from '@dqbd/tiktoken';
import type { BuiltInEncoding as Encoding } from '../native/index.js';

export interface Peer {
  name: string;
  count(text: string, encoding: Encoding): number;
}

const folder = resolve(fileURLToPath(import.meta.url), '../../../bench/peers/node_modules');

export function reference(): Peer {
  const of = { o200k_base: get_encoding('o200k_base'), cl100k_base: get_encoding('cl100k_base') };
  return { name: '@dqbd/tiktoken', count: (text, e) => of[e].encode_ordinary(text).length };
}

/** Loads what is installed; `absent` names the others. */
export async function npmPeers(): Promise<{ peers: Peer[]; absent: string[] }> {
  const load = async (path: string): Promise<Record<string, unknown>> =>
    (await import(pathToFileURL(join(folder, path)).href)) as Record<string, unknown>;
  const makers: Record<string, () => Promise<Peer>> = {
    'js-tiktoken': async () => {
      const { getEncoding } = (await load('js-tiktoken/dist/index.js')) as {
        getEncoding(e: string): { encode(t: string, allowed: string[], disallowed: string[]): number[] };
      };
      const of = { o200k_base: getEncoding('o200k_base'), cl100k_base: getEncoding('cl100k_base') };
      return { name: 'js-tiktoken', count: (t, e) => of[e].encode(t, [], []).length };
    },
    'gpt-tokenizer': async () => {
      const [a, b] = (await Promise.all([
        load('gpt-tokenizer/esm/encoding/o200k_base.js'),
        load('gpt-tokenizer/esm/encoding/cl100k_base.js'),
      ])) as unknown as { countTokens(t: string, o: object): number }[];
      const plain = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
      return { name: 'gpt-tokenizer', count: (t, e) => (e === 'o200k_base' ? a! : b!).countTokens(t, plain) };
    },
    'ai-tokenizer': async () => {
      const { default: Tokenizer } = (await load('ai-tokenizer/dist/index.js')) as {
        default: new (data: unknown) => { encode(t: string): number[]; count?(t: string): number };
      };
      const of = {
        o200k_base: new Tokenizer(await load('ai-tokenizer/dist/encoding/o200k_base.js')),
        cl100k_base: new Tokenizer(await load('ai-tokenizer/dist/encoding/cl100k_base.js')),
      };
      return { name: 'ai-tokenizer', count: (t, e) => of[e].count?.(t) ?? of[e].encode(t).length };
    },
  };
  const peers: Peer[] = [];
  const absent: string[] = [];
  for (const [name, make] of Object.entries(makers)) {
    if (existsSync(join(folder, name))) peers.push(await make());
    else absent.push(name);
  }
  return { peers, absent };
}
