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
      -6.156, // bias
      -0.214, // overlap
      -0.942, // overlapUser
      -1.267, // overlapReply
      -0.549, // overlapLastInput
      -0.459, // bestMatch
      1.061, // bestNew
      0.426, // matches0
      0.169, // matches1
      -0.383, // matches3
      -0.87, // cosTopic
      -0.644, // cosInputs
      -0.547, // cosLastReply
      -0.795, // cosLastInput
      -0.133, // meanTopic
      -0.422, // meanLastReply
      -0.984, // meanLastInput
      0.973, // meanKnown
      -0.003, // none
      -0.171, // few
      -0.556, // content
      1.075, // words
      0.413, // long
      0.971, // veryLong
      -0.623, // ackFirst
      -0.094, // ackLead
      -1.672, // emptyShare
      -0.509, // connectFirst
      -0.53, // connectSecond
      -0.361, // anaphors
      -0.515, // anaphorShare
      0.396, // requestFirst
      -0.713, // requestSecond
      1.833, // greetFirst
      0.316, // greet
      0.182, // closeNow
      -0.338, // refuse
      0.0, // shiftCue
      -0.043, // backCue
      -0.207, // question
      -1.058, // lastReplyAsks
      -0.154, // lastReplyAsksShort
      1.066, // lastReplyOffers
      0.277, // lastInputCloses
      -0.206, // lastInputThanks
      -1.359, // turn1
      -0.375, // turn2
      -0.126, // turn3
      1.265, // logTurns
      0.45, // code
      0.795, // past
      1.137, // pastOver
      1.238, // noveltyRequest
      0.3, // noveltyLong
      0.555, // noOverlapContent
      0.144, // lastReplyLong
      0.013, // lengthRatio
      0.497, // sessionKnown
      1.058, // offerAndRequest
      0.215, // asksAndNoRequest
      0.146, // dOverlap
      -0.133, // dCosTopic
      -0.529, // dCosLastReply
      -0.491, // dMeanTopic
    ],
  },
  end: {
    names: END_FEATURES,
    threshold: 0.4,
    weights: [
      -6.825, // bias
      -0.227, // overlap
      -0.781, // overlapUser
      -0.998, // overlapReply
      -0.492, // overlapLastInput
      -0.076, // bestMatch
      1.04, // bestNew
      0.183, // matches0
      0.021, // matches1
      -0.323, // matches3
      -0.521, // cosTopic
      -0.477, // cosInputs
      -0.446, // cosLastReply
      -0.926, // cosLastInput
      0.062, // meanTopic
      -0.197, // meanLastReply
      -0.898, // meanLastInput
      0.716, // meanKnown
      -0.004, // none
      -0.254, // few
      -0.537, // content
      1.051, // words
      0.527, // long
      1.014, // veryLong
      -0.562, // ackFirst
      -0.041, // ackLead
      -1.368, // emptyShare
      -0.467, // connectFirst
      -0.538, // connectSecond
      -0.291, // anaphors
      -0.238, // anaphorShare
      0.306, // requestFirst
      -0.663, // requestSecond
      1.851, // greetFirst
      0.055, // greet
      0.167, // closeNow
      -0.01, // refuse
      0.0, // shiftCue
      -0.021, // backCue
      -0.198, // question
      -1.036, // lastReplyAsks
      -0.084, // lastReplyAsksShort
      1.053, // lastReplyOffers
      0.271, // lastInputCloses
      -0.047, // lastInputThanks
      -1.062, // turn1
      -0.289, // turn2
      -0.091, // turn3
      1.568, // logTurns
      0.137, // code
      0.471, // past
      0.785, // pastOver
      1.114, // noveltyRequest
      0.199, // noveltyLong
      0.417, // noOverlapContent
      0.35, // lastReplyLong
      -0.111, // lengthRatio
      0.463, // sessionKnown
      1.081, // offerAndRequest
      0.068, // asksAndNoRequest
      0.189, // dOverlap
      0.324, // dCosTopic
      -0.346, // dCosLastReply
      -0.28, // dMeanTopic
      -0.21, // rOverlap
      0.149, // rOverlapUser
      -0.159, // rOverlapBoth
      -0.845, // rOverlapLastReply
      -0.808, // rBestMatch
      -0.695, // rCosTopic
      -0.385, // rCosInputs
      -0.866, // rCosLastReply
      -0.128, // rMeanTopic
      -0.63, // rMeanLastReply
      0.135, // rCosInput
      0.848, // rMeanInput
      0.328, // rAsks
      -1.051, // rOffers
      0.118, // rContent
      0.657, // rLong
      -0.05, // rFew
      0.534, // rSessionKnown
      0.232, // rPast
      -0.342, // rMatches
      0.375, // rRefuse
      -0.106, // rAckFirst
      -0.036, // rLengthRatio
      -0.408, // rNewOverlap
      -0.253, // rdOverlap
      -0.485, // rdCosTopic
      -0.631, // rdCosLastReply
      -0.231, // rdMeanTopic
      -1.051, // pairCos
      -0.026, // pairMean
      -0.121, // dPairCos
    ],
  },
  precise: { input: 0.84, end: 0.77 },
};
