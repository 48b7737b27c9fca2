import { createHash } from 'node:crypto';
import { renderSkill } from '../../src/skills/document/render.js';
import { repositoryFiles } from '../../src/skills/document/repository-files.js';
import { SkillRecord } from '../../src/skills/document/skill-record.schema.js';
import { CommitMessage } from '../../src/skills/git/commit-message.js';
import { GitRepository } from '../../src/skills/git/git.repository.js';
import { reconcile } from '../../src/skills/publishing/reconcile.js';
import { type PlantedFiles, plantFiles, plantInFolder } from './planted.js';

export interface ExpectedSkill {
  readonly name: string;
  readonly description: string;
  /** All its files as one text (`bundleOf`). */
  readonly artifact: string;
}

/** The published repository, and the files that were planted in it before. */
export interface Publication {
  readonly skills: ExpectedSkill[];
  readonly planted: PlantedFiles;
}

const WHEN = '2026-11-20T09:30:00.000Z';
/**
 * Descriptions with characters that parsers get wrong: quotation marks, a colon, three hyphens, letters beyond ASCII.
 */
const RECORDS: readonly { name: string; title: string; description: string; steps?: string[] }[] = [
  {
    name: 'retry-after-lock-timeout',
    title: 'Retry after a lock timeout',
    description:
      'Use when a migration ends with "canceling statement due to lock timeout": wait for the lock, then retry.',
  },
  {
    name: 'ask-before-force-push',
    title: 'Ask before a forced push',
    description: 'Use when a push is rejected as non-fast-forward --- never force it, ask the owner of the branch.',
  },
  {
    name: 'read-the-whole-log',
    title: 'Read the whole log',
    description:
      'Use when a build fails and only the last lines are shown: the cause stands above (naïve tails miss it).',
  },
  {
    name: 'walk-through-the-checklist',
    title: 'Walk through the checklist',
    description: 'Use before a release: every point of the list, in its order, with what to read in files beside it.',
    // Long enough that some steps move to reference files.
    steps: Array.from({ length: 47 }, (_, n) => `Look at point ${n + 1}${' and at what hangs on it'.repeat(19)}.`),
  },
];

/**
 * Publishes a skills repository of four skills, one of them with reference files, with the code that publishes approved
 * skills. Returns them sorted by name.
 */
export async function publishSkills(folder: string, path: string, work: string): Promise<Publication> {
  const repository = new GitRepository(folder, { gitBinary: 'git', path, generated: repositoryFiles });
  await repository.ensure();
  const planted = plantFiles(folder, work);
  const skills = await Promise.all(
    RECORDS.map(async (words, index) => {
      const proposalId = `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`;
      const bytes = renderSkill(recordOf(words, proposalId));
      const artifactSha256 = createHash('sha256').update(bytes).digest('hex');
      const journal = { seq: index + 1, hash: 'c'.repeat(64) };
      await repository.publishSkill({
        path: `${words.name}/SKILL.md`,
        bytes,
        message: CommitMessage.publish({ name: words.name, version: 1, proposalId, artifactSha256, journal }),
        author: { name: 'Ada Reviewer', email: 'ada@example.test' },
        when: WHEN,
      });
      return { name: words.name, description: words.description, artifact: bytes };
    }),
  );
  plantInFolder(folder, work);
  await repairFolder(repository);
  await repository.close();
  return { skills: skills.sort((a, b) => (a.name < b.name ? -1 : 1)), planted };
}

/** What the reconciler does with the folder. */
async function repairFolder(repository: GitRepository): Promise<void> {
  const { edits } = await repository.snapshot();
  for (const difference of reconcile([], { commits: new Map(), skills: [], others: [], edits })) {
    if (!('path' in difference) || difference.repair === 'report') continue;
    if (difference.kind !== 'worktree-deleted') await repository.setEntryAside(difference.path);
    if (difference.repair === 'restore-file') await repository.restoreFile(difference.path, undefined);
  }
}

function recordOf(words: (typeof RECORDS)[number], proposalId: string): SkillRecord {
  return SkillRecord.parse({
    ...words,
    condition: words.description,
    action: 'Do what the steps say, in their order.',
    rationale: 'It failed several times without it.',
    steps: ['Read the message to its end.', 'Do the one thing that it asks for.', ...(words.steps ?? [])],
    gotchas: ['The first message is seldom the cause.'],
    version: 1,
    proposalId,
    provenance: 'verified',
  });
}
