import { looksLikeWords } from '../text/letter-pairs.js';
import { countDigits, isMostlyWords } from './entropy.js';

/**
 * Recognises values after a secret-like name that are no secrets: expressions, patterns, templates and words of source
 * code and prose. Pure; every pattern is bounded by the text it is given.
 */

const TEMPLATE_FIELD = /\$\{[^}]{0,200}(?:\}|$)|\{\{?[A-Za-z_ .]{0,60}\}\}?|%[sdvqw]/g;
const REGULAR_EXPRESSION =
  /^[!(]*\/.*[^\\]\/[dgimsuvy]{0,4}[).]*$|\\[wdsbWDSB](?![A-Za-z0-9])|\[[A-Za-z]-[A-Za-z]|\(\?[:=!<]/;
const PATH_OF_NAMES = /^[A-Za-z_$][\w$]*(?:(?:\?|!)?\.[A-Za-z_$#][\w$]*)*$/;
const CALL_OR_LITERAL = /^[!(&*[]*([A-Za-z_$][\w$]*(?:(?:\?|!)?\.[A-Za-z_$#][\w$]*)*)(?:\?\.)?[({]/;

/** Removes the parts that a template fills in later: `${name}`, `{name}`, `%s`. */
const withoutTemplateFields = (text: string): string => text.replace(TEMPLATE_FIELD, '');

const isName = (text: string): boolean =>
  countDigits(text) <= 2 && (text.length <= 3 || looksLikeWords(text.replace(/[^A-Za-z]/g, '')));

/** True for a regular expression, whole or in part. */
export const isPattern = (text: string): boolean => REGULAR_EXPRESSION.test(text);

/** True for a template whose fixed parts are only words and punctuation: `Bearer ${token}`, `{type} of {name}`. */
export function isTemplate(text: string): boolean {
  const fixed = withoutTemplateFields(text);
  return fixed !== text && (!/[A-Za-z0-9]/.test(fixed) || isWords(fixed));
}

/** True for words without digits, as people or programmers write them: a sentence, an option name, a heading. */
export const isWords = (text: string): boolean =>
  /^[A-Za-z_ .,:;()[\]'"!?@\x60<>/|-]+$/.test(text) && looksLikeWords(text.replace(/[^A-Za-z]/g, ''));

/** True for an identifier with at most two digits: `session-17`, `/v1/oauth/token`, `__Host-site-visit`. */
export const isIdentifier = (text: string): boolean =>
  /^[\w./:@-]+$/.test(text) &&
  countDigits(text) <= 2 &&
  isMostlyWords(text) &&
  looksLikeWords(text.replace(/[^A-Za-z]/g, ''));

/**
 * True for an expression of a programming language: a call or a literal of a named type, a path of names, closing
 * brackets.
 */
export function isExpression(text: string): boolean {
  if (/^[)\]}]/.test(text)) return true;
  const called = CALL_OR_LITERAL.exec(text)?.[1];
  if (called !== undefined) return isName(called);
  const path = text.replace(/^[!(&*]+|[)\]};:,]+$/g, '');
  return path.includes('.') && PATH_OF_NAMES.test(path) && isName(path);
}
