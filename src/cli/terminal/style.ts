import { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { commandProcess, type Output } from './command-process.js';

export type Style = 'bold' | 'red' | 'green' | 'yellow' | 'cyan';

/** Text in a style if the output is a terminal with colours, and unchanged otherwise. Escape the text before. */
export const styled = (style: Style, text: string, output: Output = commandProcess().stdout): string =>
  hasColours(output) ? styleText(style, text, { validateStream: false }) : text;

/** The rule of Node.js, which reads NO_COLOR, FORCE_COLOR, TERM and CI, for the environment of the command. */
function hasColours({ isTTY }: Output): boolean {
  const { env } = commandProcess();
  return (env['FORCE_COLOR'] !== undefined || isTTY === true) && WriteStream.prototype.getColorDepth(env) > 2;
}

const STYLES: Readonly<Record<string, Style>> = { high: 'red', medium: 'yellow', confirmed: 'green', refuted: 'red' };

/** The style of a risk or of the verdict of a check, where it should catch the eye. */
export const verdictStyle = (word: string): Style | undefined => STYLES[word];
