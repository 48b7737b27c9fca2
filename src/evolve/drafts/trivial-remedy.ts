import { argumentsOf } from '../../evidence/calls/call-instance.js';
import type { CaseForms } from '../cases/case-forms.js';
import type { Alternative } from '../patterns/contrast.js';

/** The kind of file that an edit between failure and success changed: `edit .py`. */
const EDIT =
  /^(?:edit|write|create|str_replace\w{0,20}|multiedit|apply_patch|file:write|file:edit)\b.{0,40}?(\.[a-z0-9]{1,8})?$/i;

/**
 * Returns whether a remedy is trivial: to change the code that failed, and to run it again.
 * An edit of another kind of file, such as a configuration, names something.
 */
export function isTrivial(
  { how, action }: Pick<Alternative, 'how' | 'action'>,
  { failed, worked }: CaseForms,
): boolean {
  const edited = how === 'prepare' ? EDIT.exec(action) : null;
  if (!edited) return false;
  const kind = edited[1];
  return kind === undefined || namesKind(failed.call, kind) || namesKind(worked.call, kind) || isSource(kind);
}

const namesKind = (call: string, kind: string): boolean =>
  [call, ...(argumentsOf(call)?.values() ?? [])].some((text) => text.includes(kind));

/** Programs are changed all the time while they are written. */
const isSource = (kind: string): boolean =>
  /^\.(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|go|rs|java|kt|c|h|cc|cpp|hpp|rb|php|cs|swift|ex|exs|sh|sql|ipynb)$/.test(kind);
