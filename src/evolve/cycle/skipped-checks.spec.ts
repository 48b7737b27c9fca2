import { describe, expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS } from '../../../test/support/cycles.js';
import { observedWork, run } from '../../../test/support/observed-work.js';
import { type ExecutionObservations, observe } from '../../capture/observations/observation.js';
import type { ReportedExecution } from '../evidence/recorded-execution.js';
import { CycleReader } from '../window/cycle-reader.js';
import { type CycleOutcome, finishCycleFrom } from './cycle.js';
import type { CycleSettings } from './cycle-drafts.js';

const FAILED = run('git commit -a', 'error: lint found 3 problems');

/** What is observed if the commit goes through only because its check was skipped. */
function skipping(observed: ExecutionObservations): ExecutionObservations {
  const episodes = observed.episodes.map((episode) => ({
    ...episode,
    trials: [
      {
        worked: true,
        from: 0,
        at: 2,
        features: [],
        skipsCheck: true as const,
      },
    ],
  }));
  return { ...observed, episodes };
}

function cycle(more: Partial<CycleSettings> = {}): Promise<CycleOutcome> {
  const stored = observedWork([[FAILED, FAILED, run('git commit -a --no-verify')]]);
  const reports = new Map(
    stored.map((one): [string, ReportedExecution] => [
      one.id,
      { observed: skipping(observe(one)), report: one.report },
    ]),
  );
  const reader = new CycleReader();
  for (const { observed } of reports.values()) reader.add(observed);
  const source = {
    async *readReported(ids: readonly string[]) {
      yield* ids.flatMap((id) => reports.get(id) ?? []);
    },
  };
  const known = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };
  return finishCycleFrom(source, reader, known, { ...CYCLE_DEFAULTS, minConfidenceForProposal: 0.5, ...more });
}

describe('a failure that is only overcome by skipping a check', () => {
  it('is reported as such, and not proposed', async () => {
    const { drafts, lowConfidence, unsolved, onlySkipped } = await cycle();
    expect([...drafts, ...lowConfidence, ...unsolved]).toEqual([]);
    expect(onlySkipped).toMatchObject([{ action: 'git commit', counts: { executions: 8 } }]);
  });

  it('is proposed if a setting asks for it, with the danger for the reviewer', async () => {
    const { drafts, onlySkipped } = await cycle({ proposeSkippedChecks: true });
    expect(onlySkipped).toHaveLength(1);
    expect(drafts).toMatchObject([
      {
        text: { title: 'Run `git commit -a --no-verify` instead of `git commit -a`' },
        evidence: { chosen: { outcome: { successes: 8, n: 8 } } },
      },
    ]);
    expect(drafts[0]?.evidence.chosen.dangers).toContainEqual(
      expect.objectContaining({ class: 'check', form: expect.stringContaining('--no-verify') }),
    );
  });
});
