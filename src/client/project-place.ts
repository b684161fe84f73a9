// Where a project is: the agent names its folder from where it stands, the daemon takes it from the root only.
import { resolve } from 'node:path';

/** The params with an absolute `project`, where they have one. */
export function placed<P extends object>(params: P): P {
  const { project } = params as { project?: unknown };
  return typeof project === 'string' && project !== '' ? { ...params, project: resolve(project) } : params;
}
