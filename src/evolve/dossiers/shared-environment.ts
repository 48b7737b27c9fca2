import type { ProjectKind } from '../../capture/observations/project-kind.js';
import type { ExecutionEnvironment } from '../../capture/report/execution-report.schema.js';
import type { EnvironmentFact } from '../../evidence/calls/lesson-parts.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import { countsOf } from '../../platform/base/sum.js';
import { clip } from '../../untrusted/text/clip.js';
import { presentableError } from './presentable-call.js';

/** Where a case or an execution happened. */
interface Placed {
  readonly executionId: string;
  readonly environment: ExecutionEnvironment;
  readonly projectKind?: ProjectKind;
}

/** The share of executions that must agree on a fact. */
const SHARED = 0.8;
/** A version is known only where an execution asked for it: so many executions, and such a share, must know one. */
const FEWEST_KNOWN = 3;
const KNOWN = 0.25;
const MOST_FACTS = 8;
const ORDER = ['harness', 'operating system', 'project kind', 'project'];

/**
 * The facts that at least 80 % of the executions share, those about where they ran first. Of the version of a program, 80 %
 * of those that know it: another one is unknown, not different.
 */
export function environmentOf(cases: readonly Placed[]): EnvironmentFact[] {
  const executions = new Map(cases.map((one) => [one.executionId, one]));
  const facts = [...executions.values()].map(factsOf);
  const known = countsOf(facts.flatMap((own) => [...new Set(own.map(({ name }) => name))]));
  const counts = countsOf(
    facts.flatMap((own) => [...new Set(own.map(({ name, value }) => JSON.stringify([name, value])))]),
  );
  const knowing = (name: string): number => {
    const n = known.get(name) ?? 0;
    const isVersion = !ORDER.includes(name);
    return isVersion && n >= FEWEST_KNOWN && n >= KNOWN * executions.size ? n : executions.size;
  };
  const rank = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return [...counts]
    .flatMap(([key, n]): EnvironmentFact[] => {
      // The key was made above, from two texts.
      const [name, value] = JSON.parse(key) as [string, string];
      return n >= SHARED * knowing(name) ? [{ name, value }] : [];
    })
    .sort((a, b) => rank(a.name) - rank(b.name) || compareText(a.name, b.name) || compareText(a.value, b.value))
    .slice(0, MOST_FACTS);
}

function factsOf({ environment, projectKind }: Placed): EnvironmentFact[] {
  const { harness, operatingSystem, interpreters = [], project } = environment;
  const facts: [string, string | undefined][] = [
    ['harness', harness],
    ['operating system', operatingSystem],
    ['project kind', projectKind],
    ['project', project],
    ...interpreters.map(({ name, version }): [string, string] => [name, version]),
  ];
  return facts.flatMap(([name, value]) => {
    if (value === undefined) return [];
    const shown = { name: clip(presentableError(name), 40), value: clip(presentableError(value), 80) };
    return shown.name === '' || shown.value === '' ? [] : [shown];
  });
}
