import { argumentsOf } from '../../evidence/calls/call-instance.js';
import type { CaseForms } from '../cases/case-forms.js';
import type { Alternative } from '../patterns/contrast.js';

/** The kind of file that an edit between failure and success changed: `edit .py`. */
const EDIT =
  /^(?:edit|write|create|str_replace\w{0,20}|multiedit|apply_patch|file:write|file:edit)\b.{0,40}?(\.[a-z0-9]{1,8})?$/i;

/** Programs that hold settings: `vite.config.ts`, `.eslintrc.js`, `conftest.py`. */
const SETTINGS =
  /(?:^|[/"])(?:[\w-]{1,40}\.config|\.[\w-]{1,40}rc|conftest|setup|settings|config|karma\.conf|jest\.setup)\.[cm]?[a-z]{2,3}(?=$|")/;

/**
 * Returns whether a remedy is trivial: to change the code that failed, and to run it again. An edit of settings, or of
 * another kind of file that the command does not name, says something.
 */
export function isTrivial(
  { how, action }: Pick<Alternative, 'how' | 'action'>,
  { failed, worked, steps }: Pick<CaseForms, 'failed' | 'worked' | 'steps'>,
): boolean {
  const edited = how === 'prepare' ? EDIT.exec(action.replace(/\[file:?([^\]]{0,10})\]/, '$1')) : null;
  if (!edited) return false;
  const kind = edited[1];
  if (kind === undefined || namesKind(failed.call, kind) || namesKind(worked.call, kind)) return true;
  return isSource(kind) && !steps.some(({ call }) => SETTINGS.test(call));
}

const namesKind = (call: string, kind: string): boolean =>
  [call, ...(argumentsOf(call)?.values() ?? [])].some((text) => text.includes(kind));

/** Programs are changed all the time while they are written. */
const isSource = (kind: string): boolean =>
  /^\.(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|go|rs|java|kt|c|h|cc|cpp|hpp|rb|php|cs|swift|ex|exs|sh|sql|ipynb)$/.test(kind);
