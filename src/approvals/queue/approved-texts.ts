import type { AgentGroup } from '../../access/identity/review-scope.js';
import type { Verdict } from '../../evidence/predicate/check.schema.js';
import type { ProposedSkill } from '../proposals/proposed-skill.schema.js';
import type { WrittenPart } from '../texts/authorship.js';

/** What an approved proposal says, and what of its evidence decides which of two skills stays. */
export interface ApprovedTexts {
  readonly fingerprints: readonly string[];
  readonly applicability: string;
  readonly texts: ProposedSkill;
  readonly audience: readonly AgentGroup[];
  readonly agents: number;
  readonly executions: number;
  readonly verdict: Verdict | null;
  /** The parts that a person wrote. */
  readonly authored: readonly WrittenPart[];
  /** `rules`, or a provider with a model. */
  readonly writer: string;
}
