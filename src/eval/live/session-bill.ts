// What one session of a daemon has used by its provider's reports, from its events. Pure.
import { promptTokens, requestCost } from '../../economics/index.js';
import { JournalLog } from '../whatif/journal-log.js';
import { pricesOf } from '../whatif/judge.js';
import { isJson } from '../whatif/logged.js';
import { addMoney } from '../whatif/report.js';

export interface SessionBill {
  session: string;
  model: string;
  /** Drawn to stay uncurated (`curated.holdout`). */
  heldOut: boolean;
  /** Requests with a report. */
  requests: number;
  /** Prompt tokens of those, and their answers'. */
  tokens: number;
  output: number;
  /** USD; null without a price. */
  cost: number | null;
}

/**
 * @param events one JSON text an event, as `journal.read` gives them
 * @param now day of the prices where an event has no time, epoch ms
 */
export function sessionBill(session: string, events: Iterable<string>, now: number): SessionBill {
  const log = new JournalLog();
  const bill: SessionBill = {
    session,
    model: '',
    heldOut: false,
    requests: 0,
    tokens: 0,
    output: 0,
    cost: null,
  };
  log.take({ schema_version: '1', session_id: session }, '');
  for (const text of events) {
    const event: unknown = JSON.parse(text);
    if (!isJson(event)) continue;
    if (isJson(event['config'])) bill.heldOut ||= isHeldOutBy(event['config']);
    log.take(event, text);
  }
  log.end();
  for (const logged of log.drain()) {
    bill.model = logged.model ?? bill.model;
    const prices = pricesOf(logged, now);
    for (const [i, { usage }] of logged.requests.entries()) {
      if (usage === undefined || promptTokens(usage) === 0) continue;
      bill.requests++;
      bill.tokens += promptTokens(usage);
      bill.output += usage.output;
      const row = prices[i];
      bill.cost = addMoney(bill.cost, row === undefined ? undefined : requestCost(row, usage));
    }
  }
  return bill;
}

/** Drawn sessions only observe although their preset would not. */
function isHeldOutBy(config: Readonly<Record<string, unknown>>): boolean {
  const curated = config['curated'];
  if (!isJson(curated)) return false;
  const share = curated['holdout'];
  const preset = curated['preset'];
  return (
    typeof share === 'number' &&
    share > 0 &&
    curated['observe'] === true &&
    preset !== 'off' &&
    preset !== 'observe'
  );
}
