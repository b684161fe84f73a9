// The packet at session start: layers put together under one budget (R-13, M-11, M-12). Pure.

export type LayerName = 'L0' | 'L1';

export interface PacketLayer {
  layer: LayerName;
  text: string;
  tokens: number;
}

export interface Packet {
  layers: PacketLayer[];
  text: string;
  tokens: number;
  /** Age of the map in days; 0 when there is none. */
  stale_days: number;
}

/** all of the packet is smaller than this. */
export const PACKET_BYTES = 6000;
/** M-12: all of the packet has at most so many tokens. */
const PACKET_TOKENS = 900;

export interface Pieces {
  identity: string;
  map: string;
  hygiene: string;
  /** Writes the story within a number of tokens and bytes; '' when nothing fits. */
  story: (maxTokens: number, maxBytes: number) => string;
  staleDays: number;
}

/** The story is cut first, then hygiene, then the map, then the identity goes: nothing is ever over the budget. */
export function assemble(p: Pieces, count: (text: string) => number, budget = PACKET_TOKENS): Packet {
  const max = Math.min(budget, PACKET_TOKENS);
  const fits = (text: string) => count(text) <= max && Buffer.byteLength(text) < PACKET_BYTES;
  const join = (parts: readonly string[]) => parts.filter((t) => t !== '').join('\n\n');
  const kept: { identity: string; l1: string[] } = { identity: '', l1: [] };
  if (fits(p.identity)) kept.identity = p.identity;
  for (const part of [p.map, p.hygiene]) {
    if (part !== '' && fits(join([kept.identity, ...kept.l1, part]))) kept.l1.push(part);
  }
  const fixed = join([kept.identity, ...kept.l1]);
  // A little room for the seam between the parts, whose tokens no part has.
  const room = max - count(fixed) - 2;
  const bytes = PACKET_BYTES - Buffer.byteLength(fixed) - 3;
  const story = room > 0 && bytes > 0 ? p.story(room, bytes) : '';
  if (story !== '' && fits(join([fixed, story]))) kept.l1.push(story);
  const layers: PacketLayer[] = [];
  if (kept.identity !== '') layers.push({ layer: 'L0', text: kept.identity, tokens: count(kept.identity) });
  const l1 = join(kept.l1);
  if (l1 !== '') layers.push({ layer: 'L1', text: l1, tokens: count(l1) });
  const text = join(layers.map((l) => l.text));
  return { layers, text, tokens: text === '' ? 0 : count(text), stale_days: p.staleDays };
}
