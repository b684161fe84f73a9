// What the stream of a provider's answer amounts to, whichever format it has. Types only.

/** What a stream amounts to. */
export interface Answer {
  /** The assistant's message in the provider's own format; undefined where none has begun. */
  message?: Record<string, unknown>;
  stop_reason?: string;
  /** The provider's own objects, for turn.end. */
  usage?: Record<string, unknown>;
  context_management?: unknown;
  diagnostics?: unknown;
  /** What became of thinking blocks (PV-A29). */
  input_transformations?: unknown;
  /** An error in mid-stream, as the provider wrote it. */
  error?: unknown;
  /** The stream has said that it is over. A message of one that has not is only what came so far. */
  complete: boolean;
  /** Something was in it that this reader does not know: the host's own reading is the better one. */
  unknown: boolean;
}

/** Takes the events of one format's stream. */
export interface AnswerReader {
  take(event: unknown): void;
  readonly answer: Answer;
}
