import { Injectable } from '@nestjs/common';
import { ProposalQueue } from '../../approvals/queue/proposal-queue.service.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import type {
  CandidateList,
  CandidateQuery,
  FamilyDetails,
  FamilyList,
  FamilyQuery,
  StoredFamily,
} from './candidates.schema.js';
import { CycleRepository } from './cycle.repository.js';
import type { Cycle } from './cycles.schema.js';

/** What the newest completed cycle examined: its candidates with their verdicts, and its families with their dossiers. */
@Injectable()
export class ExaminedFamilies {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly cycles: CycleRepository,
    private readonly queue: ProposalQueue,
  ) {}

  /** Returns a page of candidates, those that became no draft first. */
  async candidates({ verdict, limit, after }: CandidateQuery): Promise<CandidateList> {
    const cycle = await this.cycles.findNewestCompleted(this.database.client);
    const all = cycle?.report?.candidateList ?? [];
    const wanted = verdict === undefined ? all : all.filter((row) => row.verdict === verdict);
    return { cycle: nameOf(cycle), ...pageOf(wanted, ({ id }) => id, { limit, after }) };
  }

  /** Returns a page of families, those of the most executions first. */
  async families({ limit, after }: FamilyQuery): Promise<FamilyList> {
    const { cycle, stored } = await this.newest();
    const families = stored.map(({ family }) => family);
    return { cycle: nameOf(cycle), ...pageOf(families, ({ fingerprint }) => fingerprint, { limit, after }) };
  }

  /** Throws `not_found` if the newest cycle did not examine the family. */
  async family(fingerprint: string): Promise<FamilyDetails> {
    const { cycle, stored } = await this.newest();
    const found = stored.find(({ family }) => family.fingerprint === fingerprint);
    if (!cycle || !found)
      throw new DomainError('not_found', 'evolver.unknown_family', `The newest cycle has no family ${fingerprint}.`);
    const candidates = (cycle.report?.candidateList ?? []).filter(({ family }) => family.fingerprint === fingerprint);
    const proposals = await this.queue.ofFamily(fingerprint);
    return { ...found, candidates, proposals };
  }

  private async newest(): Promise<{ cycle: Cycle | undefined; stored: StoredFamily[] }> {
    const cycle = await this.cycles.findNewestCompleted(this.database.client);
    return { cycle, stored: cycle ? await this.cycles.findFamilies(this.database.client, cycle.id) : [] };
  }
}

function nameOf(cycle: Cycle | undefined): CandidateList['cycle'] {
  return cycle ? { id: cycle.id, finishedAt: cycle.finishedAt ?? cycle.startedAt } : null;
}

/** The rows after the one with the id `after`; nothing if there is no such row. */
function pageOf<T>(
  rows: readonly T[],
  idOf: (row: T) => string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): { items: T[]; total: number; next: string | null } {
  const at = after === undefined ? -1 : rows.findIndex((row) => idOf(row) === after);
  const from = after !== undefined && at < 0 ? rows.length : at + 1;
  const items = rows.slice(from, from + limit);
  const last = items.at(-1);
  return { items, total: rows.length, next: last && from + limit < rows.length ? idOf(last) : null };
}
