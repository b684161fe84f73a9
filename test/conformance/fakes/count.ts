// The fakes' own tokenizer: UTF-8 bytes / 4 over the texts that a provider counts. Deterministic, close enough for caches.
import { isObj, type Obj } from '../types.js';

export function textSize(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

const IMAGE_TOKENS = 1500;

/** Keys that carry no tokens of their own. */
const SILENT = new Set([
  'type',
  'role',
  'id',
  'tool_use_id',
  'tool_call_id',
  'call_id',
  'cache_control',
  'signature',
  'ttl',
]);

/** Tokens of a block, message, item or tool definition. */
export function sizeOf(v: unknown): number {
  if (typeof v === 'string') return textSize(v);
  if (typeof v === 'number' || typeof v === 'boolean') return 1;
  if (Array.isArray(v)) return v.reduce((n: number, x) => n + sizeOf(x), 0);
  if (!isObj(v)) return 0;
  const type = String(v['type']);
  if (type === 'image' || type === 'image_url' || type === 'input_image') return IMAGE_TOKENS;
  return Object.entries(v).reduce((n, [k, x]) => (SILENT.has(k) ? n : n + sizeOf(x)), 0);
}

/** Tokens of the parts that every provider counts. */
export function requestSize(request: Obj): number {
  return ['tools', 'system', 'instructions', 'messages', 'input'].reduce((n, k) => n + sizeOf(request[k]), 0);
}
