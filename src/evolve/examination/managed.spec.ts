import { expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, runCycle } from '../../../test/support/cycles.js';
import { observedWork, run, type WorkKind } from '../../../test/support/observed-work.js';

const cycle = (...kinds: WorkKind[]) =>
  runCycle({
    executions: observedWork(kinds),
    settings: CYCLE_DEFAULTS,
    orgEntries: [],
    pendingProposals: [],
    rejectedFingerprints: [],
  });

const OFFERED = "vend: 'lst' is no command. Did you mean 'list'?";
const becauseOf = ({ examination }: ReturnType<typeof cycle>) => examination.rows.map(({ because }) => because);

it('what the error offers, and every execution does at once, is no lesson', () => {
  const outcome = cycle([run('vend lst', OFFERED), run('vend list')]);
  expect(outcome.drafts).toEqual([]);
  expect(new Set(becauseOf(outcome))).toEqual(new Set(['managed']));
});

it('is no lesson either where others had the right form at once: the error costs one call', () => {
  const { drafts, examination } = cycle(
    { of: 40, calls: [run('vend lst', OFFERED), run('vend list')] },
    { of: 40, calls: [run('vend list')] },
  );
  expect(drafts).toEqual([]);
  expect(examination.rows).toMatchObject([{ verdict: 'confirmed', because: 'managed' }]);
});

it('what the error does not say, or what some executions did not do at once, is a lesson', () => {
  expect(cycle([run('vend lst', "vend: 'lst' is no command."), run('vend list')]).drafts).toHaveLength(1);
  const late: WorkKind = [run('vend lst', OFFERED), run('vend lst', OFFERED), run('vend list')];
  expect(cycle(late).drafts).toHaveLength(1);
});
