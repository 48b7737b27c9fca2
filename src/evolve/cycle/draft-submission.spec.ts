import { expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, runCycle } from '../../../test/support/cycles.js';
import { observedWork, run } from '../../../test/support/observed-work.js';
import { execution, PYTHON } from '../../../test/support/window-execution.js';
import type { WordedDraft } from '../drafts/draft.js';
import { backtestResultOf } from './backtest.js';
import { draftSubmission } from './draft-submission.js';

const failed = run('python a.py', 'SyntaxError: invalid syntax');
const executions = observedWork([[failed, failed, run('python3 a.py')]]);
const NOTHING = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };
const { drafts } = runCycle({ executions, ...NOTHING, settings: CYCLE_DEFAULTS });
const draft = (): WordedDraft => {
  const [first] = drafts;
  if (!first) throw new Error('nothing was proposed');
  const wording = { by: 'rules', words: null, reason: null };
  return {
    ...first,
    kind: 'conflict',
    backtest: backtestResultOf({ read: 0, supporting: 0, nearMisses: 0, missed: 0 }, 0),
    wording,
  };
};

it('a draft that contradicts another draft of its cycle names the proposal of that draft', () => {
  const contested = { ...draft(), conflictsWithPending: ['pending'], conflictsWithDrafts: ['other'] };
  const submission = draftSubmission(contested, 'cycle', new Map([['other', 'proposal of the other']]));
  expect(submission).toMatchObject({ kind: 'conflict', contradicts: ['pending', 'proposal of the other'] });
});

it('a draft that contradicts only a refused draft is a new skill', () => {
  const contested = { ...draft(), conflictsWithDrafts: ['other'] };
  expect(draftSubmission(contested, 'cycle')).toMatchObject({ kind: 'new_skill', contradicts: [] });
  const withEntry = { ...contested, conflictsWith: ['entry'] };
  expect(draftSubmission(withEntry, 'cycle')).toMatchObject({ kind: 'conflict', supersedesId: 'entry' });
});

it('evidence counts the agents, owners and tasks of the executions that it names, and how many of them are independent', () => {
  const shared = { origin: 'one page' };
  const fleet = Array.from({ length: 5 }, (_, n) => execution(n, PYTHON, n > 2 ? shared : {}));
  const [proposed] = runCycle({ executions: fleet, ...NOTHING, settings: CYCLE_DEFAULTS }).drafts;
  if (!proposed) throw new Error('nothing was proposed');
  const { evidence } = draftSubmission({ ...draft(), ...proposed }, 'cycle');
  expect(evidence).toMatchObject({
    agents: 5,
    independent: 4,
    owners: 2,
    independentOwners: 2,
    origins: 4,
    dossier: { agents: 5, origins: 4 },
  });
  expect(evidence.seenBy).toHaveLength(5);
  expect([...(evidence.executionIds ?? [])].sort()).toEqual(fleet.map(({ id }) => id).sort());
});
