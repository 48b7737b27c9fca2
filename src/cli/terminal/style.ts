import { styleText } from 'node:util';

export type Style = 'bold' | 'red' | 'green' | 'yellow' | 'cyan';

/**
 * Text in a style if the stream is a terminal with colours, and unchanged otherwise. Node.js decides: it reads NO_COLOR,
 * FORCE_COLOR, TERM and CI (but, until version 22, not for a list of styles). Escape the text before.
 */
export const styled = (style: Style, text: string, stream: NodeJS.WritableStream = process.stdout): string =>
  styleText(style, text, { stream, validateStream: true });
