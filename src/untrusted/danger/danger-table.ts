import type { DangerClass } from './danger.js';
import { DANGEROUS_FORMS, type DangerousForms } from './dangers.table.js';

export type FormPart =
  | { readonly kind: 'operand'; readonly names: ReadonlySet<string> }
  | { readonly kind: 'operand-like'; readonly pattern: RegExp }
  | { readonly kind: 'option'; readonly options: readonly OptionPattern[]; readonly value: RegExp | undefined };

export interface OptionPattern {
  /** `short`: one letter. `long`: a name in lower case, without hyphens. `exact`: a word as written, such as `-fn`. */
  readonly kind: 'short' | 'long' | 'exact';
  readonly name: string;
  /** Set for a name with `*`. */
  readonly pattern?: RegExp;
}

export interface CompiledForm {
  readonly class: DangerClass;
  readonly program: string;
  readonly form: string;
  readonly parts: readonly FormPart[];
  readonly valued: string;
  readonly hasSingleHyphen: boolean;
}

export interface CompiledVariable {
  readonly class: DangerClass;
  readonly form: string;
  /** Undefined: every value but an empty one. */
  readonly value: RegExp | undefined;
}

/** The name of the row that applies to every program. */
export const ANY_PROGRAM = '*';

const CLASSES = [
  ['check', 'check'],
  ['protection', 'protection'],
  ['source', 'foreign'],
] as const;

/** Compiles the forms of the table by program. */
export function compileForms(rows: readonly DangerousForms[]): ReadonlyMap<string, readonly CompiledForm[]> {
  const forms = new Map<string, CompiledForm[]>();
  for (const row of rows)
    for (const program of row.programs.split(' ')) {
      const known = forms.get(program) ?? [];
      forms.set(program, known);
      for (const [kind, list] of CLASSES)
        for (const form of row[list] ?? [])
          known.push({
            class: kind,
            program,
            form,
            parts: form.split(' ').map((part) => compilePart(part, row.hasSingleHyphen === true)),
            valued: row.valued ?? '',
            hasSingleHyphen: row.hasSingleHyphen === true,
          });
    }
  return forms;
}

/** Compiles the variables of the table: by their name, and those with `*` in their name. */
export function compileVariables(rows: readonly DangerousForms[]) {
  const named = new Map<string, CompiledVariable[]>();
  const patterns: { name: RegExp; variable: CompiledVariable }[] = [];
  for (const { variables } of rows)
    for (const [kind] of CLASSES)
      for (const form of variables?.[kind] ?? []) {
        const [name = '', value] = splitOnce(form);
        const variable = { class: kind, form, value: value === undefined ? undefined : patternOf(value) };
        if (name.includes('*')) patterns.push({ name: patternOf(name), variable });
        else named.set(name, [...(named.get(name) ?? []), variable]);
      }
  return { named, patterns };
}

function compilePart(part: string, hasSingleHyphen: boolean): FormPart {
  if (part.startsWith('@')) return { kind: 'operand-like', pattern: patternOf(part.slice(1)) };
  if (!part.startsWith('-')) return { kind: 'operand', names: new Set(part.toLowerCase().split('|')) };
  const [names = '', value] = splitOnce(part);
  return {
    kind: 'option',
    options: names.split(',').map((name) => compileOption(name, hasSingleHyphen)),
    value: value === undefined ? undefined : patternOf(value),
  };
}

function compileOption(text: string, hasSingleHyphen: boolean): OptionPattern {
  const isLong = text.startsWith('--') || (hasSingleHyphen && text.length > 2);
  if (!isLong) return text.length === 2 ? { kind: 'short', name: text.charAt(1) } : { kind: 'exact', name: text };
  const name = optionName(text);
  return { kind: 'long', name, ...(name.includes('*') ? { pattern: patternOf(name) } : {}) };
}

/** The name of a long option as it is compared: `--trusted_host`, `-trusted-host` and `--Trusted-Host` are the same. */
export function optionName(text: string): string {
  return text.replace(/^--?/, '').replaceAll('_', '-').toLowerCase();
}

export function splitOnce(text: string): [string, string | undefined] {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** `*` is any text, `**` a star, `(a|b)` a choice; everything else is itself, in any case. */
export function patternOf(glob: string): RegExp {
  const source = glob
    .replace(/[.+?^${}[\]\\]/g, '\\$&')
    .replace(/\*{1,2}/g, (stars) => (stars.length === 2 ? '\\*' : '[^]{0,400}'));
  return new RegExp(`^(?:${source})$`, 'i');
}

/** The names of all long options of the table: none of them is an abbreviation of another. */
export const OPTION_NAMES: ReadonlySet<string> = new Set(
  DANGEROUS_FORMS.flatMap(({ check = [], protection = [], foreign = [] }) => [
    ...check,
    ...protection,
    ...foreign,
  ]).flatMap((form) =>
    form
      .split(' ')
      .filter((part) => part.startsWith('--'))
      .flatMap((part) => splitOnce(part)[0].split(','))
      .map(optionName),
  ),
);
