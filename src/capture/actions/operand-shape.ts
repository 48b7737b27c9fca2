import { isPlaceholder } from './normalised-word.js';

/** The shape of one operand: its kind, never its value. */
export function operandShape(word: string): string {
  if (/^\[path\]\//.test(word) || word.includes('::')) return fileShape(word) ?? '[dir]';
  if (word === '[path]') return '[dir]';
  if (isPlaceholder(word)) return word;
  if (/^\d[\d.]*$/.test(word)) return '[n]';
  if (/[*?{}]/.test(word)) return '[glob]';
  if (word === '.' || word === '..' || word.endsWith('/')) return '[dir]';
  return fileShape(word) ?? (word.includes('/') ? '[dir]' : '[word]');
}

function fileShape(word: string): string | undefined {
  const extension = /\.([A-Za-z][A-Za-z0-9]{0,7})(?:::.{0,200})?$/.exec(word)?.[1];
  return extension === undefined || word.includes('=') ? undefined : `[file:.${extension.toLowerCase()}]`;
}

/** True for a word whose kind is compared and shown, never its value: another file is another target. */
export function isPathLike(word: string): boolean {
  return /^\[(?:dir|glob|file:)/.test(operandShape(word));
}
