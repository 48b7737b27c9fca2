import { describe, expect, it } from '@jest/globals';
import { observedWork, run, type WorkKind } from '../../../test/support/observed-work.js';
import { observe } from '../../capture/observations/observation.js';
import { CYCLE_DEFAULTS, type CycleOutcome, CycleReader, finishCycle, runCycle } from '../cycle/cycle.js';

const STALE = 'forge: the lock file is stale';
const rust = [run('cat src/a.rs'), run('cat src/b.rs')];
const python = [run('cat a.py'), run('cat b.py')];
const BUILD = 'forge build site.cfg';
const stuck = [run(BUILD, STALE), run(BUILD, STALE), run(BUILD, STALE)];
/** `--fresh` is the remedy, or is tried in vain. */
const overcome = [run(BUILD, STALE), run(BUILD, STALE), run('forge build --fresh site.cfg')];
const inVain = [run(BUILD, STALE), run('forge build --fresh site.cfg', STALE), run('forge build --relock site.cfg')];

const none = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };

function cycle(...work: WorkKind[]): CycleOutcome {
  return runCycle({ executions: observedWork(work), ...none, settings: CYCLE_DEFAULTS });
}

const titlesOf = ({ drafts }: CycleOutcome) =>
  drafts
    .map(({ text: proposal, evidence }) => [proposal.title, evidence.project, evidence.counts.executions])
    .sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));

describe('the same error in two kinds of project', () => {
  it('is one pattern if the same remedy overcomes it in both', () => {
    const outcome = cycle({ of: 8, calls: [...rust, ...overcome] }, { of: 8, calls: [...python, ...overcome] });
    expect(titlesOf(outcome)).toEqual([
      ['Run `forge build --fresh site.cfg` instead of `forge build site.cfg`', undefined, 16],
    ]);
    expect(outcome.patterns).toBe(1);
  });

  it('is two patterns with different remedies if a remedy works in only one of them', () => {
    const outcome = cycle({ of: 8, calls: [...rust, ...overcome] }, { of: 8, calls: [...python, ...inVain] });
    expect(titlesOf(outcome)).toEqual([
      ['Run `forge build --fresh site.cfg` instead of `forge build site.cfg` (Rust)', 'rust', 8],
      ['Run `forge build --relock site.cfg` instead of `forge build --fresh site.cfg` (Python)', 'python', 8],
    ]);
    expect(outcome.patterns).toBe(2);
    expect(outcome.drafts.map(({ kind }) => kind)).toEqual(['new_skill', 'new_skill']);
    expect(new Set(outcome.drafts.map(({ fingerprint }) => fingerprint)).size).toBe(2);
    expect(outcome.drafts.map(({ text: proposal }) => proposal.condition)).toEqual([
      expect.stringMatching(/^In a (Rust|Python) project: /),
      expect.stringMatching(/^In a (Rust|Python) project: /),
    ]);
  });

  it('is limited to one of them if nothing is known about the other', () => {
    const outcome = cycle({ of: 8, calls: [...rust, ...overcome] }, { of: 8, calls: [...python, ...stuck] });
    expect(titlesOf(outcome)).toEqual([
      ['Run `forge build --fresh site.cfg` instead of `forge build site.cfg` (Rust)', 'rust', 8],
    ]);
    expect(outcome.unsolved).toMatchObject([{ action: 'forge', counts: { executions: 8 } }]);
  });

  it('is one unsolved problem if no agent overcame it in either', () => {
    const outcome = cycle({ of: 4, calls: [...rust, ...stuck] }, { of: 4, calls: [...python, ...stuck] });
    expect(outcome.drafts).toEqual([]);
    expect(outcome.unsolved).toMatchObject([{ counts: { executions: 8 } }]);
  });

  it('is one pattern if the executions do not show their kind of project', () => {
    const outcome = cycle({ of: 4, calls: [...rust, ...overcome] }, { of: 4, calls: overcome });
    expect(titlesOf(outcome)).toEqual([
      ['Run `forge build --fresh site.cfg` instead of `forge build site.cfg`', undefined, 8],
    ]);
  });

  it('is also divided by the kind of project that the reporters name', () => {
    const outcome = cycle(
      { of: 8, calls: overcome, tags: ['language:rust'] },
      { of: 8, calls: inVain, tags: ['language:go'] },
    );
    expect(
      titlesOf(outcome)
        .map(([, project]) => project)
        .sort(),
    ).toEqual(['go', 'rust']);
  });

  it('refreshes a proposal that was made before the two were divided', () => {
    const first = cycle({ of: 8, calls: [...rust, ...overcome] });
    const [before] = first.drafts;
    expect(before?.evidence.project).toBeUndefined();
    const { condition, action, confidence } = before?.text ?? { condition: '', action: '', confidence: 0 };
    const pending = { id: 'proposal-1', condition, action, confidence, fingerprints: before?.fingerprints ?? [] };
    const outcome = runCycle({
      executions: observedWork([
        { of: 9, calls: [...rust, ...overcome] },
        { of: 8, calls: [...python, ...inVain] },
      ]),
      ...none,
      pendingProposals: [pending],
      settings: CYCLE_DEFAULTS,
    });
    expect(outcome.alreadyPending).toMatchObject([
      { proposalId: 'proposal-1', draft: { evidence: { project: 'rust' } } },
    ]);
    expect(outcome.drafts).toMatchObject([{ evidence: { project: 'python' } }]);
  });

  it('is counted the same by a sliding window and by a new one', () => {
    const early = observedWork([{ of: 5, calls: [...python, ...overcome] }]);
    const late = observedWork([
      { of: 8, calls: [...rust, ...overcome] },
      { of: 8, calls: [...python, ...inVain] },
    ]).map((one) => ({ ...one, id: `late ${one.id}` }));
    const reader = new CycleReader();
    for (const one of [...early, ...late]) reader.add(one);
    for (const one of early) reader.remove(observe(one));
    expect(finishCycle(reader, none, CYCLE_DEFAULTS)).toEqual(
      runCycle({ executions: late, ...none, settings: CYCLE_DEFAULTS }),
    );
  });
});
