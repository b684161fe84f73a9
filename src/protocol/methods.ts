// The table of all methods a client may call: one schema each for params and result, written once. It validates
// the frames, types the code and generates the OpenRPC document. Pure.
import type { z } from 'zod';
import type { Native } from '../json/native.js';
import type { RawJson } from '../json/raw.js';
import { CONNECTION_METHODS } from './methods/connection.js';
import { CONTEXT_METHODS } from './methods/context.js';
import { JOURNAL_METHODS } from './methods/journal.js';
import { PREPARE_METHODS } from './methods/prepare.js';
import { SESSION_METHODS } from './methods/session.js';

export const METHODS = {
  ...CONNECTION_METHODS,
  ...SESSION_METHODS,
  ...PREPARE_METHODS,
  ...CONTEXT_METHODS,
  ...JOURNAL_METHODS,
} as const;

export type MethodName = keyof typeof METHODS;
/** Decoded params of a method: verbatim values as `Native`. */
export type Params<M extends MethodName> = z.output<(typeof METHODS)[M]['params']>;
/** Result of a method as the daemon makes it: verbatim values as `RawJson` (a `Native` is one). */
export type Result<M extends MethodName> = z.input<(typeof METHODS)[M]['result']>;

/** RawJson is one field wide, so that every shape with a `text` looks like it to the compiler; this one does not. */
type IsVerbatim<T> = T extends Native
  ? true
  : T extends RawJson
    ? [keyof T] extends ['text']
      ? true
      : false
    : false;

/** What a shape is outside of the daemon: verbatim values are plain JSON values. */
export type Wire<T> =
  // Each part of a union by itself, so that an optional verbatim value is still one.
  T extends unknown
    ? IsVerbatim<T> extends true
      ? // biome-ignore lint/suspicious/noExplicitAny: any JSON value; the provider's own type fits here
        any
      : T extends readonly (infer U)[]
        ? Wire<U>[]
        : T extends object
          ? { [K in keyof T]: Wire<T[K]> }
          : T
    : never;
/** Params as a client writes them. */
export type WireParams<M extends MethodName> = Wire<Params<M>>;
/** A result as a client reads it. */
export type WireResult<M extends MethodName> = Wire<Result<M>>;

export function isMethod(name: string): name is MethodName {
  return Object.hasOwn(METHODS, name);
}
