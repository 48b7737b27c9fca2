import { randomUUID } from 'node:crypto';
import { renderArtifact } from '../src/approvals/proposals/artifact.js';
import { sha256 } from '../src/platform/base/canonical-json.js';
import { programPath } from '../src/platform/config/environment.js';
import { repositoryFiles } from '../src/skills/document/repository-files.js';
import { skillSlug } from '../src/skills/document/slug.js';
import { CommitMessage } from '../src/skills/git/commit-message.js';
import { GitRepository } from '../src/skills/git/git.repository.js';
import type { Generator } from '../src/skills/git/skill-tree.js';
import { testProposalInput } from '../test/support/proposal-input.js';
import { titleOf } from './titles.js';

const ROUND = 512;

export function repositoryIn(folder: string, generated: Generator = repositoryFiles): GitRepository {
  return new GitRepository(folder, { gitBinary: 'git', path: programPath(), generated });
}

/**
 * Creates a repository as after years of decisions: one commit for each skill. The manifest and the index are written
 * only with the last commit, since this would otherwise take longer than the measurement.
 */
export async function primeRepository(folder: string, skills: number, seed: number): Promise<void> {
  const plain = repositoryIn(folder, () => new Map());
  await plain.ensure();
  for (let from = 0; from < skills - 1; from += ROUND) {
    const numbers = Array.from({ length: Math.min(ROUND, skills - 1 - from) }, (_, n) => from + n);
    await Promise.all(numbers.map((n) => plain.publishSkill(publicationOf(seed, n))));
  }
  await repositoryIn(folder).publishSkill(publicationOf(seed, skills - 1));
}

/** Records the repository and its history in a database, as if a server had followed it. */
export async function recordRepository(
  folder: string,
  run: (statement: string, ...values: (string | undefined)[]) => Promise<unknown>,
): Promise<void> {
  const repository = repositoryIn(folder);
  const id = randomUUID();
  await repository.identity.write(id);
  await run('DELETE FROM "skills_repository"');
  // Of the folder before: its lease would keep this one from publishing for half a minute.
  await run('DELETE FROM "lease" WHERE "name" = $1', 'skills-folder');
  const head = await repository.head();
  await run('INSERT INTO "skills_repository" ("id", "known_commit") VALUES ($1::uuid, $2)', id, head);
}

/** Returns publication `n` of the seed, as the publisher receives it. */
export function publicationOf(seed: number, n: number) {
  const name = skillSlug(titleOf(seed, n));
  const proposalId = sha256(`approval ${seed} ${n}`).replace(
    /^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/,
    '$1-$2-4$3-8$4-$5',
  );
  const { proposedSkill: proposal, evidence } = testProposalInput(titleOf(seed, n));
  const { bytes, sha256: artifactSha256 } = renderArtifact(
    { proposalId, skillName: name, version: 1 },
    proposal,
    evidence,
  );
  const journal = { seq: n + 1, hash: sha256(`entry ${n}`) };
  return {
    path: `${name}/SKILL.md`,
    bytes,
    message: CommitMessage.publish({ name, version: 1, proposalId, artifactSha256, journal }),
    author: { name: 'Ada Reviewer', email: 'reviewer@example.org' },
    when: new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(),
  };
}
