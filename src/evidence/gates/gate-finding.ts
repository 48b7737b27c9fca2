import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import type { GateFinding } from './gated-lesson.js';

/** Returns how findings of a gate are made. The words that it objects to are redacted and clipped. */
export const gateFinding =
  (gate: GateFinding['gate'], severity: GateFinding['severity']) =>
  (part: string, text: string, reason: string): GateFinding => ({
    gate,
    part,
    text: clip(redact(text).text, 200),
    reason,
    severity,
  });
