// Weights of the topic rule, found by `node dist/bench/train/topics.js` on the dev dialogues of ../shared/data/topics
// (dialseg711, mtb101concat, codingagent). Made; don't edit, train again when a feature changes.

import { END_FEATURES, INPUT_FEATURES } from './features.js';
import type { Rule } from './rule.js';

export const WEIGHTS_VERSION = 1;

export const WEIGHTS: Rule = {
  input: {
    names: INPUT_FEATURES,
    threshold: 0.35,
    weights: [
      -5.463, // bias
      -0.29, // overlap
      -0.488, // overlapUser
      -0.903, // overlapReply
      -0.466, // overlapLastInput
      -0.374, // bestMatch
      0.679, // bestNew
      0.534, // matches0
      0.177, // matches1
      -0.31, // matches3
      -0.63, // cosTopic
      -0.548, // cosInputs
      -0.618, // cosLastReply
      -0.613, // cosLastInput
      -0.349, // meanTopic
      -0.562, // meanLastReply
      -0.817, // meanLastInput
      0.696, // meanKnown
      -0.001, // none
      -0.115, // few
      -0.328, // content
      0.807, // words
      0.259, // long
      0.559, // veryLong
      -0.654, // ackFirst
      -0.127, // ackLead
      -0.685, // emptyShare
      -0.456, // connectFirst
      -0.336, // connectSecond
      -0.346, // anaphors
      -0.192, // anaphorShare
      0.552, // requestFirst
      -0.295, // requestSecond
      0.88, // greetFirst
      0.385, // greet
      0.005, // closeNow
      -0.246, // refuse
      0.0, // shiftCue
      -0.017, // backCue
      -0.143, // question
      -0.778, // lastReplyAsks
      -0.174, // lastReplyAsksShort
      0.931, // lastReplyOffers
      0.171, // lastInputCloses
      -0.094, // lastInputThanks
      -1.186, // turn1
      -0.238, // turn2
      -0.064, // turn3
      1.22, // logTurns
      0.292, // code
      0.453, // past
      0.604, // pastOver
      0.969, // noveltyRequest
      0.418, // noveltyLong
      0.514, // noOverlapContent
      0.121, // lastReplyLong
      0.042, // lengthRatio
      0.312, // sessionKnown
      0.737, // offerAndRequest
      -0.011, // asksAndNoRequest
    ],
  },
  end: {
    names: END_FEATURES,
    threshold: 0.35,
    weights: [
      -5.986, // bias
      -0.19, // overlap
      -0.354, // overlapUser
      -0.703, // overlapReply
      -0.44, // overlapLastInput
      -0.089, // bestMatch
      0.631, // bestNew
      0.189, // matches0
      0.008, // matches1
      -0.183, // matches3
      -0.467, // cosTopic
      -0.443, // cosInputs
      -0.535, // cosLastReply
      -0.652, // cosLastInput
      -0.071, // meanTopic
      -0.264, // meanLastReply
      -0.661, // meanLastInput
      0.401, // meanKnown
      -0.002, // none
      -0.226, // few
      -0.262, // content
      0.781, // words
      0.306, // long
      0.521, // veryLong
      -0.532, // ackFirst
      -0.082, // ackLead
      -0.531, // emptyShare
      -0.387, // connectFirst
      -0.291, // connectSecond
      -0.231, // anaphors
      -0.064, // anaphorShare
      0.423, // requestFirst
      -0.279, // requestSecond
      0.842, // greetFirst
      0.206, // greet
      0.017, // closeNow
      -0.018, // refuse
      0.0, // shiftCue
      -0.007, // backCue
      -0.213, // question
      -0.793, // lastReplyAsks
      -0.099, // lastReplyAsksShort
      0.859, // lastReplyOffers
      0.161, // lastInputCloses
      0.06, // lastInputThanks
      -0.935, // turn1
      -0.216, // turn2
      -0.075, // turn3
      1.464, // logTurns
      0.081, // code
      0.239, // past
      0.398, // pastOver
      0.806, // noveltyRequest
      0.241, // noveltyLong
      0.315, // noOverlapContent
      0.442, // lastReplyLong
      -0.106, // lengthRatio
      0.298, // sessionKnown
      0.714, // offerAndRequest
      -0.153, // asksAndNoRequest
      -0.377, // rOverlap
      -0.089, // rOverlapUser
      -0.178, // rOverlapBoth
      -0.957, // rOverlapLastReply
      -0.766, // rBestMatch
      -0.956, // rCosTopic
      -0.615, // rCosInputs
      -1.132, // rCosLastReply
      -0.396, // rMeanTopic
      -0.828, // rMeanLastReply
      0.404, // rCosInput
      0.945, // rMeanInput
      0.386, // rAsks
      -1.121, // rOffers
      0.254, // rContent
      0.711, // rLong
      0.073, // rFew
      0.31, // rSessionKnown
      0.239, // rPast
      -0.643, // rMatches
      0.342, // rRefuse
      -0.135, // rAckFirst
      -0.025, // rLengthRatio
      -0.488, // rNewOverlap
    ],
  },
  precise: { input: 0.75, end: 0.76 },
};
