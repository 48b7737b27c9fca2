/** Stands for code, prose and documents: what they say is nothing to learn from. */
export const TEXT = '[text]';
/** Stands for a number of a statement. */
export const NUMBER = '[n]';

const OPERATOR = /^(?:&&|\|\||;|\||&)$/;

export const isOperator = (token: string): boolean => OPERATOR.test(token);
export const isFlag = (token: string): boolean => /^-{1,2}[A-Za-z]/.test(token);
export const isNumber = (token: string): boolean =>
  token === NUMBER || /^[\d.,:+#-]{0,20}\d[\d.,:%-]{0,20}$/.test(token);
/** True for the placeholder of a value that the report does not hold: `[text]`, `[code]`, `[value]`. */
export const isMasked = (token: string): boolean => /^\[[a-z]{1,12}\]$/.test(token);

/** A number that was given as a text, without its quotes. */
export const bare = (token: string): string => token.replace(/^"(.*)"$/, '$1');

/** Tokens as a line for a reader. */
export const lineOfTokens = (tokens: readonly string[]): string => tokens.join(' ').replaceAll(/= (?=\S)/g, '=');
