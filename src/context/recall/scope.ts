// Words that stand for what a passage belongs to: its session, its project, its tenant, its tool. They begin with a sign that no
// word of a text has.

import type { IndexDb } from './index-db.js';
import { hashOf } from './sketch.js';

const MARK = '\ue000';

export function sessionWord(sid: number): string {
  return `${MARK}s${sid}`;
}

/** Of a tool's name; two names may share one, so the name is compared as well. */
export function toolWord(tool: string): string {
  return `${MARK}x${hashOf(tool).toString(36)}`;
}

/** Of a project, or with '' of all that a tenant has; undefined when nothing of it was ever indexed. */
export function scopeWord(db: IndexDb, tenant: string, project: string): string | undefined {
  const row = db.sql('SELECT id FROM scope WHERE tenant = ? AND project = ?').get(tenant, project);
  return row === undefined ? undefined : `${MARK}p${(row as { id: number }).id}`;
}

/** All of a session's, for its passages; those that are new are made. */
export function scopesOf(db: IndexDb, sid: number, tenant: string, project: string): string {
  const words = [sessionWord(sid)];
  for (const name of new Set(['', project])) {
    db.sql('INSERT OR IGNORE INTO scope (tenant, project) VALUES (?, ?)').run(tenant, name);
    words.push(scopeWord(db, tenant, name)!);
  }
  return words.join(' ');
}
