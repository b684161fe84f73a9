// The checks' own token measure (README 6): o200k_base over all text, no surcharge, images w*h/750 or 1,600.
// Uses the public tokenizer, not the product's, so that both can be wrong only independently.
import { get_encoding, type Tiktoken } from '@dqbd/tiktoken';
import { isObj, type Obj, objs, str } from './types.js';

let encoder: Tiktoken | undefined;
const memo = new Map<string, number>();

/** Runs without a break are cut here: the encoder's merge is quadratic in the length of a piece. */
const RUN = /[^\s\p{L}\p{N}]{513,}|\p{L}{513,}|\s{513,}/gu;
const RUN_CUT = 256;

export function textTokens(text: string): number {
  if (text === '') return 0;
  const seen = memo.get(text);
  if (seen !== undefined) return seen;
  encoder ??= get_encoding('o200k_base');
  let n = 0;
  let from = 0;
  for (const m of text.matchAll(RUN)) {
    if (m.index > from) n += encoder.encode_ordinary(text.slice(from, m.index)).length;
    n += runTokens(encoder, m[0]);
    from = m.index + m[0].length;
  }
  if (from < text.length) n += encoder.encode_ordinary(text.slice(from)).length;
  if (text.length < 4_000_000) memo.set(text, n);
  return n;
}

function runTokens(enc: Tiktoken, run: string): number {
  let n = 0;
  for (let i = 0; i < run.length; i += RUN_CUT) n += enc.encode_ordinary(run.slice(i, i + RUN_CUT)).length;
  return n;
}

/** Pixel sizes of images by their payload, since an emitted request carries no hints. */
export type PixelHints = ReadonlyMap<string, readonly [number, number]>;

function payloadKey(image: Obj): string {
  const source = isObj(image['source']) ? image['source'] : image['image_url'];
  return JSON.stringify(source ?? image);
}

export function collectPixels(v: unknown, into = new Map<string, [number, number]>()): PixelHints {
  if (Array.isArray(v)) for (const x of v) collectPixels(x, into);
  else if (isObj(v)) {
    const px = v['_px'];
    if (Array.isArray(px)) into.set(payloadKey(v), [Number(px[0]), Number(px[1])]);
    for (const x of Object.values(v)) if (typeof x === 'object') collectPixels(x, into);
  }
  return into;
}

function imageTokens(image: Obj, pixels: PixelHints): number {
  const px = pixels.get(payloadKey(image));
  return px === undefined ? 1600 : Math.ceil((px[0] * px[1]) / 750);
}

function blockTokens(b: unknown, pixels: PixelHints): number {
  if (typeof b === 'string') return textTokens(b);
  if (!isObj(b)) return 0;
  const type = str(b['type']) ?? '';
  if (type === 'image' || type === 'image_url' || type === 'input_image') return imageTokens(b, pixels);
  if (type === 'thinking') return textTokens(str(b['thinking']) ?? '');
  if (type === 'redacted_thinking') return 0;
  if (type === 'tool_use' || type === 'server_tool_use') {
    return textTokens(str(b['name']) ?? '') + textTokens(JSON.stringify(b['input']) ?? '');
  }
  if (type.endsWith('tool_result')) return contentTokens(b['content'], pixels);
  if (typeof b['text'] === 'string') return textTokens(b['text']);
  if (type === 'document') return 1600;
  return textTokens(JSON.stringify(b));
}

function contentTokens(content: unknown, pixels: PixelHints): number {
  if (typeof content === 'string') return textTokens(content);
  if (Array.isArray(content)) return content.reduce((n: number, b) => n + blockTokens(b, pixels), 0);
  return isObj(content) ? blockTokens(content, pixels) : 0;
}

/** Tokens of one message or Responses item. */
export function messageTokens(m: Obj, pixels: PixelHints): number {
  let n = contentTokens(m['content'], pixels);
  n += textTokens(str(m['reasoning_content']) ?? '');
  for (const c of objs(m['tool_calls'])) {
    const f = isObj(c['function']) ? c['function'] : c;
    n += textTokens(str(f['name']) ?? '') + textTokens(str(f['arguments']) ?? '');
  }
  n += textTokens(str(m['arguments']) ?? '');
  if (!('role' in m)) n += textTokens(str(m['name']) ?? '');
  n += contentTokens(m['output'], pixels);
  for (const s of objs(m['summary'])) n += textTokens(str(s['text']) ?? '');
  return n;
}

/** Tokens of system, tools and list together. */
export function requestTokens(request: Obj, pixels: PixelHints): number {
  let n = contentTokens(request['system'], pixels);
  for (const t of objs(request['tools'])) n += textTokens(JSON.stringify(t));
  for (const m of objs(request['messages'] ?? request['input'])) n += messageTokens(m, pixels);
  return n;
}
