import type { Proposal } from './proposal.js';

/**
 * The entity tag of a proposal at its revision and state. Votes do not change it, because they do not change its
 * content.
 */
export const entityTag = ({
  revision,
  state,
  artifactSha256,
}: Pick<Proposal, 'revision' | 'state' | 'artifactSha256'>) => `"${revision}-${state}-${artifactSha256}"`;

/** Whether `If-Match` (RFC 9110 §13.1.1) matches the tag. Weak tags never match. */
export const matches = (ifMatch: string, tag: string): boolean =>
  ifMatch.split(',').some((candidate) => candidate.trim() === '*' || candidate.trim() === tag);
