// curated bisect: which decision took this text out of the request, and what did it cost?
import type { Command } from 'commander';
import type { WireResult } from '../protocol/index.js';
import { printJson, say, withClient } from './connection.js';
import { EXIT } from './failure.js';
import { paint } from './paint.js';
import { whole } from './table.js';

type Found = WireResult<'journal.bisect'>;
type Told = NonNullable<Found['removed']>;

export function register(program: Command): void {
  program
    .command('bisect')
    .description('find the decision that took a text out of the request; exits 1 when it never came in')
    .argument('<session>', 'id of the session')
    .argument('<text>', 'as the model would read it')
    .option('--json', 'as JSON')
    .action(async (session: string, text: string, o: { json?: boolean }) => {
      const found = await withClient((c) => c.call('journal.bisect', { session, text }));
      if (o.json === true) printJson({ session, text, ...found });
      else print(session, found);
      if (found.found === 'never') process.exitCode = EXIT.failed;
    });
}

function print(session: string, found: Found): void {
  const { came, removed } = found;
  const from =
    came === undefined ? '' : `came with message ${came.message} (#${came.seq}, turn ${came.turn})`;
  if (found.found === 'never') say('the text never was in a request of this session');
  else if (found.found === 'present')
    say(`${paint.green('in the request as it stands')}${from === '' ? '' : `; it ${from}`}`);
  if (removed === undefined) return;
  if (from !== '') say(from);
  say(`${paint.red('left the request')} at #${removed.seq}, turn ${removed.turn}`);
  say(`  ${decisionLine(removed)}`);
  if (removed.envelope !== undefined) say(`  ${priceLine(removed.envelope)}`);
  const requests = [
    found.last_request === undefined ? undefined : `last request with it #${found.last_request}`,
    found.first_without === undefined ? 'no request without it yet' : `first without #${found.first_without}`,
  ].filter((s) => s !== undefined);
  say(`  ${requests.join(', ')}; ${found.looked} points of the journal rendered`);
  if (removed.handle !== undefined)
    say(
      paint.dim(
        `  curated undo ${session} ${removed.seq} puts it back; recall.get ${removed.handle} reads it`,
      ),
    );
}

/** A decision in words: what it was, whose and why. */
export function decisionLine(d: Told): string {
  const why = [
    d.layer === undefined ? undefined : `layer ${d.layer}`,
    d.reason === undefined ? undefined : `reason ${d.reason}`,
    d.tool === undefined ? undefined : `tool ${d.tool}`,
  ].filter((s) => s !== undefined);
  return [paint.cyan(d.type), ...why].join(', ');
}

/** What the pass of a decision cost the cache, and what it saves: in tokens at the price of an uncached one. */
export function priceLine({ seq, ...e }: NonNullable<Told['envelope']>): string {
  if (!e.cache_invalidates) return `pass #${seq}: nothing that was sent changed, so it cost nothing`;
  // What had to go was not weighed: it has no price.
  if (e.saves_per_request === undefined)
    return `pass #${seq}: forced, whatever it cost, since the request had to become smaller`;
  const saves = e.saves_per_request;
  const worth = `the price of ${whole(Math.abs(saves))} input tokens a request`;
  const sum = saves < 0 ? `costs ${worth}` : `saves ${worth}`;
  const recached = e.recache_tokens ?? 0;
  if (recached === 0) return `pass #${seq}: no cache was known to be lost; ${sum}`;
  const pays = e.break_even_requests ? `, paid after ${e.break_even_requests.toFixed(1)} requests` : '';
  return `pass #${seq}: ${whole(recached)} tokens of cache lost, once; ${sum}${pays}`;
}
