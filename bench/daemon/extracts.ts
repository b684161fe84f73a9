// Makes extracts of 50,000 tokens in a process of its own, as the daemon's worker makes them: what three summaries cost the
// machine's cores, and nothing of the daemon's own threads.
import { countHere } from '../../src/pool/count-core.js';
import { extract } from '../../src/summary/extractive.js';
import type { SourceMessage } from '../../src/summary/source.js';
import { codeText, SESSION_TOKENS } from './load.js';

const ROUNDS = Math.round((SESSION_TOKENS * 3.4) / 4000);

const messages = Array.from({ length: ROUNDS }, (_, n): SourceMessage[] => [
  {
    at: 2 * n,
    turn: 0,
    role: 'assistant',
    text: '',
    calls: [{ id: `c${n}`, tool: 'Read', args: `{"file_path":"src/file-${n}.ts"}` }],
    results: [],
  },
  {
    at: 2 * n + 1,
    turn: 0,
    role: 'user',
    text: '',
    calls: [],
    results: [{ id: `c${n}`, tool: 'Read', text: codeText(3800, n), error: false }],
  },
]).flat();

const one = () => extract(messages, 2000, (text) => countHere([text], 'o200k_base')[0]!);

for (let i = 0; i < 20; i++) one();
process.on('message', (n: number) => {
  for (let i = 0; i < n; i++) one();
  process.send!('done');
});
process.once('disconnect', () => process.exit(0));
process.send!('ready');
