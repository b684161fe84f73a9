// A project folder that is watched: changes refresh its map, noise does not, and one too large is told.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ManualClock } from '../../src/clock.js';
import { EntryStore } from '../../src/context/entry-store.js';
import { Pantry } from '../../src/context/pantry.js';
import { FolderWatch } from '../../src/context/watcher.js';
import { Health } from '../../src/observe/health.js';
import { about, folder, project, put } from './project.js';
import { realCount } from './real-count.js';

const SOON = { quietMs: 30, everyMs: 0, folders: 100 };

async function until(what: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !what(); i += 1) await sleep(25);
  assert.ok(what());
}

test('R-9 SC-3 a change in a watched project makes its map anew; what git ignores does not', async (t) => {
  const root = project(t);
  const clock = new ManualClock();
  let watching: FolderWatch | undefined;
  let changes = 0;
  const pantry = new Pantry({
    data: folder(t),
    clock,
    count: realCount,
    entries: new EntryStore(':memory:'),
    health: new Health(clock, 'test'),
    watch: (path, events) => {
      const changed = () => {
        changes += 1;
        events.changed();
      };
      watching = new FolderWatch(path, { ...events, changed }, SOON);
      return watching;
    },
  });
  t.after(() => pantry.close());
  const { path } = await pantry.refresh('t', root);
  const before = readFileSync(path!, 'utf8');
  pantry.keepFresh('t', root);
  pantry.keepFresh('t', root);
  await watching!.ready();
  put(root, 'ignored/x.md', about(0, 1));
  put(root, 'node_modules/x/y.js', about(0, 1));
  await sleep(300);
  assert.equal(changes, 0);
  for (let i = 0; i < 30; i += 1)
    put(root, `src/new/${i}.md`, `telescope nebula galaxy orbit ${i % 3} telescope nebula comet`);
  await until(() => changes > 0 && readFileSync(path!, 'utf8') !== before);
  assert.match(readFileSync(path!, 'utf8'), /telescope|nebula|galaxy/i);
});

test('R-9 a folder too large to watch is told in the health, which stays green, and is not tried again', async (t) => {
  const root = project(t, 1);
  for (let i = 0; i < 8; i += 1) mkdirSync(join(root, `d${i}`));
  const clock = new ManualClock();
  const health = new Health(clock, 'test');
  let tried = 0;
  const pantry = new Pantry({
    data: folder(t),
    clock,
    count: realCount,
    entries: new EntryStore(':memory:'),
    health,
    watch: (path, events) => {
      tried += 1;
      return new FolderWatch(path, events, { ...SOON, folders: 5 });
    },
  });
  t.after(() => pantry.close());
  pantry.keepFresh('t', root);
  await until(() => health.report().checks['context_watch']?.note !== undefined);
  const { ok, note } = health.report().checks['context_watch']!;
  assert.match(note!.message, /not watched: more than 5 folders/);
  assert.ok(ok && health.ok, 'nothing is wrong, and nothing to wait for');
  pantry.keepFresh('t', root);
  assert.equal(tried, 1);
});
