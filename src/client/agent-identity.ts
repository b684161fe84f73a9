// Which conversation a coding agent's request belongs to, by what the agents say of themselves (PV-X2): for hosts that stand
// between such an agent and its provider and keep a session for each conversation. Pure; headers are claims, never a right.

export interface AgentIdentity {
  /** Who says so: the name of the header or body field. */
  by: string;
  /** The conversation. Sub-agents of Claude Code share it. */
  session: string;
  /** The agent inside it, where it says. */
  agent?: string;
}

/** Headers that name a conversation, newest spelling first. */
const SESSION_HEADERS = [
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'x-opencode-session',
  'x-qwen-code-session-id',
];
/** Headers that name the agent or window inside it. */
const AGENT_HEADERS = ['x-claude-code-agent-id', 'thread-id', 'x-codex-window-id'];

/**
 * @param headers names in any case; a repeated header by its first value
 * @param body the request's body, parsed; any JSON value
 * @returns undefined where the request names no conversation
 */
export function agentIdentity(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: unknown,
): AgentIdentity | undefined {
  const lower = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const first = typeof value === 'string' ? value : value?.[0];
    if (first !== undefined && first.trim() !== '') lower.set(name.toLowerCase(), first.trim());
  }
  const agentBy = AGENT_HEADERS.find((name) => lower.has(name));
  const agent = agentBy === undefined ? {} : { agent: lower.get(agentBy)! };
  const by = SESSION_HEADERS.find((name) => lower.has(name));
  if (by !== undefined) return { by, session: lower.get(by)!, ...agent };
  const user = field(field(body, 'metadata'), 'user_id');
  const session = typeof user === 'string' ? sessionIn(user) : undefined;
  if (session !== undefined) return { by: 'metadata.user_id', session, ...agent };
  const key = field(body, 'prompt_cache_key');
  return typeof key === 'string' && key !== ''
    ? { by: 'prompt_cache_key', session: key, ...agent }
    : undefined;
}

/** Claude Code writes `user_…_account_…_session_<uuid>`, or a JSON object with `session_id`. */
function sessionIn(userId: string): string | undefined {
  const old = /_session_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.exec(userId);
  if (old !== null) return old[1];
  try {
    const id = field(JSON.parse(userId), 'session_id');
    return typeof id === 'string' && id !== '' ? id : undefined;
  } catch {
    return undefined;
  }
}

function field(v: unknown, key: string): unknown {
  return typeof v === 'object' && v !== null && Object.hasOwn(v, key)
    ? (v as Record<string, unknown>)[key]
    : undefined;
}
