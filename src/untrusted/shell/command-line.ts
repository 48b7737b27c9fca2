/** One unquoted word of a command. `code` marks a command substitution, whose text is not a literal operand. */
export interface Word {
  readonly text: string;
  readonly quoted: boolean;
  readonly code: boolean;
  /** The word as it is written, with its quotes and escapes. */
  readonly source: string;
}

type Joiner = '' | '&&' | '||' | '|' | ';' | '&';

/** One simple command. `joiner` is the operator before it, `after` the one that ends it. */
export interface SimpleCommand {
  readonly joiner: Joiner;
  readonly after: Joiner;
  readonly words: readonly Word[];
  /** Operator and target, such as `2>&1` or `>` with `out.log`; a here-document is `<<` without a target. */
  readonly redirects: readonly { readonly operator: string; readonly target: string }[];
  readonly heredoc: boolean;
  /** The code of its substitutions, and the bodies of its here-documents: `date` of `echo $(date)`. */
  readonly nested: readonly NestedText[];
}

interface NestedText {
  readonly kind: 'substitution' | 'heredoc';
  readonly text: string;
}

/** A longer command line is hostile or generated; the rest is ignored. */
const MAX_LENGTH = 100_000;

const OPERATORS: readonly Joiner[] = ['&&', '||', '|', ';', '&'];

const REDIRECT = /(?:\d{0,3}|&)(?:>>|>\||>&|<<<|<<-?|<&|<>|>|<)/y;
/** Literal characters of a word. */
const PLAIN = /[^\s;|&<>()\\'"`$]{1,100000}/y;

/**
 * Splits a POSIX-like command line into simple commands, with quotes, escapes, substitutions, here-documents, comments
 * and redirections. One pass, linear in the length, and never fails: anything unbalanced ends with the text.
 */
export function parseCommandLine(source: string): SimpleCommand[] {
  return new CommandLineParser(source.slice(0, MAX_LENGTH)).read();
}

interface CommandDraft {
  joiner: Joiner;
  words: Word[];
  redirects: { operator: string; target: string }[];
  heredoc: boolean;
  nested: NestedText[];
}

const emptyDraft = (joiner: Joiner): CommandDraft => ({ joiner, words: [], redirects: [], heredoc: false, nested: [] });

class CommandLineParser {
  private at = 0;
  private readonly commands: SimpleCommand[] = [];
  private readonly pendingHeredocs: { delimiter: string; nested: NestedText[] }[] = [];
  private draft: CommandDraft = emptyDraft('');

  constructor(private readonly source: string) {}

  read(): SimpleCommand[] {
    while (this.at < this.source.length) this.step();
    this.end('');
    return this.commands;
  }

  private step(): void {
    const char = this.source.charAt(this.at);
    if (char === '\n') {
      this.at += 1;
      this.end(';');
      this.skipHeredocs();
    } else if (/\s/.test(char)) {
      // accept every kind of blank: an exotic one would otherwise end an empty word in an endless loop
      this.at += 1;
    } else if (char === '\\' && this.source.charAt(this.at + 1) === '\n') {
      this.at += 2;
    } else if (char === '#') {
      this.skipLine();
    } else if (char === '(' || char === ')') {
      this.at += 1;
      this.end(';');
    } else if (!this.readRedirect() && !this.readOperator()) {
      this.draft.words.push(this.readWord());
    }
  }

  private end(after: Joiner): void {
    const { words, redirects } = this.draft;
    // An operator without a command before it (`;;`, a newline after `&&`) must not hide the real operator.
    if (words.length === 0 && redirects.length === 0) {
      if (this.draft.joiner === '' || this.draft.joiner === ';')
        this.draft.joiner = this.commands.length > 0 ? after : '';
      return;
    }
    this.commands.push({ ...this.draft, after });
    this.draft = emptyDraft(after);
  }

  private readOperator(): boolean {
    const operator = OPERATORS.find((candidate) => this.source.startsWith(candidate, this.at));
    if (operator === undefined) return false;
    this.at += operator.length;
    if (operator === '|' && this.source.charAt(this.at) === '&') this.at += 1;
    this.end(operator);
    return true;
  }

  private readRedirect(): boolean {
    REDIRECT.lastIndex = this.at;
    const operator = REDIRECT.exec(this.source)?.[0];
    if (operator === undefined) return false;
    this.at += operator.length;
    this.skipBlanks();
    const target = this.readWord();
    if (operator.includes('<<')) {
      this.draft.heredoc = true;
      this.draft.redirects.push({ operator: '<<', target: '' });
      const { nested } = this.draft;
      if (operator.endsWith('<<<')) nested.push({ kind: 'heredoc', text: target.text });
      else this.pendingHeredocs.push({ delimiter: target.text, nested });
    } else {
      this.draft.redirects.push({ operator, target: target.code ? '[code]' : target.text });
    }
    return true;
  }

  private skipBlanks(): void {
    while (this.source.charAt(this.at) === ' ' || this.source.charAt(this.at) === '\t') this.at += 1;
  }

  private skipLine(): void {
    const end = this.source.indexOf('\n', this.at);
    this.at = end < 0 ? this.source.length : end;
  }

  private skipHeredocs(): void {
    for (const { delimiter, nested } of this.pendingHeredocs.splice(0)) {
      const from = this.at;
      let end = this.source.length;
      while (this.at < this.source.length) {
        const start = this.at;
        this.skipLine();
        const line = this.source.slice(start, this.at);
        this.at += 1;
        if (line.trim() !== delimiter) continue;
        end = start;
        break;
      }
      nested.push({ kind: 'heredoc', text: this.source.slice(from, end) });
    }
  }

  private readWord(): Word {
    const start = this.at;
    let text = '';
    let quoted = false;
    let code = false;
    for (; this.at < this.source.length; ) {
      PLAIN.lastIndex = this.at;
      const plain = PLAIN.exec(this.source)?.[0];
      if (plain !== undefined) {
        text += plain;
        this.at += plain.length;
        continue;
      }
      const char = this.source.charAt(this.at);
      if (/[\s;|&<>()]/.test(char)) break;
      if (char === '\\') {
        text += this.source.charAt(this.at + 1);
        this.at += 2;
      } else if (char === "'") {
        text += this.readSingleQuoted();
        quoted = true;
      } else if (char === '"') {
        const part = this.readDoubleQuoted();
        text += part.text;
        code ||= part.code;
        quoted = true;
      } else if (char === '`' || (char === '$' && this.source.charAt(this.at + 1) === '(')) {
        this.skipSubstitution();
        code = true;
      } else {
        text += char;
        this.at += 1;
      }
    }
    return { text, quoted, code, source: this.source.slice(start, this.at) };
  }

  private readSingleQuoted(): string {
    const end = this.source.indexOf("'", this.at + 1);
    const stop = end < 0 ? this.source.length : end;
    const text = this.source.slice(this.at + 1, stop);
    this.at = stop + 1;
    return text;
  }

  private readDoubleQuoted(): { text: string; code: boolean } {
    let text = '';
    let code = false;
    this.at += 1;
    while (this.at < this.source.length) {
      const char = this.source.charAt(this.at);
      if (char === '"') break;
      if (char === '\\') {
        text += this.source.charAt(this.at + 1);
        this.at += 2;
      } else if (char === '`' || (char === '$' && this.source.charAt(this.at + 1) === '(')) {
        this.skipSubstitution();
        code = true;
      } else {
        text += char;
        this.at += 1;
      }
    }
    this.at += 1;
    return { text, code };
  }

  /** Skips a substitution and keeps its text. */
  private skipSubstitution(): void {
    const start = this.at + (this.source.charAt(this.at) === '`' ? 1 : 2);
    this.findSubstitutionEnd();
    this.draft.nested.push({ kind: 'substitution', text: this.source.slice(start, Math.max(start, this.at - 1)) });
  }

  /** With a counter instead of recursion. */
  private findSubstitutionEnd(): void {
    if (this.source.charAt(this.at) === '`') {
      const end = this.source.indexOf('`', this.at + 1);
      this.at = end < 0 ? this.source.length : end + 1;
      return;
    }
    let depth = 0;
    for (this.at += 1; this.at < this.source.length; this.at += 1) {
      const char = this.source.charAt(this.at);
      if (char === '\\') this.at += 1;
      else if (char === "'") this.at = this.endOfQuote();
      else if (char === '(') depth += 1;
      else if (char === ')') depth -= 1;
      if (depth === 0) break;
    }
    this.at += 1;
  }

  private endOfQuote(): number {
    const end = this.source.indexOf("'", this.at + 1);
    return end < 0 ? this.at : end;
  }
}

/** Characters that a shell leaves alone outside quotes; globs, variables and braces keep their meaning. */
const BARE = /^(?!#)[\p{L}\p{N}_./:=@%+,~^*?{}[\]$!-]{1,1000}$/u;

/** The same without globs, variables and braces, which quotes would switch off. */
const LITERAL = /^(?!#)(?:[\p{L}\p{N}_./:=@%+,^-]|\[[a-z]{1,8}\]|\[REDACTED:[a-z0-9-]{1,64}\]){1,1000}$/u;

/** Writes a text as one word of a command line, with the quotes of `like` if it needs any. */
export function quoteWord(text: string, like = ''): string {
  const quote = /['"]/.exec(like)?.[0];
  if ((quote === undefined ? BARE : LITERAL).test(text)) return text;
  if (quote !== '"' && !text.includes("'")) return `'${text}'`;
  return `"${text.replace(/[\\"`]|\$(?=[('])/g, '\\$&')}"`;
}

/**
 * True if the word as it is written is read as the same word in front of another one. An open quote and a line break
 * are not.
 */
export function standsAlone({ text, quoted, code, source }: Word): boolean {
  if (BARE.test(source)) return true;
  if (/[\n\r]/.test(source)) return false;
  const [command, ...more] = parseCommandLine(`${source} x`);
  const [word, next] = command?.words ?? [];
  const same = word?.text === text && word.quoted === quoted && word.code === code;
  return same && next?.text === 'x' && command?.words.length === 2 && more.length === 0;
}
