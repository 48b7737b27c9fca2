/**
 * What a part of a command does. `check`: it skips a check, so it is no remedy. `protection`: it turns a protection
 * off. `source`: it changes where code, data or credentials come from or go to.
 */
export type DangerClass = 'check' | 'protection' | 'source';

/** One danger in a text: the program, and the part of its command as the table spells it. */
export interface Danger {
  readonly class: DangerClass;
  readonly program: string;
  readonly form: string;
}

/**
 * The dangerous forms of programs with the same options. A form is a list of words, all of which must occur:
 *
 * - `push`, `commit|merge`: operands, in this order. Flags and other operands may stand between them.
 * - `-k,--insecure`: one of these options, also in a bundle (`-sk`), with a value (`--insecure=yes`), or abbreviated.
 * - `-c=http.sslverify=(false|0)`: an option with such a value, attached or as the next word. `*` is any text.
 * - `@git+*`: an operand of this form, after the operands before it.
 *
 * Values and operands are compared without case.
 */
export interface DangerousForms {
  readonly programs: string;
  /** The page or manual that documents the forms. */
  readonly source: string;
  readonly check?: readonly string[];
  readonly protection?: readonly string[];
  readonly foreign?: readonly string[];
  /** Variables that this program reads, in the environment or as an assignment: `NAME`, or `NAME=(0|false)`. */
  readonly variables?: Partial<Record<DangerClass, readonly string[]>>;
  /** Short options that take a value: the letters after one of them in a bundle are its value. */
  readonly valued?: string;
  /** Long options with one hyphen: `-auto-approve`. */
  readonly hasSingleHyphen?: true;
}
