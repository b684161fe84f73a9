// One refresh of a project: texts read, topics built or brought up to date, map and facts written. The files are replaced
// only when all of it worked.

import { existsSync } from 'node:fs';
import { CuratedError, fail } from '../errors.js';
import { type Facts, readFacts, topicsOf, writeFacts } from './facts.js';
import type { Counts } from './identity.js';
import { removeFile, writeWhole } from './map-file.js';
import type { Places } from './places.js';
import { type Document, projectTexts } from './project-files.js';
import { fromSessions, sessionTexts } from './session-texts.js';
import type { Entry } from './story.js';
import type { Topic } from './topic.js';
import { type Built, build, unhurried, update } from './topic-builder.js';
import { type MapFormat, topicMap } from './topic-map.js';

export interface RefreshOptions {
  format?: MapFormat | undefined;
  /** The client's own topics: from now on they make the map; an empty list gives it back to the builder. */
  taxonomies?: readonly Topic[] | undefined;
  /** Labels that a person gives: they survive rebuilds. */
  labels?: readonly { from: string; to: string }[] | undefined;
  /** Write the map for projects without one, from this project's topics, instead of its own. */
  global?: boolean | undefined;
  /** What the daemon's own sessions of the project filed, as it is now. */
  said?: (() => Said) | undefined;
  /** False: the folder is not looked into, and the client's own topics are the map. Default true. */
  isOpen?: boolean | undefined;
}

export interface Said {
  entries: readonly Entry[];
  /** False once a session was forgotten since: what was made of them is thrown away. */
  isCurrent(): boolean;
}

const SILENCE: Said = { entries: [], isCurrent: () => true };

export interface Refreshed {
  topics: number;
  /** Tokens and characters of the map. */
  tokens: number;
  characters: number;
  /** File of the map; null when there is no topic and so no file. */
  path: string | null;
  warnings: readonly string[];
}

export async function refreshProject(
  places: Places,
  o: RefreshOptions,
  count: (text: string) => number,
  pause: () => Promise<void>,
): Promise<Refreshed> {
  const facts: Facts = { root: places.root, taxonomy: [] };
  const counts: { files: number; kinds: Counts['kinds'] } = { files: 0, kinds: [] };
  const warnings: string[] = [];
  if (o.isOpen !== false && existsSync(places.root)) {
    const texts = await projectTexts(places.root, places.name);
    Object.assign(counts, { files: texts.files, kinds: texts.kinds });
    if (texts.cut) warnings.push(`${texts.files} files: a sample of them makes the topics`);
    facts.built = await builtOf(places, texts.documents, o.said ?? (() => SILENCE), pause);
    warnings.push(...facts.built.warnings);
  }
  // Nothing waits from here on: what is written is of this moment.
  facts.taxonomy = [...(o.taxonomies ?? readFacts(places.facts)?.taxonomy ?? [])];
  if (facts.built === undefined && facts.taxonomy.length === 0)
    throw new CuratedError('BAD_TYPE', `there is no folder ${places.root}`, { path: '/project' });
  for (const label of o.labels ?? []) rename(facts, label);
  // What sessions of one project said is for that project alone.
  const topics = topicsOf(facts).filter((t) => o.global !== true || !fromSessions(t.collection));
  const map = topicMap(topics, count, o.format === undefined ? {} : { format: o.format });
  const path = o.global === true ? places.global : places.map;
  writeFacts(places.facts, facts);
  writeWhole(places.counts, JSON.stringify({ ...counts, topics: topics.length }));
  if (map.text === '') removeFile(path);
  else writeWhole(path, `${map.text}\n`);
  return {
    topics: topics.length,
    tokens: map.tokens,
    characters: map.text.length,
    path: map.text === '' ? null : path,
    warnings,
  };
}

/** Topics of documents and of what sessions said. A session that is forgotten meanwhile starts it again without its words. */
async function builtOf(
  places: Places,
  documents: readonly Document[],
  said: () => Said,
  pause: () => Promise<void>,
): Promise<Built> {
  for (;;) {
    const { entries, isCurrent } = said();
    const all = [...documents, ...sessionTexts(entries, places.name)];
    const old = readFacts(places.facts)?.built;
    const made = (old && update(all, old)) ?? (await unhurried(build(all, old), pause));
    if (isCurrent()) return made;
  }
}

function rename(facts: Facts, label: { from: string; to: string }): void {
  const topics = facts.taxonomy.length > 0 ? facts.taxonomy : (facts.built?.topics ?? []);
  const found = topics.filter((t) => t.label === label.from);
  if (found.length === 0)
    fail('BAD_TYPE', `there is no topic ${JSON.stringify(label.from)}`, { path: '/labels' });
  for (const topic of found) {
    topic.label = label.to;
    topic.pinned = true;
  }
}
