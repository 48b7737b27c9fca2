import { plainText } from '../../untrusted/text/plain-text.js';

/** Escapes of quoted calls stand for white space or for the character itself. */
const ESCAPE = /\\(?:([nrt])|(["'`\\]))/g;

/** Placeholders name nothing: `<file>`, `[file:.py]`, an ellipsis. */
export const PLACEHOLDERS = /<[^<>\n]{1,60}>|\[[A-Za-z]{1,20}(?::[^\]\s]{0,40})?\]|…|\.{3}/g;
/** Not the end of a word: `0A0%` is a name. */
export const PERCENTAGE = /(?<!\w|\w\.)\d+(?:\.\d+)?\s?(?:%|percent\b|per cent\b)/gi;

/** A text of evidence or of a lesson in one form: plain, without the escapes of quoted calls, one blank for white space. */
export function plainEvidence(text: string): string {
  return plainText(text)
    .replace(ESCAPE, (_, blank: string | undefined, char: string | undefined) => (blank ? ' ' : (char ?? '')))
    .replace(/\s+/g, ' ')
    .trim();
}

/** Dossiers for a model are printed in ASCII without backticks, so that quotes of them are compared in that form as well. */
const printed = (text: string): string => plainEvidence(text.replaceAll('`', "'").replace(/[^\x20-\x7e]/g, ' '));
const isPrinted = (text: string): boolean => /^[\x20-_a-~]*$/.test(text);

/** The text of a dossier, in which the words of a lesson are looked up. */
export class EvidenceText {
  private readonly text: string;
  private readonly percentages: ReadonlySet<string>;

  constructor(dossierText: string) {
    const plain = plainEvidence(dossierText);
    this.text = plain.toLowerCase();
    this.percentages = new Set(
      [plain, plain.replace(PLACEHOLDERS, ' ')].flatMap((text) => (text.match(PERCENTAGE) ?? []).map(numberOf)),
    );
  }

  /** Without case, modulo white space. */
  holdsVerbatim(quote: string): boolean {
    return [plainEvidence(quote), printed(quote)].some(
      (plain) => /[\p{L}\p{N}]/u.test(plain) && this.text.includes(plain.toLowerCase()),
    );
  }

  /** The same number, however the sign is written: `87 %` is `87%` and `87 percent`, but not `7%`. */
  holdsPercentage(percentage: string): boolean {
    return this.percentages.has(numberOf(percentage));
  }

  /** As a whole word: an option may be followed by `=` and its value, but `-v` is not in `--verbose`. */
  holdsWord(word: string): boolean {
    if (this.holdsPiece(word.toLowerCase())) return true;
    if (isPrinted(word)) return false;
    const pieces = printed(word.toLowerCase())
      .split(' ')
      .filter((piece) => /\w/.test(piece));
    return pieces.length > 0 && pieces.every((piece) => this.holdsPiece(piece));
  }

  /** As the last character of a name that else has no digits. */
  holdsDigitOfName(digit: string): boolean {
    for (let at = this.text.indexOf(digit); at >= 0; at = this.text.indexOf(digit, at + 1))
      if (/[a-z]/.test(this.text.charAt(at - 1)) && !WORD.test(this.text.charAt(at + 1))) return true;
    return false;
  }

  private holdsPiece(plain: string): boolean {
    const [first, last] = [plain.charAt(0), plain.at(-1) ?? ''];
    for (let at = this.text.indexOf(plain); at >= 0; at = this.text.indexOf(plain, at + 1))
      if (isBoundary(this.text, at - 1, first) && isBoundary(this.text, at + plain.length, last)) return true;
    return false;
  }
}

const numberOf = (percentage: string): string => percentage.replace(/[^\d.]/g, '');

const WORD = /[\p{L}\p{N}_]/u;

/** True if the character beside a word does not continue it. `edge`: the word's own character on that side. */
function isBoundary(text: string, at: number, edge: string): boolean {
  const beside = text.charAt(at);
  if (edge === '-') return !WORD.test(beside) && beside !== '-';
  return !WORD.test(edge) || !WORD.test(beside);
}
