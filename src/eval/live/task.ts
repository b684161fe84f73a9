// Tasks for an agent of the user's own: a folder each, `task.yaml` with a check that tells success from failure.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const TASK = z.strictObject({
  name: z.string().min(1),
  /** What the agent is to do; it gets it as a file. */
  prompt: z.string().default(''),
  /** Shell command, run in the agent's folder afterwards: it succeeds where the task was done. */
  check: z.string().min(1),
  /** Seconds that the agent has. */
  timeout_s: z.number().positive().max(86_400).default(600),
});

export interface Task extends z.output<typeof TASK> {
  /** What lies in the agent's folder at the start; absent: nothing. */
  files?: string;
}

/** Of a folder of tasks, or of one; in the order of the folders' names. What is wrong with one is told, the others stand. */
export function loadTasks(dir: string): { tasks: Task[]; errors: string[] } {
  const folders = existsSync(join(dir, 'task.yaml'))
    ? [dir]
    : readdirSync(dir)
        .sort()
        .map((name) => join(dir, name))
        .filter((folder) => existsSync(join(folder, 'task.yaml')));
  const tasks: Task[] = [];
  const errors: string[] = [];
  for (const folder of folders) {
    try {
      const task = TASK.parse(parse(readFileSync(join(folder, 'task.yaml'), 'utf8')));
      const files = join(folder, 'files');
      const hasFiles = existsSync(files) && statSync(files).isDirectory();
      if (tasks.some((t) => t.name === task.name))
        throw new Error(`there is a task named ${task.name} already`);
      tasks.push({ ...task, ...(hasFiles ? { files } : {}) });
    } catch (e) {
      const why = e instanceof z.ZodError ? z.prettifyError(e) : (e as Error).message;
      errors.push(`${join(folder, 'task.yaml')}: ${why}`);
    }
  }
  return { tasks, errors };
}
