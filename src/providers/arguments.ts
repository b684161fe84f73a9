// Call arguments as OpenAI writes them: a string that holds a JSON object.
import { isObject } from './values.js';

/** The parsed arguments; undefined where the string is no JSON. Never throws. */
export function parsedArgs(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** PV-C5: the string holds a JSON object. */
export function holdsObject(text: unknown): boolean {
  return typeof text === 'string' && isObject(parsedArgs(text));
}
