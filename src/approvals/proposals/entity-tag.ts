import type { Proposal } from './proposal.js';

/** Names one revision of an item, in one state. Votes do not change it: it says what was read. */
export const entityTag = ({
  revision,
  state,
  artifactSha256,
}: Pick<Proposal, 'revision' | 'state' | 'artifactSha256'>) => `"${revision}-${state}-${artifactSha256}"`;

/** Whether `If-Match` (RFC 9110 §13.1.1) lets a request through. Weak tags never match. */
export const matches = (ifMatch: string, tag: string): boolean =>
  ifMatch.split(',').some((candidate) => candidate.trim() === '*' || candidate.trim() === tag);
