// A judge of logged sessions on a thread of its own: a session in, its report out.
import { workerData } from 'piscina';
import { attach, type SharedTables } from '../native/index.js';
import { judge, type PackedSession, unpackSession, type WhatIfReport } from '../src/eval/whatif/index.js';

const { tables, now } = workerData as { tables: SharedTables | undefined; now: number };
const tokenizer = attach(tables);
const count = (text: string): number => tokenizer.count(text, 'o200k_base');

export default function work(session: PackedSession): Promise<WhatIfReport> {
  return judge(unpackSession(session), { count, now });
}
