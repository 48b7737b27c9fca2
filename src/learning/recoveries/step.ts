import type { Call } from '../calls/call.js';
import { namedIn } from '../calls/error-tokens.js';
import { SETS_UP } from '../calls/shell-line.js';
import { isFlag, isKeyword, isNumber, TEXT } from '../calls/tokens.js';

const LONGEST_STEP = 8;

/**
 * The features of a call that was made before a try, from its program alone to all its words. Words of the failed call
 * become `⟨f⟩`, words of its error `⟨e⟩`, numbers `⟨n⟩`; the last feature is literal. None for what only sets up.
 */
export function stepFeatures(step: readonly string[], failed: Call): string[] {
  const operands = new Set(
    failed.tokens.filter((one, at) => !failed.starts.includes(at) && !isFlag(one) && !one.endsWith('=')),
  );
  const names = new Set([...operands].map((one) => one.slice(one.lastIndexOf('/') + 1)));
  const isNamed = namedIn(failed.error);
  const words = step.slice(0, LONGEST_STEP).map((one, at) => {
    if (at === 0 || one === TEXT) return one;
    if (isNumber(one)) return '⟨n⟩';
    if (operands.has(one) && one.length >= 2 && !isKeyword(one)) return '⟨f⟩';
    if (one.length >= 3 && isNamed(one)) return '⟨e⟩';
    return one.length >= 3 && names.has(one) ? '⟨f⟩' : one;
  });
  if (words.length === 0 || SETS_UP.test(words[0] ?? '')) return [];
  const forms = [words.slice(0, 1), words.slice(0, 2), words.slice(0, 3), words, step.slice(0, LONGEST_STEP)];
  // That a file was edited says something only with its name.
  const named = forms.filter((form) => form.length > 1 || form[0] !== 'edit');
  return [...new Set(named.map((form) => `step ${form.join(' ')}`))];
}
