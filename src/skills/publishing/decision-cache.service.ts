import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { type PublicationFacts, PublicationRepository } from './publication.repository.js';
import type { RecordedDecision } from './reconcile.js';

/** All decisions about skills, in the order in which they were made. */
export interface CachedDecisions {
  readonly decisions: readonly RecordedDecision[];
  /** Changes whenever a decision changes. */
  readonly revision: number;
}

/** Caches the decisions that git is compared with. Only changed parts are read again. */
@Injectable()
export class DecisionCache {
  private readonly parts = new Map<number, { readonly sum: string; readonly facts: PublicationFacts[] }>();
  private known: CachedDecisions = { decisions: [], revision: 0 };

  constructor(
    private readonly database: Database,
    private readonly publications: PublicationRepository,
  ) {}

  async current(): Promise<CachedDecisions> {
    const sums = new Map([...this.parts].map(([part, { sum }]) => [part, sum]));
    const changed = await this.publications.changedFacts(this.database.client, sums);
    if (changed.length === 0) return this.known;
    for (const { part } of changed) this.parts.delete(part);
    for (const fact of changed) {
      const part = this.parts.get(fact.part) ?? { sum: fact.sum, facts: [] };
      part.facts.push(fact);
      this.parts.set(fact.part, part);
    }
    const all = [...this.parts.values()].flatMap(({ facts }) => facts).sort(inOrder);
    this.known = { decisions: all.flatMap(decisionsOf), revision: this.known.revision + 1 };
    return this.known;
  }
}

function inOrder(a: PublicationFacts, b: PublicationFacts): number {
  return a.decidedAt.getTime() - b.decidedAt.getTime() || Number(a.journalSeq - b.journalSeq);
}

/** A rename is a decision about two names: the new one has the file, the old one has none. */
function decisionsOf({
  proposalId,
  skillName,
  renamedFrom,
  kind,
  artifactSha256,
  commit,
}: PublicationFacts): RecordedDecision[] {
  const sha256 = kind === 'retire' ? undefined : artifactSha256;
  const decision = { proposalId, name: skillName, sha256, commit: commit ?? undefined };
  return renamedFrom === null ? [decision] : [decision, { ...decision, name: renamedFrom, sha256: undefined }];
}
