// A state as one JSON value and back. Readings are not in it: a message is read again from its text, as the fold would.

import { CallIndex } from '../../curation/calls.js';
import { Native } from '../../json/native.js';
import { specOf } from '../../providers/spec.js';
import { readHinted } from '../intake/hints.js';
import { Thoughts } from '../mending/thoughts.js';
import { freshState } from '../state/fresh.js';
import type { Decision } from '../state/ledger.js';
import type { SessionState, StaticPart, StoredMessage } from '../state/state.js';
import { ToolList, type ToolListForm } from '../state/tool-list.js';
import { decodeVector, encodeVector } from '../topics/fold.js';
import type { ClosedTopic, TopicState, TopicVectors } from '../topics/state.js';
import { fieldsOf, type Plain, setFields } from './fields.js';

/** Where a text goes, and how it is named in its place. */
export type PutText = (text: string) => unknown;
export type GetText = (ref: unknown) => string;

/** @param put asked in a fixed order: system, tools, messages */
export function plainOf(state: SessionState, put: PutText): Plain {
  const { system, tools, toolFacts } = state;
  return {
    ...fieldsOf(state),
    ...(system === undefined ? {} : { system: { ...system, native: put(system.native.text) } }),
    ...(tools === undefined ? {} : { tools: { ...tools, native: put(tools.native.text) } }),
    messages: state.messages.map((m): Record<keyof MessageForm, unknown> => {
      const { id, seq, native, tokens, features, turn, round, hint } = m;
      return { id, seq, text: put(native.text), tokens, features, turn, round, hint };
    }),
    calls: state.calls.form(),
    ledger: [...state.ledger.decisions()],
    topic: topicForm(state.topic),
    toolList: state.toolList.form(),
    toolListObserved: state.toolListObserved.form(),
    toolFacts: {
      seen: [...toolFacts.seen],
      invoked: [...toolFacts.invoked],
      discovered: [...toolFacts.discovered],
    },
  };
}

/** Throws on what is not a form of a state: who asks folds the journal then. */
export function stateOf(plain: Plain, get: GetText): SessionState {
  const state = freshState();
  setFields(state, plain);
  state.spec = specOf(state.format);
  const part = (value: unknown): StaticPart => {
    const { native, ...rest } = value as StaticPart & { native: unknown };
    return { ...rest, native: new Native(get(native)) };
  };
  if (plain['system'] !== undefined) state.system = part(plain['system']);
  if (plain['tools'] !== undefined) state.tools = part(plain['tools']);
  for (const m of plain['messages'] as MessageForm[]) {
    const native = new Native(get(m.text));
    // Written out: a spread of each is half of a resume.
    const { id, seq, tokens, features, turn, round, hint } = m;
    const reading = readHinted(state.spec, native, hint?.media);
    const message: StoredMessage = { id, seq, native, reading, tokens, features, turn, round };
    if (hint !== undefined) message.hint = hint;
    state.messages.push(message);
  }
  state.calls = CallIndex.of(
    plain['calls'] as ReturnType<CallIndex['form']>,
    (at, part) => state.messages[at]!.reading.parts[part]!.args,
  );
  state.thoughts = Thoughts.of(state.messages);
  for (const decision of plain['ledger'] as Decision[]) state.ledger.add(decision);
  state.topic = topicOf(plain['topic'] as TopicForm);
  state.toolList = ToolList.of(plain['toolList'] as ToolListForm, state.tools);
  state.toolListObserved = ToolList.of(plain['toolListObserved'] as ToolListForm, state.tools);
  const facts = plain['toolFacts'] as Record<keyof SessionState['toolFacts'], [string, number][]>;
  state.toolFacts = {
    seen: new Map(facts.seen),
    invoked: new Map(facts.invoked),
    discovered: new Map(facts.discovered),
  };
  return state;
}

type MessageForm = Omit<StoredMessage, 'native' | 'reading'> & { text: unknown };

interface TopicForm extends Omit<TopicState, 'vectors' | 'closed'> {
  vectors?: Omit<TopicVectors, 'centroid'> & { centroid: string };
  closed: (Omit<ClosedTopic, 'centroid'> & { centroid: string })[];
}

function topicForm({ vectors, closed, ...rest }: TopicState): TopicForm {
  return {
    ...rest,
    ...(vectors === undefined ? {} : { vectors: { ...vectors, centroid: encodeVector(vectors.centroid) } }),
    closed: closed.map((c) => ({ ...c, centroid: encodeVector(c.centroid) })),
  };
}

function topicOf({ vectors, closed, ...rest }: TopicForm): TopicState {
  return {
    ...rest,
    ...(vectors === undefined ? {} : { vectors: { ...vectors, centroid: decodeVector(vectors.centroid) } }),
    closed: closed.map((c) => ({ ...c, centroid: decodeVector(c.centroid) })),
  };
}
