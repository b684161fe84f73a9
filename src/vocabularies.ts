// Joins the token core's optional vocabularies with the models that they belong to: offered where their tables are there,
// made in the background where their package is, said where neither is.

import {
  addVocabulary,
  hasVocabulary,
  OPTIONAL_VOCABULARIES,
  type OptionalEncoding,
  vocabularySource,
} from '../native/index.js';
import { isOffered, offerEncoding, optionalEncoding } from './tokens/encoding.js';

/** Offers every vocabulary whose tables are there. */
export function offerVocabularies(): void {
  for (const name of Object.keys(OPTIONAL_VOCABULARIES) as OptionalEncoding[])
    if (hasVocabulary(name)) offerEncoding(name);
}

/** A daemon's vocabularies: what a session of an open model sets going. */
export class Vocabularies {
  readonly #told: (what: string, detail: Record<string, unknown>) => void;
  readonly #making = new Set<OptionalEncoding>();

  constructor(told: (what: string, detail: Record<string, unknown>) => void) {
    this.#told = told;
    offerVocabularies();
  }

  /** A session of this model begins. @returns what the host should know, where its tokens are estimated only */
  want(model: string): string | undefined {
    const name = optionalEncoding(model);
    if (name === undefined || isOffered(name)) return undefined;
    if (hasVocabulary(name)) {
      offerEncoding(name);
      return undefined;
    }
    const { package: from } = OPTIONAL_VOCABULARIES[name];
    if (vocabularySource(name) === undefined)
      return `tokens of ${model} are estimated: install ${from} beside the daemon to have them counted`;
    this.#make(name);
    return `tokens of ${model} are estimated until ${name} is made ready from ${from}: sessions opened after that are counted`;
  }

  #make(name: OptionalEncoding): void {
    if (this.#making.has(name)) return;
    this.#making.add(name);
    addVocabulary(name).then(
      () => {
        offerEncoding(name);
        this.#told('a vocabulary is ready', { name });
      },
      // Once a daemon: what cannot be packed now cannot be packed at the next session either.
      (e: unknown) => this.#told('a vocabulary could not be made ready', { name, error: String(e) }),
    );
  }
}
