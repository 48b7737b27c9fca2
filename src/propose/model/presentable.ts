import { redact } from '../../untrusted/redaction/redact.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { suspicions } from '../../untrusted/text/suspicions.js';
import type { ModelWords, WordingFailure } from './model-words.schema.js';

const TYPOGRAPHY: readonly (readonly [RegExp, string])[] = [
  [/[‘’ʼ]/g, "'"],
  [/[“”]/g, '"'],
  [/\s?[–—]\s?/g, ' - '],
  [/[‐‑]/g, '-'],
  [/…/g, '...'],
  [/\u00a0/g, ' '],
];

/** A text with typographic quotation marks and dashes in ASCII. */
export const asciiMarks = (text: string): string =>
  TYPOGRAPHY.reduce((so, [pattern, by]) => so.replace(pattern, by), text).trim();

/** Replaces typographic quotation marks and dashes by ASCII. Every other character outside ASCII is rejected later. */
export function plainTypography(words: ModelWords): ModelWords {
  const plain = asciiMarks;
  const { title, discovery, why, notes } = words;
  return { title: plain(title), discovery: plain(discovery), why: plain(why), notes: notes.map(plain) };
}

export const textsOf = ({ title, discovery, why, notes }: ModelWords): string[] => [title, discovery, why, ...notes];

/**
 * Returns why a model's words may not be shown to people and agents. Words that sanitising would change are rejected as
 * a whole: a secret, a path or a host in them did not come from what the model was shown.
 */
export function presentationProblem(words: ModelWords): WordingFailure | undefined {
  const texts = textsOf(words);
  if (texts.some((text) => /[^\x20-\x7e]/.test(text))) return 'hidden_text';
  if (texts.some((text) => redact(text).redactions.length > 0)) return 'secret';
  if (suspicions(texts.join('\n')).length > 0) return 'injection';
  if (texts.some((text) => generalise(text) !== text)) return 'particulars';
  return undefined;
}
