import { sha256 } from '../../platform/base/canonical-json.js';
import type { Database } from '../../platform/database/database.js';
import { lintSkill } from '../document/lint.js';
import { validateSkill } from '../document/validate.js';
import { CommitMessage } from '../git/commit-message.js';
import type { SkillChange } from '../git/git.repository.js';
import type { DecisionLookup } from '../git/known-chain.repository.js';
import type { Publication, PublicationRepository } from './publication.repository.js';

/** Why the rules of today do not publish this text; empty if they do. */
export function publicationProblems({ kind, skillName, artifact }: Publication): string[] {
  if (kind === 'retire') return [];
  return [...validateSkill(skillName, artifact), ...lintSkill(artifact).map(({ message }) => message)];
}

/**
 * The change that a decision makes. Throws for bytes that were not approved. The reviewer is the author and the
 * decision's time is the date, so that the same decision gives the same commit.
 */
export function skillChangeOf(publication: Publication): SkillChange {
  const { kind, skillName, renamedFrom, artifact, artifactSha256 } = publication;
  const request = {
    path: fileOf(skillName),
    message: commitMessageOf(publication),
    author: { name: publication.authorName, email: publication.authorEmail },
    when: publication.decidedAt.toISOString(),
  };
  if (kind === 'retire') return request;
  if (sha256(artifact) !== artifactSha256) throw new Error('the bytes are not the ones that were approved');
  return { ...request, bytes: artifact, ...(renamedFrom === null ? {} : { replaces: fileOf(renamedFrom) }) };
}

export function commitMessageOf(publication: Publication): CommitMessage {
  const { kind, skillName, renamedFrom, version, proposalId, artifactSha256, journal } = publication;
  const facts = { name: skillName, version, proposalId, artifactSha256, journal };
  if (kind === 'retire') return CommitMessage.retire(facts);
  if (kind === 'restore') return CommitMessage.restore(facts);
  return renamedFrom === null ? CommitMessage.publish(facts) : CommitMessage.rename({ ...facts, from: renamedFrom });
}

/** The changes of decisions, by proposal id. One whose bytes are not the approved ones is left out. */
export function decisionLookup(database: Database, publications: PublicationRepository): DecisionLookup {
  return async (proposalIds) => {
    const found = await publications.findByProposals(database.client, proposalIds.filter(isUuid));
    const changes = new Map<string, SkillChange>();
    for (const publication of found)
      if (publication.kind === 'retire' || sha256(publication.artifact) === publication.artifactSha256)
        changes.set(publication.proposalId, skillChangeOf(publication));
    return changes;
  };
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

const fileOf = (skillName: string): string => `${skillName}/SKILL.md`;
