// curated eval --agent: the user's own agent at tasks with a check, under several arms.
import type { ArmSpec } from '../eval/arms/index.js';
import { armOf } from '../eval/arms/index.js';
import { attempt } from '../eval/live/attempt.js';
import { type LiveReport, livePivot } from '../eval/live/pivot.js';
import { loadTasks } from '../eval/live/task.js';
import { CommandError, EXIT } from './failure.js';
import { LiveArms } from './live-arms.js';
import { Progress } from './progress.js';

export interface LiveCommand {
  agent: string;
  presets: readonly ArmSpec[] | undefined;
  trials: number;
  margin: number;
  stopEarly: boolean;
  seed: number;
}

export async function evalLive(dir: string, o: LiveCommand): Promise<LiveReport> {
  const { tasks, errors } = loadTasks(dir);
  if (errors.length > 0) throw new CommandError(errors.join('\n'), { exit: EXIT.usage });
  if (tasks.length === 0)
    throw new CommandError(`no task in ${dir}`, {
      hint: 'a task is a folder with a task.yaml',
      exit: EXIT.usage,
    });
  const specs = o.presets ?? [armOf('off')!, armOf('balanced')!];
  const arms = new LiveArms();
  const progress = new Progress(tasks.length * specs.length * o.trials);
  try {
    await arms.start(specs);
    return await livePivot({
      ...o,
      tasks,
      arms: specs.map((s) => s.name),
      run: async (task, arm) => {
        progress.show(`${task.name}, ${arm}`);
        const done = await attempt(task, o.agent, arms.env(arm));
        return { attempt: done, bills: await arms.newBills(arm) };
      },
      onTrial: () => progress.step(),
    });
  } finally {
    progress.end();
    await arms.stop();
  }
}
