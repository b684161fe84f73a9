// What goes into the recall index and comes out of it. Types only.

/** Where a session's rows end: the event they were read up to, and what the journal said of it. */
export interface Position {
  seq: number;
  /** Chain hash of that event: another one means that the journal was rewound. */
  hash: string;
  format: string;
  /** Folder of the project, '' when none was named. */
  project: string;
  /** User inputs so far. */
  inputs: number;
}

export interface NewRow {
  seq: number;
  part: number;
  turn: number;
  role: string;
  tool: string | null;
  handle: string;
  tokens: number;
  text: string;
}

export interface Found {
  handle: string;
  score: number;
  session: string;
  turn: number;
  tool?: string;
  snippet: string;
  tokens: number;
  neighbours: { handle: string; snippet: string }[];
}

export interface RowPlace {
  session: string;
  seq: number;
  part: number;
}

export interface SearchOptions {
  tenant: string;
  /** What is asked; of its words a passage has some. */
  query: string;
  /** Words of which a passage must have one as well; '' = no such condition. */
  must: string;
  session?: string | undefined;
  project?: string | undefined;
  tool?: string | undefined;
  k: number;
  /** Tokens of all hits together: those that fit, in order; then passages that stand beside a hit are hits as well. */
  budget?: number | undefined;
}
