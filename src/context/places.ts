// Where a project's cached context lives: the one resolver of writer and readers. Reads folder names, no content.

import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

export interface Places {
  /** The project's folder: its git root where there is one, every link resolved. */
  root: string;
  /** Name for people. */
  name: string;
  /** The topic map as text. */
  map: string;
  /** What the map was made from. */
  facts: string;
  /** The counts of L0: a small file, since each wake-up reads it. */
  counts: string;
  /** The map for projects that have none. */
  global: string;
}

/** Tenants other than the first never see its files. */
const FIRST_TENANT = 'default';

/** Folder of a tenant's context files. */
function tenantFolder(data: string, tenant: string): string {
  return tenant === FIRST_TENANT ? data : join(data, 'tenants', digest(tenant, 16));
}

export function placesOf(data: string, tenant: string, project: string): Places {
  const root = projectRoot(project);
  const name =
    basename(root)
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .slice(0, 64) || 'root';
  const folder = tenantFolder(data, tenant);
  const stem = join(folder, 'context', `${name}-${digest(root, 8)}`);
  return {
    root,
    name,
    map: `${stem}.txt`,
    facts: `${stem}.json`,
    counts: `${stem}.counts.json`,
    global: globalMap(data, tenant),
  };
}

function globalMap(data: string, tenant: string): string {
  return join(tenantFolder(data, tenant), 'context_l1.txt');
}

/**
 * The git root above a folder, or the folder itself; links resolved, so that every way in gives one name. A folder that
 * does not exist is a name like any other.
 */
function projectRoot(project: string): string {
  const start = real(resolve(project));
  for (let dir = start; ; dir = dirname(dir)) {
    if (existsSync(join(dir, '.git'))) return dir;
    if (dirname(dir) === dir) return start;
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function digest(text: string, length: number): string {
  return createHash('sha1').update(text).digest('hex').slice(0, length);
}
