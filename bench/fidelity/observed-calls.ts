import type { SetExecution } from '../sets/set-reader.js';
import { fillsPattern, isFilledCall, isFilledLine, type RawCommand, rawCommandOf, toolCallIn } from './call-pattern.js';
import { PLACEHOLDER, simpleCommands, type Token, tokensOf } from './shell-tokens.js';

/** All calls of a set with one result, to be asked whether a text of a lesson is one of them. */
export class ObservedCalls {
  private readonly byFirstWord = new Map<string, (readonly Token[])[]>();
  private readonly toolCalls: RawCommand[] = [];
  private readonly words = new Set<string>();
  private readonly pairs = new Set<string>();
  private readonly known = new Map<string, boolean>();
  /** The values that were seen after each flag, and the flags that were seen without one. */
  readonly valued = new Set<string>();
  readonly bare = new Set<string>();

  constructor(calls: readonly RawCommand[]) {
    for (const call of calls) {
      if (call.tool === 'shell') for (const line of call.lines) this.addLine(line);
      else this.addToolCall(call);
    }
  }

  /** The calls of a set with one result. Those that the set cut are apart: what they were is unknown. */
  static of(executions: readonly SetExecution[], ok: boolean, isCut = false): ObservedCalls {
    const calls = executions.flatMap((execution) =>
      execution.calls.filter((call) => call.ok === ok && call.isCut === isCut),
    );
    return new ObservedCalls(calls.map(({ tool, input }) => rawCommandOf(tool, input)));
  }

  private addLine(line: readonly Token[]): void {
    const first = line[0]?.text ?? '';
    const known = this.byFirstWord.get(first);
    if (known) known.push(line);
    else this.byFirstWord.set(first, [line]);
    for (const words of simpleCommands(line))
      for (const [at, word] of words.entries()) {
        this.words.add(word);
        if (word.includes('/')) this.words.add(word.slice(word.lastIndexOf('/') + 1));
        if (word.startsWith('-')) this.addFlag(word, words[at + 1]);
      }
  }

  private addFlag(word: string, next: string | undefined): void {
    const assigned = /^(--?[\w-]{1,60})=(.+)$/.exec(word);
    if (assigned !== null) this.valued.add(assigned[1] ?? '');
    else if (next === undefined || next.startsWith('-')) this.bare.add(word);
    else {
      this.valued.add(word);
      this.pairs.add(`${word} ${next}`);
    }
  }

  private addToolCall(call: RawCommand): void {
    this.toolCalls.push(call);
    this.words.add(call.tool);
    for (const [key, value] of call.args) {
      this.words.add(key);
      for (const word of wordsOf(value)) this.words.add(word);
      for (const form of [`${key}: ${value}`, `${key}=${value}`, `"${key}": "${value}"`, `"${key}": ${value}`, value])
        if (form.length <= 300) this.pairs.add(form);
    }
  }

  /**
   * Returns whether the text of a code span may be recommended: it is an instance of one of the calls, one word of one
   * of them, or a flag or an argument with its value.
   */
  holds(text: string, tool?: string): boolean {
    const key = `${tool ?? ''}\n${text}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const found = this.isInstance(text, tool) || this.isPart(text);
    this.known.set(key, found);
    return found;
  }

  /** Returns whether one of the calls is the text with its placeholders filled. */
  isInstance(text: string, tool?: string): boolean {
    if ((tool === undefined || tool === 'shell') && this.isLine(tokensOf(text))) return true;
    if (tool === 'shell') return false;
    if (isElision(text)) return this.toolCalls.some((seen) => isElided(text, seen));
    const call = toolCallIn(text);
    const name = call?.tool ?? tool;
    return this.toolCalls.some((seen) => {
      if (name !== undefined && seen.tool !== name) return false;
      if (call !== undefined) return isFilledCall(call.args, seen.args);
      const [value] = seen.args.values();
      return seen.args.size === 1 && value !== undefined && fillsPattern(squeezed(text), squeezed(value));
    });
  }

  private isLine(recommended: readonly Token[]): boolean {
    const first = recommended[0]?.text;
    if (first === undefined) return false;
    const lines = first.search(PLACEHOLDER) < 0 ? this.byFirstWord.get(first) : [...this.byFirstWord.values()].flat();
    return lines?.some((line) => isFilledLine(recommended, line)) ?? false;
  }

  private isPart(text: string): boolean {
    if (text.replace(PLACEHOLDER, '').trim() === '') return false;
    const words = tokensOf(text).map((token) => token.text);
    const [word = ''] = words;
    if (this.words.has(text) || (words.length === 1 && this.isWord(word))) return true;
    const spaced = words.join(' ');
    return [...this.pairs].some((pair) => fillsPattern(text, pair) || fillsPattern(spaced, pair));
  }

  private isWord(word: string): boolean {
    if (this.words.has(word)) return true;
    // a variable or a flag with a placeholder for its value, but no bare placeholder beside a letter
    return /[\w-]{2,60}=./.test(word) && [...this.words].some((seen) => fillsPattern(word, seen));
  }
}

/** The words of an argument that is a text, such as a query, as a lesson names one of them. */
const wordsOf = (value: string): string[] => value.split(/[\s,;()[\]]+/).filter((word) => word !== '');

/** A form that leaves out words, such as `sql select ... from teacher ...`. */
export const isElision = (text: string): boolean => text.includes(' ...');

/** Returns whether the call has the words of the form, in this order. */
export function isElided(form: string, { tool, args }: RawCommand): boolean {
  const [name = '', ...words] = form.split(' ').filter((word) => word !== '...');
  const seen = [...args.values()].flatMap(wordsOf).map((word) => word.toLowerCase());
  let at = 0;
  for (const word of words) {
    at = seen.findIndex((one, n) => n >= at && fillsPattern(word.toLowerCase(), one)) + 1;
    if (at === 0) return false;
  }
  return name === tool;
}

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();
