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
