import { createHash } from 'node:crypto';
import type { LabelledError } from '../labelled-errors.js';

/** Parts the labelled calls: those held out first, then those by which rules were improved; see GUIDE.md. */
export function heldOutRows(errors: readonly LabelledError[]): [LabelledError[], LabelledError[]] {
  const parts: [LabelledError[], LabelledError[]] = [[], []];
  for (const error of errors) {
    const { execution = '', index = 0 } = error.call ?? {};
    const digest = createHash('sha256').update(`${execution} ${index}`).digest('hex');
    parts[digest < '5' ? 0 : 1].push(error);
  }
  return parts;
}
