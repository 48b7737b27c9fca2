import { describe, expect, it } from '@jest/globals';
import { episodeFingerprint } from '../../capture/observations/fingerprint.js';
import type { Episode, ExecutionObservations } from '../../capture/observations/observation.js';
import { FamilyIndex } from './family-index.js';

function failure(template: string, more: Partial<Episode> = {}): Episode {
  return {
    tool: 'db',
    coarse: 'db select',
    errorClass: 'unknown',
    template,
    failures: 1,
    trials: [],
    ...more,
  };
}

function observation(n: number, episodes: Episode[], more: Partial<ExecutionObservations> = {}): ExecutionObservations {
  return {
    executionId: `e${n}`,
    agentName: `Agent ${n}`,
    model: undefined,
    finishedAt: `2026-03-0${(n % 9) + 1}T10:00:00Z`,
    support: { agentId: `a${n}`, owner: 'o', origin: `t${n}`, root: `e${n}` },
    checks: [],
    episodes,
    excludedFailures: [],
    used: ['["db","db select"]'],
    ...more,
  };
}

function indexOf(...all: ExecutionObservations[]): FamilyIndex {
  const index = new FamilyIndex();
  for (const one of all) index.add(one);
  return index;
}

const shown = (index: FamilyIndex) =>
  index.families().map(({ evidence, evidenceByAction, ...family }) => ({
    ...family,
    counts: evidence.counts(),
    byAction: [...(evidenceByAction ?? [])].map(([action, part]) => [action, part.counts()]),
  }));

describe('families of failures', () => {
  const missingTable = failure('Error executing query: Table [name] is missing here');
  const unknownColumn = failure('Error executing query: Unknown column [name] in [name]');

  it('see through a wrapper that all errors of a tool have', () => {
    const families = indexOf(observation(1, [missingTable, unknownColumn])).families();
    expect(families.map(({ signature }) => signature).sort()).toEqual([missingTable.template, unknownColumn.template]);
  });

  it('join failures of several tools and actions that say the same', () => {
    const [family, ...others] = indexOf(
      observation(1, [failure('NameError: name [name] is not defined', { tool: 'python', coarse: 'python' })]),
      observation(2, [failure('NameError: name [name] is not defined', { tool: 'shell', coarse: 'python3' })]),
    ).families();
    expect(others).toEqual([]);
    expect(family?.tools).toEqual(['python', 'shell']);
    expect(family?.actions).toEqual(['python', 'python3']);
    expect(family?.evidence.counts()).toMatchObject({ agents: 2, executions: 2, failures: 2 });
    const ofOne = family?.evidenceByAction?.get('python3')?.counts();
    expect(ofOne).toMatchObject({ agents: 1, executions: 1, failures: 1, seenBy: [{ name: 'Agent 2' }] });
  });

  it('never join failures that say nothing across actions', () => {
    const silent = (coarse: string) => failure('unknown, no output', { tool: 'shell', coarse });
    expect(indexOf(observation(1, [silent('grep'), silent('diff')])).families()).toHaveLength(2);
    const masked = (coarse: string) => failure('[path] [n]', { tool: 'shell', coarse });
    expect(indexOf(observation(1, [masked('grep'), masked('diff')])).families()).toHaveLength(2);
  });

  it('are the same for any order of arrival, and after executions have left', () => {
    const all = [1, 2, 3, 4, 5].map((n) =>
      observation(n, n % 2 === 0 ? [missingTable] : [missingTable, unknownColumn], { project: 'python' }),
    );
    const [fresh, slid] = [indexOf(...all.slice(1)), indexOf(...[...all].reverse())];
    slid.remove(all[0] ?? observation(1, []));
    expect(shown(slid)).toEqual(shown(fresh));
    expect(slid.usingOf('db', 'db select')).toBe(4);
    for (const one of all.slice(1)) slid.remove(one);
    expect([slid.executions, slid.families().length, slid.usingOf('db', 'db select')]).toEqual([0, 0, 0]);
  });

  it('keep their fingerprint while their most frequent message stays the same', () => {
    const before = indexOf(observation(1, [missingTable])).families()[0];
    const after = indexOf(
      observation(1, [missingTable]),
      observation(2, [missingTable]),
      observation(3, [failure('Error executing query: The table [name] is missing here')]),
    ).families()[0];
    expect(after?.templates.size).toBe(2);
    expect(after?.fingerprint).toBe(before?.fingerprint);
  });

  it('name the fingerprints of stored observations, for each kind of project', () => {
    const [family] = indexOf(observation(1, [missingTable], { project: 'go' })).families();
    expect(family?.fingerprints).toEqual([episodeFingerprint(missingTable), episodeFingerprint(missingTable, 'go')]);
  });

  it('are one for a tool of which nearly every call fails', () => {
    const toolResults = [{ tool: 'db', calls: 6, failed: 6 }];
    const failing = indexOf(
      observation(1, [missingTable], { toolResults }),
      observation(2, [unknownColumn], { toolResults }),
    ).families();
    expect(failing).toHaveLength(1);
    const often = [{ tool: 'db', calls: 6, failed: 5 }];
    const used = indexOf(observation(1, [missingTable, unknownColumn], { toolResults: [...often, ...often] }));
    expect(used.families()).toHaveLength(2);
  });

  it('belong to a project only if all their executions do', () => {
    const at = (n: number, projectName?: string) =>
      observation(n, [missingTable], projectName === undefined ? {} : { projectName });
    const projectOf = (...all: ExecutionObservations[]) => indexOf(...all).families()[0]?.project;
    expect(projectOf(at(1, 'shop'), at(2, 'shop'))).toBe('shop');
    expect(projectOf(at(1, 'shop'), at(2, 'bank'))).toBeUndefined();
    expect(projectOf(at(1, 'shop'), at(2))).toBeUndefined();
  });
});
