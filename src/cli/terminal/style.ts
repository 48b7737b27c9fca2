import { styleText } from 'node:util';

export type Style = 'bold' | 'red' | 'green' | 'yellow' | 'cyan';

/**
 * Text in a style if the stream is a terminal with colours, and unchanged otherwise. Node.js decides: it reads NO_COLOR,
 * FORCE_COLOR, TERM and CI (but, until version 22, not for a list of styles). Escape the text before.
 */
export const styled = (style: Style, text: string, stream: NodeJS.WritableStream = process.stdout): string =>
  styleText(style, text, { stream, validateStream: true });

const STYLES: Readonly<Record<string, Style>> = { high: 'red', medium: 'yellow', confirmed: 'green', refuted: 'red' };

/** The style of a risk or of the verdict of a check, where it should catch the eye. */
export const verdictStyle = (word: string): Style | undefined => STYLES[word];
