// The real tokenizer as the counter that this room is handed.
import { attach } from '../../native/index.js';

const tokenizer = attach();

export function realCount(text: string): number {
  return tokenizer.count(text, 'o200k_base');
}
