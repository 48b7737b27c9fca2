import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  compareBySkill,
  differenceKey,
  type ObservedRepository,
  type RecordedDecision,
  type RepositoryDifference,
  reconcile,
} from './reconcile.js';

const V1 = '1'.repeat(64);
const V2 = '2'.repeat(64);
const FOREIGN = 'f'.repeat(64);

const published = (proposalId: string, sha256: string, name = 'retry-once'): RecordedDecision => {
  return { proposalId, name, sha256, commit: `commit-${proposalId}` };
};
const retired = (proposalId: string, name = 'retry-once'): RecordedDecision => {
  return { proposalId, name, sha256: undefined, commit: `commit-${proposalId}` };
};
const pending = (decision: RecordedDecision): RecordedDecision => ({ ...decision, commit: undefined });

/** The repository after it carried out these decisions, without other changes. */
function repositoryAfter(decisions: readonly RecordedDecision[]): ObservedRepository {
  const files = new Map<string, string>();
  for (const { name, sha256 } of decisions) {
    if (sha256 === undefined) files.delete(name);
    else files.set(name, sha256);
  }
  return {
    commits: new Map(decisions.map(({ proposalId }) => [proposalId, `commit-${proposalId}`])),
    skills: [...files].map(([name, sha256]) => ({ name, sha256 })),
    others: [],
    edits: [],
  };
}

const summarise = (differences: readonly RepositoryDifference[]): string[] =>
  differences.map((difference) => {
    const subject = 'name' in difference ? difference.name : 'path' in difference ? difference.path : '';
    return `${difference.kind} ${subject}: ${difference.repair}`.replace(' :', ':');
  });

const one = [published('a', V1)];
const two = [published('a', V1), published('b', V2)];
const clean = repositoryAfter(one);
const skill = (sha256: string | undefined, name = 'retry-once') => ({ name, sha256 });

describe('the reconciler', () => {
  it.each<[string, readonly RecordedDecision[], ObservedRepository, string[]]>([
    ['finds no difference if git matches the decisions', two, repositoryAfter(two), []],
    ['finds no difference in an empty folder', [], repositoryAfter([]), []],
    [
      'publishes a decision that git does not have',
      [pending(published('a', V1))],
      repositoryAfter([]),
      ['missing-in-git retry-once: publish'],
    ],
    [
      'acknowledges a commit that was made before a crash',
      [pending(published('a', V1))],
      clean,
      ['not-acknowledged retry-once: publish'],
    ],
    [
      'publishes again what a rewound branch lost, all versions in their order',
      two,
      repositoryAfter([]),
      ['branch-rewound retry-once: publish-again', 'branch-rewound retry-once: publish-again'],
    ],
    [
      'publishes again only the lost decisions',
      two,
      repositoryAfter(one),
      ['branch-rewound retry-once: publish-again'],
    ],
    [
      'never publishes an old version over a newer one',
      two,
      { ...repositoryAfter(two), commits: new Map([['b', 'commit-b']]) },
      ['branch-rewound retry-once: report'],
    ],
    [
      'acknowledges the commits of a rewritten history',
      one,
      { ...clean, commits: new Map([['a', 'commit-rebased']]) },
      ['history-rewritten retry-once: acknowledge'],
    ],
    [
      'asks a person about a commit that changed a skill',
      one,
      { ...clean, skills: [skill(FOREIGN)] },
      ['unapproved-change retry-once: ask'],
    ],
    [
      'asks a person about a commit that restored an old version',
      two,
      { ...repositoryAfter(two), skills: [skill(V1)] },
      ['unapproved-change retry-once: ask'],
    ],
    [
      'asks a person about a file that is too large to be read',
      one,
      { ...clean, skills: [skill(undefined)] },
      ['unapproved-change retry-once: ask'],
    ],
    [
      'asks a person about a commit that added a skill',
      one,
      { ...clean, skills: [...clean.skills, skill(FOREIGN, 'ask-first')] },
      ['unapproved-skill ask-first: ask'],
    ],
    [
      'asks a person about a retired skill that came back',
      [published('a', V1), retired('b')],
      { ...repositoryAfter([published('a', V1), retired('b')]), skills: [skill(V1)] },
      ['unapproved-skill retry-once: ask'],
    ],
    [
      'asks a person about a commit that deleted a skill',
      one,
      { ...clean, skills: [] },
      ['deleted-in-git retry-once: ask'],
    ],
    [
      'does not publish over an unapproved change: it asks first',
      two,
      { ...repositoryAfter(one), skills: [skill(FOREIGN)] },
      ['branch-rewound retry-once: report', 'unapproved-change retry-once: ask'],
    ],
    [
      'waits for a retirement that is not in git yet',
      [published('a', V1), pending(retired('b'))],
      clean,
      ['missing-in-git retry-once: publish'],
    ],
    [
      'asks about an edited skill in the folder, and restores a deleted file',
      one,
      {
        ...clean,
        others: ['docs/terms.md', 'LICENSE'],
        edits: [
          { path: 'retry-once/SKILL.md', kind: 'edited', blob: 'x' },
          { path: 'README.md', kind: 'edited', blob: 'y' },
          { path: '.claude-plugin/marketplace.json', kind: 'edited', blob: 'z' },
          { path: '.index/a.md', kind: 'deleted', blob: undefined },
          { path: 'draft/', kind: 'unknown', blob: undefined },
          { path: 'hooks/', kind: 'unknown', blob: undefined },
        ],
      },
      [
        'unknown-file docs/terms.md: remove',
        'worktree-edited .claude-plugin/marketplace.json: restore-file',
        'worktree-deleted .index/a.md: restore-file',
        'worktree-edited README.md: report',
        'unknown-file draft/: remove',
        'unknown-file hooks/: remove',
        'worktree-edited retry-once/SKILL.md: ask',
      ],
    ],
    [
      'names what cannot be read, and does not ask about a skill whose content is not known',
      [published('a', V1), published('c', V1, 'ask-first')],
      {
        ...repositoryAfter([published('a', V1), published('c', V1, 'ask-first')]),
        skills: [skill(FOREIGN)],
        unreadable: ['retry-once/SKILL.md', 'ask-first/'],
      },
      ['unreadable-object ask-first/: report', 'unreadable-object retry-once/SKILL.md: report'],
    ],
    ['leaves the files of another branch alone', one, { ...clean, edits: undefined }, ['other-branch: report']],
  ])('%s', (_what, decisions, found, expected) => {
    expect(summarise(reconcile(decisions, found))).toEqual(expected);
  });

  it('gives the same key to the same difference, and another key to another one', () => {
    const changed = (sha256: string) => reconcile(one, { ...clean, skills: [skill(sha256)] }).map(differenceKey);
    expect(changed(FOREIGN)).toEqual(changed(FOREIGN));
    expect(changed(FOREIGN)).not.toEqual(changed(V2));
  });
});

const names = fc.constantFrom('a', 'b', 'c');
/** A history: skills published in several versions, some retired, the last few decisions still pending. */
const histories = fc
  .record({ steps: fc.array(fc.record({ name: names, retires: fc.boolean() }), { maxLength: 12 }), open: fc.nat(4) })
  .map(({ steps, open }) =>
    steps.map(({ name, retires }, index): RecordedDecision => {
      const id = String(index);
      const decision = retires ? retired(id, name) : published(id, `${index}`.padStart(64, '0'), name);
      return index < steps.length - open ? decision : pending(decision);
    }),
  );

describe('for any history of decisions', () => {
  it('a repository that carried out all decisions needs only acknowledgements', () => {
    fc.assert(
      fc.property(histories, (decisions) => {
        const open = decisions.filter(({ commit }) => commit === undefined).length;
        const differences = reconcile(decisions, repositoryAfter(decisions));
        expect(differences.filter(({ kind }) => kind !== 'not-acknowledged')).toEqual([]);
        expect(differences).toHaveLength(open);
      }),
    );
  });

  it('publishing again after the branch was rewound to any point leads to the decided state', () => {
    fc.assert(
      fc.property(histories, fc.nat(), (decisions, at) => {
        const kept = decisions.slice(0, at % (decisions.length + 1));
        const differences = reconcile(decisions, repositoryAfter(kept));
        const again = new Set(
          differences.flatMap((difference) => ('proposalId' in difference ? difference.proposalId : [])),
        );
        const missing = decisions.slice(kept.length);
        expect(missing.every(({ proposalId }) => again.has(proposalId))).toBe(true);
        expect(differences.every(({ repair }) => repair === 'publish' || repair === 'publish-again')).toBe(true);
      }),
    );
  });

  it('unapproved bytes are left to a person and never overwritten', () => {
    fc.assert(
      fc.property(histories, names, fc.nat(), (decisions, name, at) => {
        const kept = repositoryAfter(decisions.slice(0, at % (decisions.length + 1)));
        const found = { ...kept, skills: [...kept.skills.filter((it) => it.name !== name), skill(FOREIGN, name)] };
        const differences = reconcile(decisions, found).filter(
          (difference) => 'name' in difference && difference.name === name,
        );
        const last = decisions.filter((decision) => decision.name === name).at(-1);
        const isUnderWay = last !== undefined && last.commit === undefined && !kept.commits.has(last.proposalId);
        const unapproved = differences.filter(
          ({ kind }) => kind === 'unapproved-change' || kind === 'unapproved-skill',
        );
        expect(unapproved).toMatchObject([{ repair: isUnderWay ? 'report' : 'ask' }]);
        expect(differences.some(({ repair }) => repair === 'publish-again')).toBe(false);
      }),
    );
  });

  it('the order in which git lists its files does not matter', () => {
    fc.assert(
      fc.property(histories, (decisions) => {
        const found = { ...repositoryAfter(decisions), others: ['x', 'y'], commits: new Map<string, string>() };
        const turned = { ...found, skills: [...found.skills].reverse(), others: [...found.others].reverse() };
        expect(reconcile(decisions, turned)).toEqual(reconcile(decisions, found));
      }),
    );
  });

  it('the comparison yields per skill', () => {
    const many = Array.from({ length: 40 }, (_, n) => published(String(n), V1, `skill-${n}`));
    const lost = { ...repositoryAfter(many), commits: new Map<string, string>() };
    const pieces = [...compareBySkill(many, lost)];
    expect(pieces).toHaveLength(41);
    expect(Math.max(...pieces.map(({ length }) => length))).toBe(1);
  });
});
