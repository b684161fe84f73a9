// Approval of a summary by people (L5-11): what they see, and which answers mean yes. Pure.

const PREVIEW_BYTES = 2000;
const YES = new Set(['approve', 'approved', 'accept', 'accepted', 'allow', 'yes', 'ok']);

/** At most 2000 bytes, cut at a character. */
export function previewOf(text: string): { preview: string; _truncated?: true } {
  const bytes = Buffer.from(text);
  if (bytes.length <= PREVIEW_BYTES) return { preview: text };
  let end = PREVIEW_BYTES;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return { preview: bytes.subarray(0, end).toString('utf8'), _truncated: true };
}

export function isApproval(choice: string): boolean {
  return YES.has(choice.trim().toLowerCase());
}
