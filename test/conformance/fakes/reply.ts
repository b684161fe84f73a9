// What a fake endpoint answers.
import type { Obj } from '../types.js';

export interface FakeReply {
  status: number;
  body: Obj;
  /** Rule of PROVIDERS.md behind a refusal; never leaves over HTTP. */
  rule?: string;
}

/** Header names in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>;
