import type { EnvironmentFact } from '../../evidence/parts/lesson-parts.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import { clip } from '../../untrusted/text/clip.js';
import type { Case } from './case.js';
import { presentableError } from './presentable-call.js';

/** Where a case happened. */
type Placed = Pick<Case, 'executionId' | 'environment' | 'projectKind'>;

/** The share of executions that must agree on a fact. */
const SHARED = 0.8;
const MOST_FACTS = 8;
const ORDER = ['harness', 'operating system', 'project kind', 'project'];

/** The facts that at least 80 % of the executions share, those about where they ran first. */
export function environmentOf(cases: readonly Placed[]): EnvironmentFact[] {
  const executions = new Map(cases.map((one) => [one.executionId, one]));
  const counts = new Map<string, number>();
  for (const one of executions.values())
    for (const key of new Set(factsOf(one).map(({ name, value }) => JSON.stringify([name, value]))))
      counts.set(key, (counts.get(key) ?? 0) + 1);
  const rank = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return [...counts]
    .filter(([, n]) => n >= SHARED * executions.size)
    .map(([key]): EnvironmentFact => {
      // The key was made above, from two texts.
      const [name, value] = JSON.parse(key) as [string, string];
      return { name, value };
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
    const shown = { name: clip(presentableError(name), 40), value: clip(presentableError(value ?? ''), 80) };
    return shown.name === '' || shown.value === '' ? [] : [shown];
  });
}

/** The facts in a sentence: `Seen in claude-code on linux, with python 2.7.18, in python projects.` Empty without facts. */
export function environmentSentence(facts: readonly EnvironmentFact[]): string {
  const value = (name: string): string | undefined => facts.find((fact) => fact.name === name)?.value;
  const versions = facts.filter(({ name }) => !ORDER.includes(name)).map((fact) => `${fact.name} ${fact.value}`);
  const [harness, system, kind] = [value('harness'), value('operating system'), value('project kind')];
  const parts = [
    ...(harness ? [`in ${harness}`] : []),
    ...(system ? [`on ${system}`] : []),
    ...(versions.length > 0 ? [`with ${versions.join(' and ')}`] : []),
    ...(value('project') ? ['in one project'] : kind ? [`in ${kind} projects`] : []),
  ];
  return parts.length === 0 ? '' : `Seen ${parts.join(', ')}.`;
}
