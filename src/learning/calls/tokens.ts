/** Stands for code, prose and documents: what they say is nothing to learn from. */
export const TEXT = '[text]';
/** Stands for a number of a statement. */
export const NUMBER = '[n]';

/** An empty argument. */
export const EMPTY = "''";

const OPERATOR = /^(?:&&|\|\||;|\||&)$/;

export const isOperator = (token: string): boolean => OPERATOR.test(token);
export const isFlag = (token: string): boolean => /^-{1,2}[A-Za-z]/.test(token);
export const isNumber = (token: string): boolean =>
  token === NUMBER || /^[\d.,:+#-]{0,20}\d[\d.,:%-]{0,20}$/.test(token);
/** True for the placeholder of a value that the report does not hold: `[text]`, `[code]`, `[value]`. */
export const isMasked = (token: string): boolean => /^\[[a-z]{1,12}\]$/.test(token);

/** A number that was given as a text, without its quotes. */
export const bare = (token: string): string => (token.startsWith('"') ? token.replace(/^"(.*)"$/, '$1') : token);

/** Tokens as a line for a reader. */
export const lineOfTokens = (tokens: readonly string[]): string => tokens.join(' ').replaceAll(/(?<=\S)= (?=\S)/g, '=');

/** Of a statement: they say how, not what. */
const KEYWORD =
  /^(?:select|from|where|as|and|or|not|in|is|null|on|by|group|order|having|limit|join|inner|left|right|outer|distinct|count|max|min|avg|sum|asc|desc|describe|between|like|union|exists|case|when|then|else|end|\*|\[n\])$/;
export const isKeyword = (token: string): boolean => KEYWORD.test(token);
