// What bound thinking is held against beside the messages (PV-A25): system and the tools that are not deferred, cache marks and
// spelling aside. One short key; asked at every request, made when a text has changed.

import { sha256 } from '../../hash.js';
import { canonicalize } from '../../json/index.js';
import { isObject, member } from '../../providers/values.js';

export class BoundKey {
  #last: { system: string | undefined; tools: string | undefined; key: string } | undefined;

  /** @param system JSON text of the system prompt @param tools of the list as it is sent */
  of(system: string | undefined, tools: string | undefined): string {
    const known = this.#last;
    if (known !== undefined && known.system === system && known.tools === tools) return known.key;
    const prompt: unknown = system === undefined ? null : JSON.parse(system);
    const list = tools === undefined ? [] : (JSON.parse(tools) as unknown[]);
    const bound = [
      typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt,
      list.filter((t) => member(t, 'defer_loading') !== true),
    ].map(unmarked);
    const key = sha256(canonicalize(JSON.stringify(bound))).slice(0, 16);
    this.#last = { system, tools, key };
    return key;
  }
}

function unmarked(v: unknown): unknown {
  if (Array.isArray(v)) return v.map(unmarked);
  if (!isObject(v)) return v;
  return Object.fromEntries(
    Object.entries(v)
      .filter(([key]) => key !== 'cache_control')
      .map(([key, x]) => [key, unmarked(x)]),
  );
}
