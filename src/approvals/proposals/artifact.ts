import { sha256 } from '../../platform/base/canonical-json.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { lintSkill } from '../../skills/document/lint.js';
import { renderSkill } from '../../skills/document/render.js';
import { type Reviewed, SkillRecord } from '../../skills/document/skill-record.schema.js';
import { validateSkill } from '../../skills/document/validate.js';
import { authorOf, textsOf, type WrittenPart } from '../texts/authorship.js';
import type { Evidence, ProposedSkill } from './proposed-skill.schema.js';

interface ArtifactIdentity {
  readonly proposalId: string;
  readonly skillName: string;
  readonly version: number;
}

export interface Artifact {
  /** The SKILL.md, followed by the reference files of a long skill (`filesOf`). */
  readonly bytes: string;
  readonly sha256: string;
  /** Why it cannot be published; empty if it can. */
  readonly problems: readonly string[];
}

/** Renders the exact bytes that an approval publishes, and checks them. */
export function renderArtifact(proposal: ArtifactIdentity, proposedSkill: ProposedSkill, evidence: Evidence): Artifact {
  const bytes = artifactOf(proposal, proposedSkill, evidence);
  const problems = [
    ...validateSkill(proposal.skillName, bytes),
    ...lintSkill(bytes).map(({ path, line, message }) => `${path}, line ${line}: ${message}`),
  ];
  return { bytes, sha256: sha256(bytes), problems };
}

/** Renders the bytes. The same input always gives the same bytes. Throws `invalid` for a text that no file can hold. */
export function artifactOf(proposal: ArtifactIdentity, proposedSkill: ProposedSkill, evidence: Evidence): string {
  const record = SkillRecord.safeParse({
    name: proposal.skillName,
    title: proposedSkill.title,
    description: proposedSkill.discovery,
    condition: proposedSkill.condition,
    action: proposedSkill.action,
    ...reasonIn(proposedSkill.rationale, evidence),
    steps: proposedSkill.steps,
    gotchas: proposedSkill.gotchas,
    ...partsOf(proposedSkill),
    version: proposal.version,
    proposalId: proposal.proposalId,
    provenance: 'verified',
    ...reviewedTexts(proposedSkill, evidence),
  } satisfies SkillRecord);
  if (!record.success)
    throw new DomainError(
      'invalid',
      'proposal.not_publishable',
      `The proposal cannot become a SKILL.md: ${record.error.issues.slice(0, 5).map(sayIssue).join('; ')}`,
    );
  return renderSkill(record.data);
}

/** Entries of a list are counted from 1, as people do. */
const sayIssue = ({ path, message }: { path: readonly PropertyKey[]; message: string }): string =>
  `${path.map((part) => (typeof part === 'number' ? part + 1 : String(part))).join(' ')} ${message}`;

function partsOf({ cause, environment, example, binding, predicate, gate }: ProposedSkill) {
  return {
    ...(cause === undefined ? {} : { cause }),
    ...(environment && environment.length > 0 ? { environment } : {}),
    ...(example ? { example } : {}),
    ...(binding ? { binding } : {}),
    ...(predicate ? { predicate } : {}),
    ...(gate ? { gate } : {}),
  };
}

/** The digits of `python3` or `nvm use 20` are no figures. */
const CODE_SPAN = /`[^`]{1,700}`/g;

/**
 * Figures are on the review page: of a rationale the file holds only the sentences without them. A person's text is
 * written whole. None is also a figure.
 */
function reasonIn(rationale: string, { authored = [] }: Evidence): { rationale?: string } {
  if (authorOf(authored, { part: 'rationale', text: rationale })) return { rationale };
  const reason = rationale
    .split(/(?<=[.!?;])\s+/)
    .filter((sentence) => !/(?<![\p{L}_-])\d|^No agent\b/u.test(sentence.replace(CODE_SPAN, '')))
    .join(' ');
  if (!/\p{L}/u.test(reason)) return {};
  // a clause that lost its neighbour is a sentence
  return { rationale: reason.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()).replace(/;$/, '.') };
}

const FIELD_NAMES: Partial<Record<WrittenPart, Reviewed['fields'][number]>> = {
  title: 'title',
  discovery: 'description',
  condition: 'condition',
  cause: 'cause',
  action: 'action',
  binding: 'binding',
  environment: 'environment',
  rationale: 'rationale',
  example: 'example',
};

/** The texts that a person wrote, for the line that says so. */
function reviewedTexts(proposedSkill: ProposedSkill, { authored = [] }: Evidence): { reviewed?: Reviewed } {
  const written = textsOf(proposedSkill).filter((text) => authorOf(authored, text));
  if (written.length === 0) return {};
  const numbersOf = (wanted: WrittenPart) => written.filter(({ part }) => part === wanted).map(({ number }) => number);
  return {
    reviewed: {
      fields: written.flatMap(({ part }) => FIELD_NAMES[part] ?? []),
      steps: numbersOf('steps'),
      gotchas: numbersOf('gotchas'),
    },
  };
}
