// What README shows must be what there is.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '../../src/config.js';
import { curated, homeFor } from './command.js';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

test('the example agent in README is examples/agent.ts, of at most 30 lines', () => {
  const source = readFileSync(join(ROOT, 'examples/agent.ts'), 'utf8').trimEnd();
  assert.ok(readme.includes(`\`\`\`ts\n${source}\n\`\`\``));
  assert.ok(source.split('\n').length <= 30);
});

test('every command that README names is one, and every package it lists is a dependency', async (t) => {
  const { stdout } = await curated(['--help'], homeFor(t));
  for (const [, name] of readme.matchAll(/^\| `curated (\w+)/gm))
    assert.match(stdout, new RegExp(`^  ${name}\\b`, 'm'));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: object;
  };
  const listed = readme.slice(readme.indexOf('## Dependencies'));
  assert.deepEqual(
    [...listed.matchAll(/^\| `([^`]+)` *\|/gm)].map((m) => m[1]).sort(),
    Object.keys(dependencies).sort(),
  );
});

test('the limits that README tells are those of the table', () => {
  const told = /The ones that an agent meets: ([^.]+)\./.exec(readme)?.[1]?.replace(/\s+/g, ' ');
  const figure = (name: keyof typeof LIMITS) => LIMITS[name].default.toLocaleString('en-US');
  assert.equal(
    told,
    `${figure('append_messages')} messages an append, ${figure('turn_messages')} a turn, ${LIMITS.frame_bytes.default / 2 ** 20} MiB a frame, ` +
      `${figure('connections')} connections, ${figure('calls_in_flight')} unanswered calls a connection`,
  );
});

test('every page that README and the pages of doc link to is there, and comes with the package', () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
  const pages = ['README.md', ...readdirSync(join(ROOT, 'doc')).map((name) => `doc/${name}`)];
  for (const page of pages)
    for (const [, link] of readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\(([^)#:]+)[^)]*\)/g)) {
      const path = relative(ROOT, resolve(ROOT, dirname(page), link!));
      assert.ok(existsSync(join(ROOT, path)), `${page}: ${link}`);
      // Sources are linked for who reads the repository.
      if (path.endsWith('.md'))
        assert.ok(
          path === 'README.md' || files.some((f) => path === f || path.startsWith(`${f}/`)),
          `${page}: ${link} is not in the package`,
        );
    }
});

test('the example agent runs: a daemon of its own, one tool round, an answer', async (t) => {
  const home = homeFor(t);
  const asked: { messages: { role: string }[]; system: string }[] = [];
  const model = createServer((request, response) => {
    let body = '';
    request.on('data', (c: Buffer) => {
      body += c.toString();
    });
    request.on('end', () => {
      asked.push(JSON.parse(body) as (typeof asked)[number]);
      const content =
        asked.length === 1
          ? [{ type: 'tool_use', id: 'toolu_1', name: 'now', input: {} }]
          : [{ type: 'text', text: 'Late.' }];
      response.end(JSON.stringify({ content, usage: { input_tokens: 40, output_tokens: 5 } }));
    });
  });
  await new Promise<void>((done) => model.listen(0, '127.0.0.1', done));
  t.after(() => model.close());
  const { port } = model.address() as { port: number };
  // The model is played by the server above: fetch goes there.
  const stub = `const real = fetch; globalThis.fetch = (_, o) => real('http://127.0.0.1:${port}/', o);`;
  const child = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(stub)}`, join(ROOT, 'dist/examples/agent.js')],
    { env: { ...process.env, CURATED_HOME: home } },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (c: Buffer) => {
      said += c.toString();
    });
  const code = await new Promise((done) => child.once('close', done));
  assert.equal(code, 0, said);
  assert.deepEqual(
    asked.map((r) => r.messages.map((m) => m.role)),
    [['user'], ['user', 'assistant', 'user']],
  );
  assert.equal(asked[0]!.system, 'Be brief.');
  assert.match(said, /total: \d+/);
});
