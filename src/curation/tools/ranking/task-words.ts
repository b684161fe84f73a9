// Words of tools that tasks need without saying so: who asks for a report in a .md file needs to write files. Written by
// hand after reading the development queries of bench/tool-retrieval; general, and no substitute for a model. Pure data.

import type { Bag } from './word-index.js';
import { stems } from './words.js';

const ROWS: readonly (readonly [RegExp, string, number])[] = [
  [/\.(md|markdown)\b|\bmarkdown\b|\.txt\b/i, 'write file read', 0.6],
  [/\b(save|store|export|record|output)\w*\b.*(\/|\.\w{2,4}\b|file)/i, 'write save file create', 0.7],
  [/\b(draft|write|create|make|generate|produce)\b.*\.(md|txt|ts|js|py|json|csv|html)\b/i, 'write file', 0.8],
  [/\.pptx?\b|\bppt\b|\bslides?\b|\bpowerpoint\b/i, 'presentation create slide add save', 0.7],
  [
    /\.docx?\b|\bword (document|file)\b|\binto a word\b|example word/i,
    'word document create paragraph add text',
    0.7,
  ],
  [/\.pdf\b|\bpdf\b/i, 'pdf read document convert create paragraph', 0.5],
  [/\.xlsx?\b|\bspreadsheet/i, 'excel sheet read write', 0.7],
  [
    /\b(today|tomorrow|yesterday|tonight|right now|this (week|month)|next (week|month|few|day)|near future|current(ly)?|upcoming)\b/i,
    'current time date get',
    0.45,
  ],
  [
    /\b(trip|tour|travel|visit|hotel|restaurants?|nearby|route|drive|driving|commute|address|located|place|meeting point|park(ing)?|get there)\b/i,
    'geocode address nearby place directions route reverse location',
    0.5,
  ],
  [/\b(train|rail|railway|high-speed)\b/i, 'station code ticket train city', 0.6],
  [
    /\b(estimate|value|total|budget|calculate|percentage|how much|sum|capitali[sz]ation)\b/i,
    'calculate expression',
    0.6,
  ],
  [/\b(files?|folders?|director(y|ies))\b/i, 'list directory file read', 0.4],
  [/\b(differen(t|ces?)|changes?|compare|comparison|similarit|deviat)/i, 'diff compare text', 0.5],
  [/https?:\/\//i, 'fetch url web page content', 0.6],
  [/youtube|ted talk|video/i, 'transcript video youtube', 0.6],
  [/\bnews\b|\bheadlines?\b|latest (information|product)/i, 'news stories trending', 0.6],
  [/\b(paper|arxiv|articles?)\b/i, 'search paper read download article', 0.4],
  [
    /\b(investment|investing|company|stock|shares?)\b/i,
    'stock income statement cashflow price ticker news fundamental',
    0.4,
  ],
  [/\b(paint(ing)?|artwork|museum|gallery)\b/i, 'museum object search art', 0.7],
  [/\b(report|research|analy[sz]e|analysis)\b/i, 'research analysis write', 0.25],
  [/\bstay(ing)?\b|\bhomestays?\b|\bhotels?\b/i, 'listing search airbnb', 0.4],
];

const COMPILED = ROWS.map(([pattern, words, weight]) => ({ pattern, words: stems(words, true), weight }));

/** @param text at most a few thousand characters: each row reads it once */
export function taskWords(text: string): Bag {
  const bag = new Map<string, number>();
  for (const { pattern, words, weight } of COMPILED) {
    if (!pattern.test(text)) continue;
    for (const word of words) bag.set(word, Math.max(bag.get(word) ?? 0, weight));
  }
  return bag;
}
