import type { EnvironmentFact } from '../../evidence/parts/lesson-parts.schema.js';
import { privateLine } from '../observations/private-call.js';
import type { ProjectKind } from '../observations/project-kind.js';
import type { ExecutionEnvironment } from '../report/execution-report.schema.js';

const LONGEST = { name: 40, value: 80 } as const;

/** The known facts about where an execution ran, without private values. */
export function environmentFacts(
  environment: ExecutionEnvironment | undefined,
  projectKind: ProjectKind | undefined,
): EnvironmentFact[] {
  const { harness, harnessVersion = '', operatingSystem, interpreters = [], project, repository } = environment ?? {};
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ['harness', harness === undefined ? undefined : `${harness} ${harnessVersion}`],
    ['operating system', operatingSystem],
    ['project kind', projectKind],
    ['project', project],
    ['repository', repository],
    ...interpreters.map(({ name, version }) => [name, version] as const),
  ];
  return facts.flatMap(([name, value]) => {
    const fact = { name: privateLine(name, LONGEST.name), value: privateLine(value ?? '', LONGEST.value) };
    return fact.name === '' || fact.value === '' ? [] : [fact];
  });
}
