// The fakes' own tokenizer: UTF-8 bytes / 4 over the texts that a provider counts. Deterministic, close enough for caches.
import { isObj, type Obj } from '../types.js';

export function textSize(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** Of an image whose pixels cannot be read. */
const IMAGE_TOKENS = 1500;
const MOST_IMAGE_TOKENS = 1568;

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
  if (type === 'image' || type === 'image_url' || type === 'input_image') return imageSize(v);
  return Object.entries(v).reduce((n, [k, x]) => (SILENT.has(k) ? n : n + sizeOf(x)), 0);
}

/** PV-A51: 28 pixel patches of a PNG, by its header; never its bytes. */
function imageSize(block: Obj): number {
  const source = block['source'];
  const data = isObj(source) && typeof source['data'] === 'string' ? source['data'] : '';
  const head = Buffer.from(data.slice(0, 40), 'base64');
  if (head.length < 24 || head.toString('latin1', 1, 4) !== 'PNG') return IMAGE_TOKENS;
  const patches = Math.ceil(head.readUInt32BE(16) / 28) * Math.ceil(head.readUInt32BE(20) / 28);
  return Math.min(MOST_IMAGE_TOKENS, patches);
}

/** Tokens of the parts that every provider counts. */
export function requestSize(request: Obj): number {
  return ['tools', 'system', 'instructions', 'messages', 'input'].reduce((n, k) => n + sizeOf(request[k]), 0);
}
