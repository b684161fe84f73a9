// Is a text in a request? Texts stand in JSON, and in JSON inside JSON (arguments of a call): looked for in each spelling. Pure.

export class Needle {
  readonly #forms: readonly string[];
  /** What was found out of a message's text: messages come again with every request. */
  readonly #known = new Map<string, boolean>();

  constructor(text: string) {
    const once = JSON.stringify(text).slice(1, -1);
    this.#forms = [once, JSON.stringify(once).slice(1, -1)];
  }

  /** @param json exact JSON text of a message, a system prompt or a list of tools; nothing is in what is no JSON */
  isIn(json: string): boolean {
    let found = this.#known.get(json);
    if (found === undefined) {
      const plain = plainSpelling(json);
      found = plain !== undefined && (this.#has(json) || (plain !== json && this.#has(plain)));
      this.#known.set(json, found);
    }
    return found;
  }

  #has(json: string): boolean {
    return this.#forms.some((form) => json.includes(form));
  }
}

/** The same value as our own writer spells it, which is how the text looked for is spelled. */
function plainSpelling(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return json.includes('\\') ? JSON.stringify(value) : json;
  } catch {
    return undefined;
  }
}
