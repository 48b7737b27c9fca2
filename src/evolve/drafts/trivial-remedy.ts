import { argumentsOf } from '../../evidence/calls/call-instance.js';
import { wordsOfLine } from '../../evidence/calls/call-words.js';
import type { Case } from '../cases/case.js';
import { type CaseForms, isWorked } from '../cases/case-forms.js';
import type { Candidate } from '../evidence/candidate.js';

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
  { how, action }: Pick<Candidate, 'how' | 'action'>,
  { failed, worked, steps }: Pick<CaseForms, 'failed' | 'worked' | 'steps'>,
): boolean {
  const edited = how === 'prepare' ? EDIT.exec(action.replace(/\[file:?([^\]]{0,10})\]/, '$1')) : null;
  if (!edited) return false;
  const kind = edited[1];
  if (kind === undefined || namesKind(failed.call, kind) || namesKind(worked.call, kind)) return true;
  return isSource(kind) && !steps.some(({ call }) => SETTINGS.test(call));
}

/**
 * Returns whether the lesson would be to install some package: one that most of the errors do not
 * name. What the project itself lists is no such package.
 */
export function installsUnnamed(cases: readonly Case[], { steps }: Pick<CaseForms, 'steps'>): boolean {
  if (!steps.some(({ call }) => INSTALL.test(call) && NAMES_PACKAGE.test(call))) return false;
  const worked = cases.filter(isWorked);
  const naming = worked.filter(({ error, between }) => {
    const named: readonly string[] = error.toLowerCase().match(/[a-z0-9]{1,60}(?:[-_.][a-z0-9]{1,60}){0,6}/g) ?? [];
    return between.some(
      ({ call }) => INSTALL.test(call) && packagesOf(call).some((word) => named.includes(moduleOf(word))),
    );
  });
  return naming.length < NAMING_SHARE * worked.length;
}

const INSTALL = /\b(?:install|add|get)\b/;
const NAMES_PACKAGE =
  /\b(?:install|add|get) (?!.{0,200}(?: -[re] | \.(?: |$|\[)|requirements|<file>))(?:-\S{1,40} ){0,5}["']?[\w<@]/;
const NAMING_SHARE = 0.6;

/** The words behind the installation; the program before it may stand in any error. */
const packagesOf = (call: string): string[] => {
  const words = wordsOfLine(call);
  return words.slice(words.findIndex((word) => INSTALL.test(word)) + 1);
};

/** `pyyaml==6.0` installs `yaml`. */
const moduleOf = (word: string): string => {
  const name = word.toLowerCase().replace(/(?:[=<>~!@[].{0,100})$/, '');
  return name.length > 4 ? name.replace(/^(?:python-|py(?!t))/, '') : name;
};

const namesKind = (call: string, kind: string): boolean =>
  [call, ...(argumentsOf(call)?.values() ?? [])].some((text) => text.includes(kind));

/** Programs are changed all the time while they are written. */
const isSource = (kind: string): boolean =>
  /^\.(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|go|rs|java|kt|c|h|cc|cpp|hpp|rb|php|cs|swift|ex|exs|sh|sql|ipynb)$/.test(kind);
