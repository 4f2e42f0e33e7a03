import type { SuppressionDto } from './suppression.dto.js';

/** RFC 8259, section 7: control characters, the quotation mark and the backslash; and surrogates. */
const NEEDS_ESCAPING = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

export function writeString(text: string): string {
  return NEEDS_ESCAPING.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Only the address may need escaping. */
export function writeSuppression({
  object,
  id,
  email,
  origin,
  source_id,
  created_at,
}: SuppressionDto): string {
  const source = source_id === null ? 'null' : `"${source_id}"`;
  return `{"object":"${object}","id":"${id}","email":${writeString(email)},"origin":"${origin}","source_id":${source},"created_at":"${created_at}"}`;
}
