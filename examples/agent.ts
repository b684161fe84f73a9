// An agent of one tool. Run its build with ANTHROPIC_API_KEY set; the daemon is started if none runs.
import { connect } from 'curated';

const model = 'claude-sonnet-4-5';
const tools = [{ name: 'now', description: 'The time.', input_schema: { type: 'object' } }];
const client = await connect({ client: { name: 'my-agent', version: '1.0' }, autostart: true });
const session = await client.session({ format: 'anthropic', model, system: 'Be brief.', tools });
let append: unknown[] = [{ role: 'user', content: 'What time is it?' }];
while (append.length > 0) {
  const { requestText } = await session.prepare({ append }); // valid, fits, as small as pays
  const { content, usage } = await ask(requestText);
  await session.append([{ role: 'assistant', content }]);
  const results = content
    .filter((block) => block.type === 'tool_use')
    .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: `${new Date()}` }));
  append = results.length > 0 ? [{ role: 'user', content: results }] : [];
  await session.endTurn({ final: results.length === 0, usage });
}
console.log((await session.state()).tokens);
await client.close();

type Answer = { content: { type: string; id: string }[]; usage: Record<string, unknown> };
async function ask(request: string): Promise<Answer> {
  const key = process.env['ANTHROPIC_API_KEY'] ?? '';
  const headers = { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' };
  const body = `{"model":"${model}","max_tokens":4096,${request.slice(1)}`;
  const answer = await fetch('https://api.anthropic.com/v1/messages', { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Answer;
}
