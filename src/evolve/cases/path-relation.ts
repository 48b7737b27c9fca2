import { argumentsOf } from '../../evidence/calls/call-instance.js';
import { readCallWords } from '../../evidence/calls/call-role.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { Case } from './case.js';

/**
 * How the path that worked differs from the one that failed. `here`: the change of folder, or the first folder of the
 * path, was left out. `deeper`: folders were put before it. `moved`: the same name elsewhere. `other`: another name.
 */
export type PathRelation = 'here' | 'deeper' | 'moved' | 'other';

/** The share of the cases with visible paths that must agree, and the share of all cases that show their paths. */
const AGREED = 0.5;
const VISIBLE = 1 / 3;

/** The relation that most of the cases share; `other` if none does. */
export function pathRelation(cases: readonly Case[]): PathRelation {
  const counts = new Map<PathRelation, number>();
  const worked = cases.flatMap((one) => (one.worked ? { failed: one.failed, worked: one.worked } : []));
  const all = worked.flatMap((one) => relationOf(one.failed, one.worked) ?? []);
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]));
  return most && most[1] > AGREED * all.length && all.length >= VISIBLE * worked.length ? most[0] : 'other';
}

/** Returns how the path of the call that worked differs from the one of the failed call; undefined if no path differs. */
export function relationOf(failed: ShownCall, worked: ShownCall): PathRelation | undefined {
  const [from, to] = [pathsOf(failed), pathsOf(worked)];
  if (changesFolder(failed) && !changesFolder(worked)) return 'here';
  const [before] = from.filter((path) => !to.includes(path));
  const [after] = to.filter((path) => !from.includes(path));
  if (before === undefined || after === undefined) return undefined;
  const isKnown = !before.includes('<') && !after.includes('<');
  if (isKnown && before.endsWith(`/${after}`)) return 'here';
  if (isKnown && after.endsWith(`/${before}`)) return 'deeper';
  return baseName(before) === baseName(after) ? 'moved' : 'other';
}

/** The folder that a command line changes to: `cd folder && …`, `git -C folder …`. */
const FOLDER = /^(?:cd|pushd)$/;

function changesFolder({ tool, call }: ShownCall): boolean {
  if (tool !== 'shell') return false;
  return readCallWords(call).some(({ role, text }) => (role === 'program' && FOLDER.test(text)) || text === '-C');
}

/** The operands of a command line, or the arguments that look like paths, without a final slash. */
function pathsOf({ tool, call }: ShownCall): string[] {
  const texts =
    tool === 'shell'
      ? readCallWords(call)
          .filter(
            ({ role, program, flag, text }) =>
              role === 'operand' && (isPath(text) || FOLDER.test(program) || flag === '-C'),
          )
          .map(({ text }) => text)
      : [...(argumentsOf(call)?.values() ?? [])].filter(isPath);
  return texts.map((text) => text.replace(/^\.\//, '').replace(/(?<=.)\/$/, ''));
}

const isPath = (text: string): boolean => /[/.]|^<folder>/.test(text) && text.length > 1;
const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
