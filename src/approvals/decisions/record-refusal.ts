import { Injectable, Logger } from '@nestjs/common';
import { z } from 'zod';
import type { Caller } from '../../access/identity/caller.js';
import { jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { DomainError, type ErrorKind } from '../../platform/base/domain.errors.js';
import { Database } from '../../platform/database/database.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';

const ACTION = 'proposal.refused';
const MAX_REMEMBERED = 10_000;
const Refusal = z.object({ code: z.string(), by: z.object({ id: z.string() }) });

const REFUSALS: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['forbidden', 'conflict', 'precondition_failed']);

/** Whether the error refuses a decision, unlike a mistake in the request. */
export const isRefusal = (error: unknown): error is DomainError =>
  error instanceof DomainError && REFUSALS.has(error.kind);

/** A proposal by its id, or a live skill by its name. */
export interface DecisionSubject {
  readonly type: 'proposal' | 'skill';
  readonly id: string;
}

/**
 * Records refused decisions in the journal, in a transaction separate from the one that failed. Each combination of
 * subject, caller and error code is recorded once, so that a caller cannot fill the journal by repeating a request.
 */
@Injectable()
export class RecordRefusal {
  private readonly logger = new Logger(RecordRefusal.name);
  private readonly seen = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
    private readonly org: OrgEntries,
  ) {}

  /** Never throws, so that the caller receives the original refusal. */
  async record(subject: DecisionSubject, { id, kind, name }: Caller, code: string): Promise<void> {
    const key = [subject.type, subject.id, id, code].join(' ');
    if (this.seen.has(key)) return;
    if (this.seen.size >= MAX_REMEMBERED) this.seen.clear();
    this.seen.add(key);
    try {
      if (await this.isNew(subject, id, code))
        await this.database.transaction((tx) =>
          this.journal.append(tx, jobActor('gate'), {
            action: ACTION,
            subject: { ...subject },
            data: { code, by: { id, kind, name } },
          }),
        );
    } catch (error) {
      this.seen.delete(key);
      this.logger.error(`a refused decision could not be journalled: ${error instanceof Error ? error.name : 'error'}`);
    }
  }

  /**
   * Whether the refusal is not in the journal yet. False for unknown ids and names, so that invented ones leave no
   * entry.
   */
  private async isNew(subject: DecisionSubject, callerId: string, code: string): Promise<boolean> {
    const known =
      subject.type === 'proposal'
        ? await this.proposals.find(this.database.client, subject.id)
        : await this.org.liveSkill(subject.id);
    if (!known) return false;
    const { items } = await this.journal.list({
      subject: subject.id,
      action: ACTION,
      after: 0,
      limit: 500,
      order: 'newest',
    });
    return !items.some(({ data }) => {
      const refusal = Refusal.safeParse(data);
      return refusal.success && refusal.data.by.id === callerId && refusal.data.code === code;
    });
  }
}
