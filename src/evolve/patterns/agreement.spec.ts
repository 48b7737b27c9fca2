import { describe, expect, it } from '@jest/globals';
import { observedWork, run, type WorkKind } from '../../../test/support/observed-work.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import { CYCLE_DEFAULTS, type CycleOutcome, runCycle } from '../cycle/cycle.js';

const lostCd = [run('cd app && pytest t', 'bash: cd: app: No such file or directory'), run('pwd'), run('pytest t')];
const lostLs = [run('ls app/a.txt', 'ls: app/a.txt: No such file or directory'), run('ls a.txt')];
/** Another path never helps here: the file has to be created. */
const lostMake = [
  run('make -f app/rules.mk', 'make: app/rules.mk: No such file or directory'),
  run('make -f rules.mk', 'make: rules.mk: No such file or directory'),
  run('touch rules.mk'),
  run('make -f app/rules.mk'),
];

function cycle(...kinds: WorkKind[]): CycleOutcome {
  const none = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };
  return runCycle({ executions: observedWork(kinds), ...none, settings: CYCLE_DEFAULTS });
}

describe('the same error of several programs', () => {
  it('is one lesson if the same remedy overcomes it in each of them', () => {
    const { drafts } = cycle(lostCd, lostLs);
    expect(drafts.map(({ text: proposal }) => proposal.title)).toEqual([
      'Leave the folder that the shell already stands in out of the path',
    ]);
    const [draft] = drafts;
    expect(draft?.evidence).toMatchObject({ granularity: 'kind', chosen: { how: 'relocate', outcome: { n: 16 } } });
    // The fingerprints of the kind and of its two programs.
    expect(draft?.fingerprints).toHaveLength(3);
    expect([...(draft?.evidence.errorClasses ?? [])].sort()).toEqual(['file-not-found', 'no-such-directory']);
  });

  it('is two patterns if the remedy fails in one of them', () => {
    const { drafts } = cycle(lostCd, lostLs, lostMake);
    expect(drafts.map(({ evidence }) => evidence.granularity)).not.toContain('kind');
    expect(drafts.map(({ text: proposal }) => proposal.title).sort()).toEqual([
      'Do not change into the folder that the shell already stands in',
      'Leave the folder that the shell already stands in out of the path',
    ]);
  });

  it('is one lesson for all tools that read and search files', () => {
    const path = (file: string): string => JSON.stringify({ file_path: file });
    const missing = 'File does not exist.';
    const lostRead: ToolCall[] = [
      { name: 'Read', action: path('app/src/a.py'), ok: false, errorMessage: missing },
      { name: 'Read', action: path('src/a.py'), ok: true },
    ];
    const search = JSON.stringify({ pattern: '[text]' });
    const lostGrep: ToolCall[] = [
      { name: 'Grep', action: search, ok: false, errorMessage: 'Path does not exist: app/src' },
      { name: 'Grep', action: search, ok: true },
    ];
    const { drafts } = cycle(lostRead, lostGrep);
    expect(drafts.map(({ text: proposal }) => proposal.title)).toEqual([
      'Give paths from the current folder, without its own name',
    ]);
    expect(drafts[0]?.evidence).toMatchObject({
      tool: 'files',
      granularity: 'kind',
      using: 16,
      chosen: { outcome: { n: 16 } },
    });
  });

  it('is not split by the evidence of a single agent', () => {
    const alone = Array.from({ length: 3 }, () => lostMake).flat();
    const { drafts } = cycle(lostCd, lostLs, { of: 1, calls: alone });
    expect(drafts.map(({ evidence }) => evidence.granularity)).toContain('kind');
  });

  it('is a pattern of the only program that has it', () => {
    expect(cycle(lostCd).drafts.map(({ evidence }) => evidence.granularity)).toEqual(['class']);
  });

  it('has the same fingerprint whichever program had it most often', () => {
    const kindOf = (outcome: CycleOutcome) => outcome.drafts.map(({ fingerprint }) => fingerprint);
    expect(kindOf(cycle(lostCd, lostLs, lostLs))).toEqual(kindOf(cycle(lostCd, lostCd, lostLs)));
  });
});
