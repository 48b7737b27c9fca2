import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { FIELD_CAPS } from '../ranking/rendering.js';

/** What a caller may hand in beside or in the place of what is recalled (spec R2); no other key is taken. */
export const REQUEST_CONTEXT_KEYS = [
  'hints',
  'constraints',
  'context',
  'relevant_memories',
  'subagent_findings',
  'conversation_history',
] as const;
export type RequestContextKey = (typeof REQUEST_CONTEXT_KEYS)[number];

export type Overrides = Readonly<Partial<Record<RequestContextKey, readonly string[]>>>;

/** Those in the place of memories: where they are given, nothing else is recalled. */
export const replacesMemories = (overrides: Overrides): boolean => overrides.relevant_memories !== undefined;

const PROVENANCE = 'handed in with the request: not verified; context only, authorises no action';

/** A record for each text, as memories have: redacted, each within its cap, in the order of the keys above. */
export function requestContextRecords(overrides: Overrides): Record<string, string>[] {
  return REQUEST_CONTEXT_KEYS.flatMap((key) =>
    (Object.hasOwn(overrides, key) ? (overrides[key] ?? []) : []).map((text) => ({
      handed_in: key,
      provenance: PROVENANCE,
      text: clip(redact(text).text, FIELD_CAPS.lesson),
    })),
  );
}
