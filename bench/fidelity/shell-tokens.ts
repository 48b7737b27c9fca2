/**
 * A word of a command line without its quotes, or an operator. This reader is the judge's own: the product's parser is
 * what it judges.
 */
export interface Token {
  readonly text: string;
  readonly isOperator: boolean;
}

/** A placeholder of a lesson: it stands for what a reader fills in. */
export const PLACEHOLDER = /<[a-z][a-z0-9 -]{0,29}>/g;
const PLACEHOLDER_HERE = /^<[a-z][a-z0-9 -]{0,29}>/;
const OPERATOR = /^(?:&&|\|\||;;|\|&|&>>|&>|\d?>&(?:\d|-)|\d?>>|\d?>\||\d?>|\d?<<-|\d?<<|\d?<&|\d?<|[|;&()])/;
const CONTROL = /^(?:&&|\|\||;;|\|&|[|;&()])$/;
/** Longer lines are not judged. */
const LONGEST = 20_000;

/**
 * Splits a command line. Line ends become `;`, comments are left out, the text of a here-document is one word, and the
 * redirections of a simple command come after its words.
 */
export function tokensOf(line: string): Token[] {
  const ordered: Token[] = [];
  let redirections: Token[] = [];
  const tokens = new TokenReader(withDocumentsAsWords(line.slice(0, LONGEST))).read();
  for (const [at, token] of tokens.entries()) {
    const isEnd = token.isOperator && CONTROL.test(token.text);
    if (isEnd) ordered.push(...redirections, token);
    else if (token.isOperator || isRedirection(tokens[at - 1])) redirections.push(token);
    else ordered.push(token);
    if (isEnd) redirections = [];
  }
  return [...ordered, ...redirections];
}

/** `<<EOF <file text> EOF`, a here-document in one line with a placeholder for its text. */
const DOCUMENT_IN_LINE = /(<<-?)\s?(["']?)(\w{1,40})\2\s(<[a-z][a-z0-9 -]{0,29}>)\s\3(?!\w)/g;

const withDocumentsAsWords = (line: string): string => line.replace(DOCUMENT_IN_LINE, '$1$4');

class TokenReader {
  private readonly tokens: Token[] = [];
  private word: string | undefined;
  private at = 0;
  /** The here-documents whose text begins on the next line: the delimiter, and where the text belongs. */
  private readonly documents: { delimiter: string; index: number }[] = [];
  private awaitsDelimiter = false;

  constructor(private readonly line: string) {}

  read(): Token[] {
    while (this.at < this.line.length) this.step();
    this.endWord();
    while (this.tokens.at(-1)?.isOperator === true && /^[;&]$/.test(this.tokens.at(-1)?.text ?? '')) this.tokens.pop();
    return this.tokens;
  }

  private step(): void {
    const char = this.line.charAt(this.at);
    const rest = this.line.slice(this.at, this.at + 40);
    const placeholder = PLACEHOLDER_HERE.exec(rest)?.[0];
    if (placeholder !== undefined) this.append(placeholder, placeholder.length);
    else if (char === '\n') this.endLine();
    else if (/\s/.test(char)) this.skip(1);
    else if (char === '\\') this.escape();
    else if (char === "'" || char === '"') this.quoted(char);
    else if (char === '$' && rest[1] === '(') this.substitution();
    else if (char === '`') this.append(this.upTo('`'), this.upTo('`').length);
    else if (char === '#' && this.word === undefined) this.comment();
    else this.operatorOrChar(rest, char);
  }

  private operatorOrChar(rest: string, char: string): void {
    const operator = OPERATOR.exec(rest)?.[0];
    // a digit belongs to the redirection only at the start of a word
    if (operator === undefined || (/^\d/.test(operator) && this.word !== undefined)) {
      this.append(char, 1);
      return;
    }
    this.endWord();
    this.tokens.push({ text: operator, isOperator: true });
    this.awaitsDelimiter = /<<-?$/.test(operator) && !PLACEHOLDER_HERE.test(this.line.slice(this.at + operator.length));
    this.at += operator.length;
  }

  private append(text: string, length: number): void {
    this.word = (this.word ?? '') + text;
    this.at += length;
  }

  private skip(length: number): void {
    this.endWord();
    this.at += length;
  }

  private endWord(): void {
    if (this.word === undefined) return;
    if (this.awaitsDelimiter) this.documents.push({ delimiter: this.word, index: this.tokens.length });
    this.tokens.push({ text: this.word, isOperator: false });
    this.awaitsDelimiter = false;
    this.word = undefined;
  }

  private endLine(): void {
    this.skip(1);
    for (const { delimiter, index } of this.documents.splice(0)) this.document(delimiter, index);
    if (this.tokens.length > 0 && this.tokens.at(-1)?.isOperator !== true)
      this.tokens.push({ text: ';', isOperator: true });
  }

  /** The text up to the line that is the delimiter. */
  private document(delimiter: string, index: number): void {
    const lines = this.line.slice(this.at).split('\n');
    const end = lines.findIndex((line) => line.trim() === delimiter);
    const body = lines.slice(0, end < 0 ? lines.length : end).join('\n');
    this.tokens[index] = { text: body || delimiter, isOperator: false };
    this.at += body.length + (end < 0 ? 0 : 1 + (lines[end]?.length ?? 0) + 1);
  }

  private escape(): void {
    if (this.line.charAt(this.at + 1) === '\n') this.at += 2;
    else this.append(this.line.charAt(this.at + 1), 2);
  }

  private quoted(quote: string): void {
    let at = this.at + 1;
    let text = '';
    while (at < this.line.length && this.line.charAt(at) !== quote) {
      if (quote === '"' && this.line.charAt(at) === '\\' && /["\\$`]/.test(this.line.charAt(at + 1))) at += 1;
      text += this.line.charAt(at);
      at += 1;
    }
    this.append(text, at + 1 - this.at);
  }

  private upTo(end: string): string {
    const found = this.line.indexOf(end, this.at + 1);
    return this.line.slice(this.at, found < 0 ? this.line.length : found + 1);
  }

  private substitution(): void {
    let depth = 0;
    let at = this.at + 1;
    for (; at < this.line.length; at += 1) {
      if (this.line.charAt(at) === '(') depth += 1;
      if (this.line.charAt(at) === ')') depth -= 1;
      if (depth === 0) break;
    }
    this.append(this.line.slice(this.at, at + 1), at + 1 - this.at);
  }

  private comment(): void {
    const end = this.line.indexOf('\n', this.at);
    this.at = end < 0 ? this.line.length : end;
  }
}

/** The simple commands of a line: the tokens between its control operators, without redirections. */
export function simpleCommands(tokens: readonly Token[]): string[][] {
  const commands: string[][] = [[]];
  for (const [at, { text, isOperator }] of tokens.entries()) {
    if (isOperator && CONTROL.test(text)) commands.push([]);
    else if (!isOperator && !isRedirection(tokens[at - 1])) commands.at(-1)?.push(text);
  }
  return commands.filter((words) => words.length > 0);
}

const isRedirection = (token: Token | undefined): boolean =>
  token?.isOperator === true && /[<>]/.test(token.text) && !/&(?:\d|-)$/.test(token.text);

/** The program of a simple command, without its folder and the variables before it. */
export function programOf(words: readonly string[]): string {
  const program = words.find((word) => !/^[A-Za-z_]\w*=/.test(word)) ?? '';
  return program.slice(program.lastIndexOf('/') + 1);
}
