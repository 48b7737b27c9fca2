/** Stands for any error, or any action. */
const ANY = '*';

/** A kind of error, with the tools that a lesson on this kind covers. */
interface KindOfError {
  readonly tool: string;
  readonly name: string;
}

/** Where a lesson of the evolver applies: to a failing action with an error. */
export interface Applicability {
  /** The stored form: JSON of tool, action and error, optionally with the kind of error of which it is a case. */
  readonly text: string;
  /**
   * Tool and program. All applicabilities that cover this one or that it covers share the family, except through {@link
   * kind}.
   */
  readonly family: string;
  /** The family of the lessons on the kind of error of which it is a case. */
  readonly kind: string | undefined;
  /** Undefined if the text is not ours. */
  readonly parts: ApplicabilityParts | undefined;
}

interface ApplicabilityParts {
  readonly tool: string;
  readonly action: string;
  readonly error: string;
  /** Empty if it is a case of no kind. */
  readonly kind: string;
}

/** How one applicability relates to another. `unknown` if one of them is missing. */
export type ApplicabilityRelation = 'same' | 'covers' | 'covered' | 'apart' | 'unknown';

/** `kind`: the kind of error of which it is a case. */
export function applicabilityText(tool: string, action: string, error: string, kind?: KindOfError): string {
  return JSON.stringify([tool, action, error, ...(kind ? [familyOf(kind.tool, ANY, kind.name)] : [])]);
}

export function readApplicability(text: string): Applicability {
  const parts = partsOf(text);
  if (!parts) return { text, parts, family: text, kind: undefined };
  return { text, parts, family: familyOf(parts.tool, parts.action, parts.error), kind: parts.kind || undefined };
}

/**
 * Returns the relation of two applicabilities. They are related if they share a family, or if one is a kind of error
 * and the other a case of it.
 */
export function compareApplicability(
  a: Applicability | undefined,
  b: Applicability | undefined,
): ApplicabilityRelation {
  if (!a || !b) return 'unknown';
  if (a.text === b.text) return 'same';
  if (!a.parts || !b.parts) return 'apart';
  const [forth, back] = [covers(a, b), covers(b, a)];
  if (forth && back) return 'same';
  return forth ? 'covers' : back ? 'covered' : 'apart';
}

/** Returns whether one stored applicability holds wherever another one does, and elsewhere. */
export const coversApplicability = (general: string, special: string): boolean =>
  compareApplicability(readApplicability(general), readApplicability(special)) === 'covers';

/** A program with any error covers everything done with it, and a kind of error all its cases. */
function covers(general: Applicability, special: Applicability): boolean {
  const [a, b] = [general.parts, special.parts];
  if (!a || !b) return false;
  const isWide = isWholeProgram(a, b) || general.family === special.kind;
  return isWide || (a.tool === b.tool && a.action === b.action && a.error === b.error);
}

/** Skills from before whole runs were removed have the same sign before `succeeds`, which is no error of the program. */
function isWholeProgram(a: ApplicabilityParts, b: ApplicabilityParts): boolean {
  const isWhole = a.error === ANY && a.action !== ANY;
  return isWhole && a.tool === b.tool && a.action === programOf(b.action) && !b.error.startsWith(ANY);
}

function familyOf(tool: string, action: string, error: string): string {
  return JSON.stringify(action === ANY ? [tool, ANY, error] : [tool, programOf(action)]);
}

const programOf = (action: string): string => action.split(' ')[0] ?? action;

function partsOf(text: string): ApplicabilityParts | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    const parts: unknown = JSON.parse(text);
    if (!Array.isArray(parts) || parts.length < 3 || parts.length > 4) return undefined;
    const strings = parts.filter((part) => typeof part === 'string');
    if (strings.length < parts.length) return undefined;
    const [tool = '', action = '', error = '', kind = ''] = strings;
    return { tool, action, error, kind };
  } catch {
    return undefined;
  }
}
