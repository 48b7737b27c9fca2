import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import { StartError } from '../start/start.errors.js';
import { currentWork } from './spans.js';

const KNOWN = { texts: 1_000, length: 100 } as const;
/** Contexts of the lines that Nest logs about its wiring at each start, which hide more important lines. */
const NEST_WIRING_CONTEXTS = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestFactory']);

/**
 * Writes one structured record per line, so that untrusted text with line breaks stays inside its record. Every text goes
 * through `clean`: the message of an unexpected error can quote what a library was given, such as an address with its
 * password. Work of a request carries its id.
 */
export class ServerLogger extends ConsoleLogger {
  /** Short texts that `clean` left as they are: the line of each request repeats its route, its caller and its words. */
  private readonly known = new Set<string>();
  /** On a terminal: what a person has to know, and not each request. */
  private readonly isTerse: boolean;

  constructor(
    format: 'auto' | 'json' | 'text',
    private readonly clean: (text: string) => string,
    isTerminal = process.stdout.isTTY === true && process.stderr.isTTY === true,
  ) {
    const json = format === 'json' || (format === 'auto' && !isTerminal);
    // On a terminal, Nest decides: a person may have switched colours off.
    super({ json, prefix: 'Guildbook', flattenParams: true, ...(isTerminal ? {} : { colors: false }) });
    this.isTerse = format === 'auto' && isTerminal;
  }

  protected override getJsonLogObject(
    message: unknown,
    options: Parameters<ConsoleLogger['getJsonLogObject']>[1],
  ): ReturnType<ConsoleLogger['getJsonLogObject']> {
    const { requestId, span } = currentWork() ?? {};
    return {
      ...super.getJsonLogObject(message, options),
      ...(requestId === undefined ? {} : { requestId }),
      ...(span === undefined ? {} : { traceId: span.traceId }),
    };
  }

  /** The fields of a line of text. */
  protected override stringifyParams(params: Readonly<Record<string, unknown>>): string {
    return indentText(
      this.clean(
        Object.entries(params)
          .map(([name, value]) => `${name}=${value}`)
          .join(' '),
      ),
    );
  }

  protected override stringifyJsonLogObject(logObject: Record<string, unknown>): string {
    return escapeRecord(super.stringifyJsonLogObject(logObject));
  }

  /** Each value of a record in JSON. */
  protected override stringifyReplacer(key: string, value: unknown): unknown {
    const shown = super.stringifyReplacer(key, value);
    return typeof shown === 'string' ? this.cleanValue(shown) : shown;
  }

  private cleanValue(text: string): string {
    if (this.known.has(text)) return text;
    const cleaned = this.clean(text);
    // A text with a secret is never kept.
    if (cleaned === text && text.length <= KNOWN.length) {
      if (this.known.size >= KNOWN.texts) this.known.clear();
      this.known.add(text);
    }
    return cleaned;
  }

  /** The message of a line of text. */
  protected override stringifyMessage(message: unknown, level: LogLevel): string {
    return super.stringifyMessage(typeof message === 'string' ? indentText(this.clean(message)) : message, level);
  }

  /** In a line of text, the id of the request stands behind the context. */
  protected override formatContext(context: string): string {
    const { requestId } = currentWork() ?? {};
    return `${super.formatContext(context)}${requestId === undefined ? '' : `(${requestId}) `}`;
  }

  protected override printStackTrace(stack: string): void {
    super.printStackTrace(stack ? indentText(this.clean(stack)) : stack);
  }

  override error(message: unknown, ...rest: unknown[]): void {
    // Nest logs why it cannot start, with a stack. The start itself says the same in one sentence.
    if (message instanceof StartError) return;
    super.error(message, ...rest);
  }

  override log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    if (typeof context === 'string' && NEST_WIRING_CONTEXTS.has(context)) return;
    if (this.isTerse && context !== 'Server') return;
    super.log(message, ...rest);
  }
}

/** Controls of terminals (C0, DEL, C1), line separators of Unicode, and marks that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a log must not pass them on.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A record in JSON, in which terminals and viewers find no control either. Its meaning stays the same. */
export const escapeRecord = (json: string): string => json.replace(CONTROLS, escaped);

/**
 * Text for a log that people read. Line breaks stay, because stacks have them, but each further line is indented: no
 * text can begin a line that looks like a record.
 */
export const indentText = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.replace(CONTROLS, (character) => (character === '\t' ? character : escaped(character))))
    .join('\n    ');
