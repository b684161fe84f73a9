// A value inside a frame that has not been read yet; both subprotocols give frames as pieces. Pure.

import type { Native } from '../json/native.js';
import { pointer } from '../json/path.js';

export interface Piece {
  readonly kind: 'object' | 'array' | 'scalar';
  /**
   * Members of an object, of nothing else. Throws BAD_FRAME for a key that stands twice. `each` sees the members as
   * they are found, so that what came before a fault is known.
   */
  members(each?: (key: string, piece: Piece) => void): Map<string, Piece>;
  /** Items of an array, of nothing else. */
  items(): Piece[];
  /**
   * The decoded value. `path` is the place named in errors. Throws BAD_FRAME for text that is not JSON, BAD_TYPE for
   * values JSON has not, UNKNOWN_FIELD for keys that every object inherits.
   */
  plain(path: string): unknown;
  /** Same, for values that go to a check of their own: numbers may be anything. */
  lenient(path: string): unknown;
  /** The value as exact JSON text. */
  native(path: string): Native;
  /**
   * The same, not looked into: what is no JSON is BAD_FRAME when somebody asks for the value. Of a history that comes again
   * nearly everything is known by its text. Whoever stores it takes `kept()`.
   */
  unread(path: string): Native;
}

/** Keys that are never fields: what every object inherits, and what makes a promise of it. */
const POISON: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  'prototype',
  'then',
]);

export function isPoison(key: string): boolean {
  return POISON.has(key);
}

/** The JSON pointer of a member or an item below `path`: how every error of the wire names a place. */
export function join(path: string, step: string | number): string {
  return `${path}${pointer([step])}`;
}

/** Default bound on the nesting of one frame. Real requests stay below 40. */
export const MAX_FRAME_DEPTH = 500;
/** The same for who reads answers: what was taken in lies a few levels deeper there. */
export const MAX_ANSWER_DEPTH = MAX_FRAME_DEPTH + 50;
