// What must hold of every prepared request: it passes its provider's rules, calls and results pair, and it starts with the
// request before it unless an announced edit says from where on it may not (PROTOCOL 4). Pure.
import { specOf } from '../providers/spec.js';
import type { FormatSpec, Native, Profile, Reading } from '../providers/types.js';
import { validateRequest } from '../providers/validate.js';
import type { SeenRequest } from './request.js';

/** A rule that a request broke. `rule` is PV-…, `prefix` or `pairing`. */
export interface Breach {
  /** From 1, within the session. */
  request: number;
  rule: string;
  path: string;
  message: string;
}

/** A `memory.curated` envelope as far as the prefix rule needs it. */
export interface Envelope {
  cache_invalidates?: unknown;
  first_message?: unknown;
}

export class RequestCheck {
  readonly #profile: Profile;
  readonly #spec: FormatSpec;
  #before: SeenRequest | undefined;
  #requests = 0;
  readonly breaches: Breach[] = [];

  constructor(profile: Profile) {
    this.#profile = profile;
    this.#spec = remembering(specOf(profile.format));
  }

  /**
   * @param envelopes issued since the request before
   * @param isCurated false for `off` and `observe`, whose requests are what was stored, valid or not
   */
  look(request: SeenRequest, envelopes: readonly Envelope[], isCurated: boolean): void {
    this.#requests++;
    if (isCurated) this.#validate(request);
    this.#pair(request);
    if (this.#before !== undefined) this.#prefix(this.#before, request, envelopes);
    this.#before = request;
  }

  #add(rule: string, path: string, message: string): void {
    this.breaches.push({ request: this.#requests, rule, path, message });
  }

  #validate(request: SeenRequest): void {
    const violations = validateRequest(this.#spec, this.#profile, {
      ...(request.system === '' ? {} : { system: JSON.parse(request.system) as unknown }),
      ...(request.tools === '' ? {} : { tools: JSON.parse(request.tools) as unknown }),
      messages: request.messages.map((m) => m.native),
    });
    for (const v of violations) this.#add(v.rule, v.path, v.message);
  }

  /** Counted here once more, apart from the rules' own walk: as many results as calls of every id, never before them. */
  #pair(request: SeenRequest): void {
    const open = new Map<string, number>();
    for (const [index, message] of request.messages.entries()) {
      for (const part of message.reading.parts) {
        if (part.callId === undefined) continue;
        const waiting = open.get(part.callId) ?? 0;
        if (part.kind === 'tool_call') open.set(part.callId, waiting + 1);
        else if (part.kind !== 'tool_result') continue;
        else if (waiting > 0) open.set(part.callId, waiting - 1);
        else this.#add('pairing', `/messages/${index}`, `result without a call: ${part.callId}`);
      }
    }
    for (const [id, waiting] of open)
      if (waiting > 0) this.#add('pairing', '/messages', `call without a result: ${id}`);
  }

  #prefix(before: SeenRequest, now: SeenRequest, envelopes: readonly Envelope[]): void {
    const end = before.messages.length;
    let at = 0;
    while (at < end && before.messages[at]!.bare === now.messages[at]?.bare) at++;
    if (at === end) return;
    const announced = envelopes.filter((e) => e.cache_invalidates === true).map((e) => e.first_message);
    const from = announced.length === 0 ? undefined : Math.min(...announced.map((f) => Number(f ?? 0)));
    if (from !== undefined && at >= from) return;
    const why = from === undefined ? 'no edit was announced' : `edits were announced from message ${from} on`;
    this.#add('prefix', `/messages/${at}`, `message ${at} of ${end} differs from the request before; ${why}`);
  }
}

/** A message's reading and its own rules depend on its text alone, and each message comes back in every request. */
function remembering(spec: FormatSpec): FormatSpec {
  const readings = new WeakMap<Native, Reading>();
  const checks = new WeakMap<Native, ReturnType<FormatSpec['check']>>();
  const once = <T>(cache: WeakMap<Native, T>, m: Native, make: () => T): T => {
    let found = cache.get(m);
    if (found === undefined) {
      found = make();
      cache.set(m, found);
    }
    return found;
  };
  return {
    ...spec,
    walk: (profile) => spec.walk(profile),
    marker: (part, body) => spec.marker(part, body),
    textMessage: (role, text) => spec.textMessage(role, text),
    toolError: (callId, text) => spec.toolError(callId, text),
    read: (m) => once(readings, m, () => spec.read(m)),
    check: (m) => once(checks, m, () => spec.check(m)),
  };
}
