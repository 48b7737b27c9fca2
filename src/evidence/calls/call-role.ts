import { wordsOfLine } from './call-words.js';

/** What a word of a command line does there. */
export interface CallWord {
  readonly text: string;
  readonly role: 'operator' | 'program' | 'subcommand' | 'assignment' | 'flag' | 'operand';
  /** The program of the simple command, without its folder; empty before it. */
  readonly program: string;
  readonly subcommand: string;
  /** The flag right before an operand, which may be its value. */
  readonly flag: string;
}

/** Programs whose first operand is a value, never a subcommand. */
const WITHOUT_SUBCOMMAND = new Set(
  `cd pushd ls cat head tail less more rm rmdir mkdir cp mv touch chmod chown find fd grep egrep fgrep rg sed awk jq diff
   file stat wc sort uniq tee cut tr xargs python python2 python3 node ruby perl php bash sh zsh source . echo printf which
   type command curl wget pytest py.test psql mysql sqlite3 ssh scp rsync export set test kill sleep tar unzip env man`.split(
    /\s+/,
  ),
);
/** Subcommands that a second one follows: `npm run build`. */
const TWO_LEVELS = /^(?:run|run-script|exec|compose|config|remote|stash|mod|pip|tool|submodule|worktree|-m)$/;
const OPERATOR = /^(?:&&|\|\|?|;{1,2}|&|[(){}!]|\d?(?:>{1,2}|<{1,3})(?:&\d)?|&>|\d?>&\d|&?\d?>\/dev\/null)$/;
const STARTS_COMMAND = /^(?:&&|\|\|?|;{1,2}|&|[({!])$/;
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]{0,60}=/;
/** Words that run the command behind them. */
const WRAPPER = /^(?:sudo|env|time|nohup|exec|command|then|do|else)$/;

/** The words of a shown command line with their roles. */
export function readCallWords(line: string): CallWord[] {
  let [program, subcommand, flag, levels] = ['', '', '', 0];
  return wordsOfLine(line).map((text) => {
    const at = { program, subcommand, flag };
    flag = '';
    if (OPERATOR.test(text)) {
      if (STARTS_COMMAND.test(text)) [program, subcommand, levels] = ['', '', 0];
      return { text, role: 'operator', ...at };
    }
    if (program === '') {
      if (ASSIGNMENT.test(text)) return { text, role: 'assignment', ...at };
      if (WRAPPER.test(text)) return { text, role: 'program', ...at, program: text };
      program = text.slice(text.lastIndexOf('/') + 1);
      levels = WITHOUT_SUBCOMMAND.has(program) ? 0 : 1;
      return { text, role: 'program', ...at, program };
    }
    if (program === 'export' && ASSIGNMENT.test(text)) return { text, role: 'assignment', ...at };
    if (/^-{1,2}[A-Za-z]/.test(text)) {
      if (text === '-m' && /^python/.test(program)) levels = 1;
      flag = text.includes('=') ? '' : text;
      return { text, role: 'flag', ...at };
    }
    const isName = /^[a-z][a-z0-9:._-]{0,39}$/.test(text) && !/\.[a-z]{1,4}$/.test(text);
    if (levels > 0 && isName) {
      subcommand = subcommand === '' ? text : `${subcommand} ${text}`;
      if (!TWO_LEVELS.test(text)) levels = 0;
      return { text, role: 'subcommand', ...at, subcommand };
    }
    // A flag before the subcommand, such as `git -C folder add`, may take the first operand.
    if (at.flag === '') levels = 0;
    return { text, role: 'operand', ...at };
  });
}
