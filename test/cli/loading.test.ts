// A command loads its own file and no other's: the names by which they are looked up are theirs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { registerFor } from '../../src/cli/commands.js';

async function names(...args: string[]): Promise<string[]> {
  const program = new Command('curated');
  await registerFor(program, args);
  return program.commands.map((c) => c.name());
}

test('each command is found by its own name, alone, and has the same help as among the others', async () => {
  const all = new Command('curated');
  await registerFor(all, []);
  assert.ok(all.commands.length > 25);
  for (const command of all.commands) {
    const name = command.name();
    if (name === 'help' || name === 'completion') continue;
    const program = new Command('curated');
    await registerFor(program, [name, '--anything']);
    assert.deepEqual(
      program.commands.map((c) => c.name()),
      [name, 'help'],
    );
    assert.equal(program.commands[0]!.helpInformation(), command.helpInformation());
  }
});

test('no command, a name that is none, help and completion know all of them; --version needs none', async () => {
  const all = await names();
  assert.equal(new Set(all).size, all.length);
  for (const args of [['nonsense'], ['help', 'run'], ['completion', 'bash'], ['--help'], ['constructor']])
    assert.deepEqual(await names(...args), all, args.join(' '));
  assert.deepEqual(await names('--version'), []);
});
