// One attempt of an agent at a task: a fresh folder, the agent's command in it, then the task's check.
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Task } from './task.js';

export interface Attempt {
  /** The agent ended by itself with 0, and the check as well. */
  success: boolean;
  /** Why not; absent on success. */
  failure?: 'agent' | 'timeout' | 'check';
  /** Wall time of the agent. */
  seconds: number;
  /** The last that agent and check wrote. */
  output: string;
}

/** Of their output, characters. */
const KEPT = 2000;
/** Seconds that a check has. */
const CHECK_S = 120;

/** @param env how the agent finds its daemon; CURATED_TASK names the file that holds the prompt */
export async function attempt(
  task: Task,
  agent: string,
  env: Readonly<Record<string, string>>,
): Promise<Attempt> {
  const dir = await mkdtemp(join(tmpdir(), 'curated-task-'));
  try {
    const folder = join(dir, 'work');
    await mkdir(folder);
    if (task.files !== undefined) await cp(task.files, folder, { recursive: true });
    const prompt = join(dir, 'prompt.txt');
    await writeFile(prompt, task.prompt);
    const full = { ...process.env, ...env, CURATED_TASK: prompt };
    const start = performance.now();
    const ran = await shell(agent, folder, full, task.timeout_s);
    const seconds = (performance.now() - start) / 1000;
    if (ran.code !== 0)
      return { success: false, failure: ran.late ? 'timeout' : 'agent', seconds, output: ran.output };
    const checked = await shell(task.check, folder, full, CHECK_S);
    if (checked.code !== 0) return { success: false, failure: 'check', seconds, output: checked.output };
    return { success: true, seconds, output: ran.output };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Ends with the command, or with all that it started when its time is up. */
function shell(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  seconds: number,
): Promise<{ code: number | null; late: boolean; output: string }> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let late = false;
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-KEPT);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const end = setTimeout(() => {
      late = true;
      // Its group: what it started goes with it.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, seconds * 1000);
    const done = (code: number | null): void => {
      clearTimeout(end);
      resolve({ code, late, output });
    };
    child.once('error', (e) => {
      output += e.message;
      done(null);
    });
    child.once('close', (code) => done(late ? null : code));
  });
}
