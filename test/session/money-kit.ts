// Plays rounds of a conversation through a session and prices every request twice by the cache model: as it went out, and
// as the host would have sent it. The bill knows nothing of the session's own account.

import { Bill, tariffOf } from '../../src/eval/bill.js';
import { RequestReader } from '../../src/eval/request.js';
import type { Round } from '../../src/eval/rounds.js';
import { usageReport } from '../../src/eval/usage-report.js';
import { RawJson, writeJson } from '../../src/json/index.js';
import type { Native } from '../../src/json/native.js';
import { profileOf } from '../../src/providers/profile.js';
import type { Format } from '../../src/providers/types.js';
import { BenchDaemon, roughTokens } from './bench-daemon.js';

export interface Played {
  format: Format;
  model: string;
  system?: Native | undefined;
  tools?: Native | undefined;
  rounds: readonly Round[];
}

export interface Costs {
  /** Cost of all requests so far over what they would have cost, at each request. */
  shares: number[];
  /** Requests that broke the cached prefix. */
  breaks: number;
  /** Results that were shaped before their first send. */
  shaped: number;
}

const DAY = Date.UTC(2026, 10, 29);
/** Wide enough that nothing is ever forced. */
const WINDOW = 4_000_000;

export interface CostOptions {
  /** Does the host tell the provider's usage? Default: yes. */
  reports?: boolean;
  /** Of the session, over its preset. */
  curated?: Record<string, unknown>;
}

/** @returns what each request has cost so far relative to `off`. */
export async function costsOf(preset: string, c: Played, o: CostOptions = {}): Promise<Costs> {
  const d = new BenchDaemon();
  d.clock.advance(Math.max(0, DAY - d.clock.now()));
  const profile = profileOf(c.format, c.model);
  const tariff = tariffOf(profile, DAY);
  const reader = new RequestReader(profile, roughTokens);
  const bills = { off: new Bill(tariff), curated: new Bill(tariff) };
  const raw = (n: Native): RawJson => new RawJson(n.text);
  await d.call('session.open', {
    session: 's',
    format: c.format,
    model: c.model,
    preset,
    ...(o.curated === undefined ? {} : { config: { curated: o.curated } }),
    context_window: WINDOW,
    ...(c.system === undefined ? {} : { system: raw(c.system) }),
    ...(c.tools === undefined ? {} : { tools: raw(c.tools) }),
  });
  const chat = c.format === 'openai-chat';
  const head = chat && c.system !== undefined ? [writeJson({ role: 'system', content: raw(c.system) })] : [];
  const stored: string[] = [];
  const shares: number[] = [];
  let usage: unknown;
  for (const [i, round] of c.rounds.entries()) {
    if (round.results.length > 0)
      await d.call('session.append', { session: 's', messages: round.results.map(raw) });
    if (i > 0) {
      await d.call('turn.end', {
        session: 's',
        final: round.userTurn,
        ...(usage === undefined || o.reports === false ? {} : { usage }),
      });
    }
    stored.push(...[...round.results, ...round.news].map((m) => m.text));
    const text = await d.callText('llm.prepare', { session: 's', append: round.news.map(raw) });
    const { request } = JSON.parse(text) as { request: unknown };
    const output = roughTokens(round.answer.text);
    const used = bills.curated.add(reader.read(JSON.stringify(request)), output);
    const system = chat ? '' : (c.system?.text ?? '');
    bills.off.add(reader.make(system, c.tools?.text ?? '', [...head, ...stored]), output);
    usage = usageReport(c.format, used);
    shares.push(bills.curated.cost! / bills.off.cost!);
    await d.call('session.append', { session: 's', messages: [raw(round.answer)] });
    stored.push(round.answer.text);
  }
  const { events } = await d.call('journal.read', { session: 's', limit: 10_000 });
  const shaped = (events as { type: string; reason?: string }[]).filter((e) => e.reason === 'shaped').length;
  return { shares, breaks: bills.curated.breaks, shaped };
}
