// The rules behind the check `valid` (README 6), with their code names there. Pure.
import { listOf } from '../request.js';
import { type Obj, objs, type RuleFormat } from '../types.js';
import { anthropicContent } from './anthropic-content.js';
import { anthropicPairs } from './anthropic-pairs.js';
import { chatRules } from './chat.js';
import { anthropicProfile, chatProfile, responsesProfile } from './profile.js';
import { responsesRules } from './responses.js';
import { textRules } from './text.js';
import type { Violation } from './violation.js';

/** Code names of the failure cases by rule; a rule that is not here is not part of `valid`. */
const CODES: Readonly<Record<string, string>> = {
  'PV-A18': 'UTF16',
  HINT: 'HINT',
  ROLE: 'ROLE',
  EMPTY_FINAL: 'NONEMPTY',
  'PV-A1': 'PAIR',
  'PV-A2': 'PAIR',
  'PV-A3': 'UNIQUE_IDS',
  'PV-A5': 'RESULT_FIRST',
  'PV-A10': 'FIRST_USER',
  'PV-A11': 'ROLE',
  'PV-A17': 'NONEMPTY',
  'PV-A19': 'JSON_ARGS',
  'PV-A22': 'THINK',
  'PV-A24': 'THINK',
  'PV-A34': 'SERVER_PAIR',
  'PV-A35': 'NONEMPTY',
  'PV-C1': 'PAIR',
  'PV-C2': 'PAIR',
  'PV-C3': 'UNIQUE_IDS',
  'PV-C5': 'JSON_ARGS',
  'PV-C6': 'NONEMPTY',
  'PV-C7': 'NONEMPTY',
  'PV-S4': 'HAS_USER',
  'PV-R1': 'PAIR',
  'PV-R3': 'REASONING',
  'PV-R5': 'REASONING',
};

/** A model of the plain class: no system messages inside the list, no bound thinking. */
const PLAIN_MODEL = 'claude-sonnet-4-5';

function rulesOf(out: Obj, format: RuleFormat): Violation[] {
  if (format === 'openai') return chatRules(out, chatProfile());
  if (format === 'openai-responses')
    return responsesRules({ ...out, input: listOf(out) }, responsesProfile(true));
  const list = objs(out['messages']);
  return [...anthropicContent(list, anthropicProfile(PLAIN_MODEL)), ...anthropicPairs(list)];
}

/** Violations of the `valid` rules, with `rule` as the code name. */
export function validRequest(out: Obj, format: RuleFormat): Violation[] {
  return [...textRules(out), ...rulesOf(out, format)].flatMap((v) => {
    const rule = CODES[v.rule];
    return rule === undefined ? [] : [{ ...v, rule }];
  });
}
