// Which failures of a model call may pass, and which say that the input was too long (NS-14). Pure.

const RETRYABLE = new Set([408, 409, 429, 500, 502, 503, 504, 529]);

const OVERFLOW = [
  'prompt is too long',
  'prompt too long',
  'context length',
  'context_length_exceeded',
  'maximum context length',
  'too many tokens',
  'exceeds the maximum',
  'input is too long',
];

/** An HTTP failure with its status; the message never holds a key. */
export class HttpFailure extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'HttpFailure';
    this.status = status;
  }
}

/** True for a provider's message that says the request does not fit its window. */
export function isOverflow(message: string, type?: string): boolean {
  const text = message.toLowerCase();
  if (OVERFLOW.some((o) => text.includes(o))) return true;
  return (
    (type === 'invalid_request_error' || text.includes('invalid_request_error')) && text.includes('long')
  );
}

/** Did an answer end because the window was full? Source: PROVIDERS A, stop reasons. */
export function isOverflowStop(stopReason: string | null | undefined): boolean {
  return stopReason === 'model_context_window_exceeded';
}

/** Overflow is never plainly retried; neither is what a later try cannot change. */
export function isRetryable(e: unknown): boolean {
  if (e instanceof HttpFailure) return RETRYABLE.has(e.status) && !isOverflow(e.message);
  return !isOverflow(e instanceof Error ? e.message : String(e));
}
