// Takes secrets out of a log line, whatever field they came in. The last net under the field-wise redaction.

const SECRETS =
  /(\bBearer\s+|curated\.bearer\.|[?&](?:[a-z_-]*token|api[_-]?key|key|secret|password)=|\bsk-(?:ant-)?)[A-Za-z0-9_\-.~+/=]{6,}/gi;

export function scrub(line: string): string {
  return line.replace(SECRETS, (_all, prefix: string) => `${prefix}[redacted]`);
}
