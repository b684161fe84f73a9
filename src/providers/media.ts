// What an image or a document weighs: pixels from the host's hint or the file's own header, never its base64 length.
import type { Path } from '../json/index.js';
import type { ImageRule, Media } from './types.js';
import { isObject, itemsAt, member, str } from './values.js';

/** Tokens of an image of unknown size: about 1,100 x 1,100 px. */
export const UNKNOWN_IMAGE_TOKENS = 1_600;
/** Tokens of one page of a document: its text and its picture (1,500 to 3,000 of text by Anthropic's PDF guide). */
export const PAGE_TOKENS = 3_000;
/** Bytes of a PDF page where the count of pages is not told; scans have more, plain text less. */
const BYTES_A_PAGE = 50_000;
/** Enough of the head for every header we read; JPEG frames may stand behind long metadata. */
const HEAD_BASE64 = 87_384;

/** Decoded size of base64 text, without decoding it. */
export function base64Bytes(data: string): number {
  const pad = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - pad);
}

export interface Pixels {
  width: number;
  height: number;
}

/** Width and height out of the header of a PNG, GIF, WebP or JPEG; undefined where there is none to be found. */
export function imagePixels(base64: string): Pixels | undefined {
  const short = Buffer.from(base64.slice(0, 64), 'base64');
  const found = pngPixels(short) ?? gifPixels(short) ?? webpPixels(short);
  if (found !== undefined) return sane(found);
  if (short[0] !== 0xff || short[1] !== 0xd8) return undefined;
  const jpeg = jpegPixels(Buffer.from(base64.slice(0, HEAD_BASE64), 'base64'));
  return jpeg && sane(jpeg);
}

function sane(p: Pixels): Pixels | undefined {
  return p.width > 0 && p.height > 0 ? p : undefined;
}

function pngPixels(b: Buffer): Pixels | undefined {
  if (b.length < 24 || b.readUInt32BE(0) !== 0x89504e47 || b.toString('latin1', 12, 16) !== 'IHDR')
    return undefined;
  return { width: b.readUInt32BE(16), height: b.readUInt32BE(20) };
}

function gifPixels(b: Buffer): Pixels | undefined {
  if (b.length < 10 || !/^GIF8[79]a$/.test(b.toString('latin1', 0, 6))) return undefined;
  return { width: b.readUInt16LE(6), height: b.readUInt16LE(8) };
}

function webpPixels(b: Buffer): Pixels | undefined {
  if (b.length < 30 || b.toString('latin1', 0, 4) !== 'RIFF' || b.toString('latin1', 8, 12) !== 'WEBP')
    return undefined;
  const chunk = b.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return { width: b.readUIntLE(24, 3) + 1, height: b.readUIntLE(27, 3) + 1 };
  if (chunk === 'VP8 ') return { width: b.readUInt16LE(26) & 0x3fff, height: b.readUInt16LE(28) & 0x3fff };
  if (chunk !== 'VP8L') return undefined;
  const bits = b.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function jpegPixels(b: Buffer): Pixels | undefined {
  let i = 2;
  while (i + 9 < b.length) {
    if (b[i] !== 0xff) return undefined;
    const marker = b[i + 1]!;
    if (marker === 0xff) {
      i++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: b.readUInt16BE(i + 7), height: b.readUInt16BE(i + 5) };
    i += 2 + b.readUInt16BE(i + 2);
  }
  return undefined;
}

/** Tokens of one image or document. */
export function mediaTokens(media: Media, rule: ImageRule): number {
  if (media.kind === 'document') {
    const pages = media.pages ?? Math.max(1, Math.ceil(media.bytes / BYTES_A_PAGE));
    return pages * PAGE_TOKENS;
  }
  if (media.width === undefined || media.height === undefined) return UNKNOWN_IMAGE_TOKENS;
  return imageTokens(media.width, media.height, rule);
}

/** PV-A51, PV-C12: tokens of `width` x `height` pixels. */
export function imageTokens(width: number, height: number, rule: ImageRule): number {
  if (rule.kind === 'tiles') return tileTokens(width, height, rule);
  const scale = Math.min(1, rule.maxEdge / Math.max(width, height));
  const patches = Math.ceil((width * scale) / rule.patch) * Math.ceil((height * scale) / rule.patch);
  return rule.base + Math.min(rule.maxTokens, Math.ceil(rule.perPatch * patches));
}

/** OpenAI's GPT-4o class: fit into 2048 px, then the short edge to 768 px, then 512 px tiles. */
function tileTokens(width: number, height: number, rule: ImageRule): number {
  const fit = Math.min(1, rule.maxEdge / Math.max(width, height));
  const short = Math.min(1, 768 / (Math.min(width, height) * fit));
  const tiles =
    Math.ceil((width * fit * short) / rule.patch) * Math.ceil((height * fit * short) / rule.patch);
  return rule.base + Math.min(rule.maxTokens, rule.perPatch * tiles);
}

/** A host's hint on a block: `_px: [width, height]` and `_pages: n`. */
function hints(block: unknown): { width?: number; height?: number; pages?: number } {
  const px = itemsAt(block, ['_px']);
  const [w, h] = px;
  const pages = member(block, '_pages');
  return {
    ...(typeof w === 'number' && typeof h === 'number' && w > 0 && h > 0 ? { width: w, height: h } : {}),
    ...(typeof pages === 'number' && pages > 0 ? { pages } : {}),
  };
}

/** A Media from base64 data; `block` may carry the host's hint. */
export function mediaOf(
  kind: Media['kind'],
  path: Path,
  block: unknown,
  source: { data?: string | undefined; mediaType?: string | undefined },
): Media {
  const { data, mediaType } = source;
  const hint = hints(block);
  const px =
    kind === 'image' && hint.width === undefined && data !== undefined ? imagePixels(data) : undefined;
  return {
    kind,
    path,
    ...(mediaType === undefined ? {} : { mediaType }),
    ...px,
    ...hint,
    bytes: data === undefined ? 0 : base64Bytes(data),
    ...(data === undefined ? { url: true } : {}),
  };
}

const DATA_URL = /^data:([^;,]{0,127})(?:;[^,]{0,127})?;base64,/;

/** A Media from an URL, which may be a data URL. */
export function mediaOfUrl(kind: Media['kind'], path: Path, block: unknown, url: string): Media {
  const head = DATA_URL.exec(url.slice(0, 300));
  if (head === null) return mediaOf(kind, path, block, {});
  return mediaOf(kind, path, block, { data: url.slice(head[0].length), mediaType: head[1] });
}

/** An Anthropic image or document block. */
export function anthropicMedia(kind: Media['kind'], path: Path, block: unknown): Media {
  const source = member(block, 'source');
  const mediaType = str(source, 'media_type');
  if (!isObject(source) || source['type'] !== 'base64') return mediaOf(kind, path, block, { mediaType });
  return mediaOf(kind, path, block, { data: str(source, 'data'), mediaType });
}
