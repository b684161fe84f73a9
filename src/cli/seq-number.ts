// A sequence number on the command line.
import { InvalidArgumentError } from 'commander';

export function seqNumber(text: string): number {
  const seq = Number(text.replace(/^#/, ''));
  if (!Number.isSafeInteger(seq) || seq < 1) throw new InvalidArgumentError('a seq is a whole number from 1');
  return seq;
}

export function turnNumber(text: string): number {
  const turn = Number(text);
  if (!Number.isSafeInteger(turn) || turn < 0)
    throw new InvalidArgumentError('a turn is a whole number from 0');
  return turn;
}
