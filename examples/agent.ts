// An agent of one tool. Run it with ANTHROPIC_API_KEY set; the daemon is started if none runs.
import { connect } from 'curated';

const model = 'claude-sonnet-4-5';
const tools = [{ name: 'now', description: 'The time.', input_schema: { type: 'object', properties: {} } }];
const client = await connect({ client: { name: 'my-agent', version: '1.0' }, autostart: true });
const session = await client.session({ format: 'anthropic', model, system: 'Be brief.', tools });
await session.append([{ role: 'user', content: 'What time is it?' }]);
for (;;) {
  const { requestText } = await session.prepare(); // valid, fits, and as small as pays
  const answer = await ask(requestText!);
  await session.append([{ role: 'assistant', content: answer.content }]);
  const calls = answer.content.filter((block) => block.type === 'tool_use');
  if (calls.length > 0) {
    const content = calls.map(({ id }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: `${new Date()}`,
    }));
    await session.append([{ role: 'user', content }]);
  }
  await session.endTurn({ final: calls.length === 0, usage: answer.usage });
  if (calls.length === 0) break;
}
console.log((await session.state()).tokens);
await client.close();

async function ask(request: string): Promise<{ content: { type: string; id: string }[]; usage: object }> {
  const headers = { 'x-api-key': process.env['ANTHROPIC_API_KEY'] ?? '', 'anthropic-version': '2023-06-01' };
  const body = `{"model":"${model}","max_tokens":4096,${request.slice(1)}`;
  const options = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
  return (await fetch('https://api.anthropic.com/v1/messages', options)).json() as never;
}
