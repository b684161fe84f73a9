// When a topic ends: asked at each input of the user and again at the end of its turn. The answers go into the journal;
// nothing reads the texts again on replay.

import { PLUGIN_IDS, type TopicPrunerSettings } from '../../settings/index.js';
import { type EmbedderDescriptor, HASHED } from '../../topics/hashed.js';
import { isContentless, TopicModel, type Verdict } from '../../topics/model.js';
import { matchPhrase } from '../../topics/phrases.js';
import { WEIGHTS_VERSION } from '../../topics/weights.js';
import type { Draft } from '../commit.js';
import type { Session } from '../session.js';
import { event, type Payloads } from '../state/events.js';
import { shiftAt, shiftsIn } from './state.js';

const model = new TopicModel();
const SECTION = `${PLUGIN_IDS.topicPruner}/shift`;

export function topicSettings(session: Session): TopicPrunerSettings | undefined {
  const { settings } = session;
  const { topicPruner } = settings.plugins;
  const runs = settings.mode !== 'off' && settings.active.has(PLUGIN_IDS.topicPruner) && topicPruner.enabled;
  return runs ? topicPruner : undefined;
}

/** Does an embedder of the client, a server's or the local one decide where phrases do not (L3-4)? */
function byVectors(session: Session): boolean {
  const { kind } = session.settings.curated.embedder;
  return kind !== 'builtin' && kind !== 'off' && session.topics.embedder !== undefined;
}

function byModel(session: Session, rule: TopicPrunerSettings): boolean {
  const { kind } = session.settings.curated.embedder;
  return rule.mode === 'model' && (kind === 'auto' || kind === 'builtin') && !byVectors(session);
}

/** A message was taken in: the newest of the history. */
export function heard(session: Session, draft: Draft): void {
  const rule = topicSettings(session);
  if (rule === undefined) return;
  const { state, topics } = session;
  topics.follow(state);
  const at = state.messages.length - 1;
  if (topics.input?.message !== at) return;
  const text = state.messages[at]!.reading.ownText;
  if (text.trim() === '') return;
  const said = matchPhrase(text, { ...rule, phrases: rule.explicitPhrases });
  const packed = said === undefined && rule.mode === 'model' && rule.phrasePacks && packPhrase(session);
  const announced = said !== undefined || packed;
  if (byVectors(session)) {
    topics.want({ text, message: at, turn: state.turn, decided: announced });
  }
  if (debounced(session, state.turn)) return;
  if (announced) {
    shift(session, draft, {
      message: at,
      turn: state.turn,
      signal: said?.signal ?? 'phrase',
      similarity: 0,
      embedder: HASHED,
    });
  } else if (byModel(session, rule)) {
    const verdict = model.provisional(topics.tracker, rule.sensitivity);
    if (verdict.shift && !verdict.phrase)
      shift(session, draft, { ...modelShift(at, state.turn, verdict), signal: 'lexical', provisional: true });
  }
}

/** A final turn is about to end: what was provisional is confirmed or taken back, and what the reply shows is told. */
export function settle(session: Session, draft: Draft): void {
  const rule = topicSettings(session);
  if (rule === undefined) return;
  const { state, topics } = session;
  topics.follow(state);
  const input = topics.input;
  if (input === undefined) return;
  if (byModel(session, rule)) {
    const told = shiftAt(state.topic, input.message);
    const verdict = model.final(topics.tracker, rule.sensitivity);
    if (told === undefined) {
      if (verdict.shift && !verdict.phrase && !debounced(session, input.turn)) {
        shift(session, draft, { ...modelShift(input.message, input.turn, verdict), signal: 'reply' });
      }
    } else if (told.signal === 'lexical' && !verdict.shift) {
      draft.push(
        event(
          'memory.topic_shift_retracted',
          {
            seq_of: told.seq,
            score: round(verdict.probability),
            score_threshold: verdict.threshold,
          },
          observed(session),
        ),
      );
    }
  }
  topics.close(state);
}

/** One shift a turn (L3-6). */
export function debounced(session: Session, turn: number): boolean {
  return shiftsIn(session.state.topic, turn);
}

function packPhrase(session: Session): boolean {
  const { input } = session.topics.tracker;
  return input.cues.shiftAt >= 0 && !isContentless(input);
}

interface Found {
  message: number;
  turn: number;
  signal: string;
  similarity: number;
  threshold?: number;
  embedder: Pick<EmbedderDescriptor, 'name' | 'version' | 'threshold'>;
  score?: number;
  scoreThreshold?: number;
  returnedTo?: number;
  provisional?: boolean;
}

function modelShift(message: number, turn: number, v: Verdict): Omit<Found, 'signal'> {
  return {
    message,
    turn,
    similarity: v.similarity,
    embedder: HASHED,
    score: v.probability,
    scoreThreshold: v.threshold,
    ...(v.returned === undefined ? {} : { returnedTo: v.returned.past.start }),
  };
}

/** The event of a shift, and the one envelope that goes with it (L3-12). */
export function shift(session: Session, draft: Draft, f: Found): void {
  const { state } = session;
  const payload: Payloads['memory.topic_shift_detected'] = {
    from_turn: Math.min(state.topic.start, f.turn),
    to_turn: f.turn,
    similarity: round(f.similarity),
    signal: f.signal,
    ...(f.provisional ? { provisional: true } : {}),
    ...(f.returnedTo === undefined ? {} : { returned_to: f.returnedTo }),
    message: f.message,
    threshold: f.threshold ?? f.embedder.threshold,
    embedder: { name: f.embedder.name, version: f.embedder.version },
    ...(f.score === undefined
      ? {}
      : { score: round(f.score), score_threshold: f.scoreThreshold ?? 0, weights_version: WEIGHTS_VERSION }),
  };
  draft.push(event('memory.topic_shift_detected', payload, observed(session)));
  draft.push(
    event(
      'memory.curated',
      {
        layer: 'topic_pruner',
        sections_touched: [{ section_id: SECTION, kind: 'volatile', tokens_delta: 0 }],
        cache_invalidates: false,
        at_turn: f.turn,
      },
      observed(session),
    ),
  );
}

function observed(session: Session): boolean {
  return session.settings.mode === 'observe';
}

/** Six decimals: what the goldens show, and no more than a float32 holds. */
function round(v: number): number {
  return Math.round(v * 1e6) / 1e6;
}
