import { asciiMarks } from '../../propose/model/presentable.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { oneLine } from '../../untrusted/text/plain-text.js';
import { withoutPrivateValues } from '../../untrusted/text/private-values.js';

/** Marks of a heading, a list or a quotation at the start of a text. */
const LINE_START = /^(?:#{1,6}\s|>\s|[-*+]\s|\d{1,2}[.)]\s){1,3}/;
const EMPHASIS = /(\*{1,3}|_{2,3})(?=\S)([^*_\n]{1,300}?)(?<=\S)\1/g;
const SIGNS: Readonly<Record<string, string>> = { '→': '->', '≥': '>=', '≤': '<=', '≠': '!=', '×': 'x' };
const PLACEHOLDERS: Readonly<Record<string, string>> = { path: 'folder', url: 'url', host: 'host', email: 'address' };

/**
 * A text of a model as people and agents read it: one line without the marks of a document but for code spans, without
 * secrets and private values, which become placeholders such as `<folder>`. Characters outside ASCII stay, and make
 * {@link isPlain} false.
 */
export function plainWords(text: string): string {
  const ascii = oneLine(asciiMarks(text)).replace(/[→≥≤≠×]/g, (sign) => SIGNS[sign] ?? sign);
  const line = ascii.replace(LINE_START, '').replace(EMPHASIS, '$2');
  return withPlaceholders(withoutPrivateValues(redact(wholeSpans(line)).text)).trim();
}

/** Only printable ASCII, and no code block. */
export const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text) && !text.includes('```');

/** A backtick without another one is a quotation mark, as are two of them. */
function wholeSpans(line: string): string {
  if (line.includes('```')) return line;
  const single = line.replaceAll('``', "''");
  return single.split('`').length % 2 === 1 ? single : single.replaceAll('`', "'");
}

const withPlaceholders = (text: string): string =>
  text.replace(/\[(path|url|host|email)\]/g, (_, name: string) => `<${PLACEHOLDERS[name] ?? name}>`);
