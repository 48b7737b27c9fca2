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

/** Printing's quotation marks and dashes as a keyboard has them: nothing else that is not ASCII is let through. */
export function plainTypography(words: ModelWords): ModelWords {
  const plain = (text: string): string =>
    TYPOGRAPHY.reduce((so, [pattern, by]) => so.replace(pattern, by), text).trim();
  const { title, discovery, why, notes } = words;
  return { title: plain(title), discovery: plain(discovery), why: plain(why), notes: notes.map(plain) };
}

export const textsOf = ({ title, discovery, why, notes }: ModelWords): string[] => [title, discovery, why, ...notes];

/**
 * Why a model's words may not stand before people and agents. What sanitising would change is not taken at all: words
 * that hold a secret, a path or a host did not come from what the model was shown.
 */
export function presentationProblem(words: ModelWords): WordingFailure | undefined {
  const texts = textsOf(words);
  if (texts.some((text) => /[^\x20-\x7e]/.test(text))) return 'hidden_text';
  if (texts.some((text) => redact(text).redactions.length > 0)) return 'secret';
  if (suspicions(texts.join('\n')).length > 0) return 'injection';
  if (texts.some((text) => generalise(text) !== text)) return 'particulars';
  return undefined;
}
