import { expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, runCycle } from '../../../test/support/cycles.js';
import { observedWork, run, type WorkKind } from '../../../test/support/observed-work.js';
import { draftKey } from '../drafts/draft.js';
import { notProposed } from './cycle-report.js';

const lostCat: WorkKind = [run('cat app/a.txt', 'cat: app/a.txt: No such file or directory'), run('cat a.txt')];
const lostLs: WorkKind = [run('ls app/a.txt', 'ls: app/a.txt: No such file or directory'), run('ls a.txt')];

const cycle = (...kinds: WorkKind[]) =>
  runCycle({
    executions: observedWork(kinds),
    settings: CYCLE_DEFAULTS,
    orgEntries: [],
    pendingProposals: [],
    rejectedFingerprints: [],
  });

it('a lesson that another one of the cycle says names that one', () => {
  const outcome = cycle(lostCat, lostLs);
  const [broad] = outcome.drafts;
  const [cat] = cycle(lostCat).drafts;
  if (!broad || !cat) throw new Error('no draft');
  const rows = notProposed({ ...outcome, subsumedByDraft: [{ by: draftKey(broad), draft: cat }] }, []);
  expect(rows).toMatchObject([{ title: cat.text.title, because: 'subsumed', reason: broad.text.title }]);
});
