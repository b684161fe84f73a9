// Numbers among the arguments of commands.
import { InvalidArgumentError } from 'commander';

/** 0 to 1. */
export function share(text: string): number {
  const n = Number(text);
  if (text.trim() === '' || !(n >= 0 && n <= 1))
    throw new InvalidArgumentError('a number from 0 to 1 is expected');
  return n;
}
