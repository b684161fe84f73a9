// A logged session as plain values, to cross a thread: its texts, which are parsed again on the other side.
import { Native } from '../json/native.js';
import type { LoggedSession } from './whatif/logged.js';

export interface PackedSession extends Omit<LoggedSession, 'system' | 'tools' | 'messages'> {
  system?: string;
  tools?: string;
  messages: string[];
}

export function packSession(s: LoggedSession): PackedSession {
  const { system, tools, messages, ...rest } = s;
  return {
    ...rest,
    ...(system === undefined ? {} : { system: system.text }),
    ...(tools === undefined ? {} : { tools: tools.text }),
    messages: messages.map((m) => m.text),
  };
}

export function unpackSession(p: PackedSession): LoggedSession {
  const { system, tools, messages, ...rest } = p;
  return {
    ...rest,
    ...(system === undefined ? {} : { system: new Native(system) }),
    ...(tools === undefined ? {} : { tools: new Native(tools) }),
    messages: messages.map((text) => new Native(text)),
  };
}
