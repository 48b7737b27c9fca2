import type { Binding } from '../../evidence/predicate/check.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import { countsOf } from '../../platform/base/sum.js';
import type { Case } from '../cases/case.js';
import { environmentOf } from '../dossiers/shared-environment.js';
import type { Candidate } from '../evidence/candidate.js';

/** Other harnesses or projects confirm a lesson with as many executions in which it worked. */
const CONFIRMS = 2;
const PLACES = new Set(['harness', 'operating system', 'project', 'project kind']);

/**
 * Where a lesson was seen to work, from the cases in which it did: the harness and the project unless others confirm it,
 * and the versions of programs that the lesson names, or most of its failed calls.
 */
export function bindingOf(
  { action, taught, avoided }: Pick<Candidate, 'action' | 'taught' | 'avoided'>,
  cases: readonly Pick<Case, 'executionId' | 'environment' | 'projectKind' | 'failed'>[],
): Binding {
  const executions = [...new Map(cases.map((one) => [one.executionId, one])).values()];
  const harness = onlyPlace(executions.map(({ environment }) => environment.harness));
  const project = onlyPlace(executions.map(({ environment }) => environment.repository ?? environment.project));
  const named = [action, ...taught, ...avoided].join(' ');
  const isAbout = (name: string): boolean =>
    names(named, name) || cases.filter(({ failed }) => names(failed.call, name)).length > cases.length / 2;
  const environment = environmentOf(executions).filter(({ name }) => !PLACES.has(name) && isAbout(name));
  return {
    ...(harness === undefined ? {} : { harness }),
    ...(project === undefined ? {} : { project }),
    ...(environment.length > 0 ? { environment } : {}),
  };
}

const names = (text: string, name: string): boolean =>
  text.split(/[^\w.+-]/).some((word) => word.replace(/[\d.]+$/, '') === name.replace(/[\d.]+$/, ''));

/** The place of all executions that name one, unless other places confirm it; undefined if none is known. */
function onlyPlace(places: readonly (string | undefined)[]): string | undefined {
  const counts = countsOf(places.flatMap((place) => place ?? []));
  const [first, ...others] = [...counts].sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]));
  const elsewhere = others.reduce((sum, [, executions]) => sum + executions, 0);
  return first && elsewhere < CONFIRMS ? first[0] : undefined;
}
