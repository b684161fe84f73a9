// A player of logged sessions on a thread of its own: a session in, its report or its arms' figures out.
import { workerData } from 'piscina';
import { attach, type SharedTables } from '../native/index.js';
import { type ArmResult, type ArmSpec, playArms } from '../src/eval/arms/index.js';
import { type PackedSession, unpackSession } from '../src/eval/packed.js';
import { judge, type WhatIfReport } from '../src/eval/whatif/index.js';

const { tables, now } = workerData as { tables: SharedTables | undefined; now: number };
const tokenizer = attach(tables);
const count = (text: string): number => tokenizer.count(text, 'o200k_base');

export default function work(task: {
  session: PackedSession;
  arms?: readonly ArmSpec[];
  plays?: boolean;
}): Promise<WhatIfReport | ArmResult[]> {
  const session = unpackSession(task.session);
  return task.arms === undefined
    ? judge(session, { count, now, plays: task.plays !== false })
    : playArms(session, task.arms, { count, now });
}
