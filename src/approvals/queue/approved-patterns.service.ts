import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';

/** What an approved skill answers for. */
export interface ApprovedPattern {
  readonly fingerprints: readonly string[];
  /** The models that its evidence was seen on; empty where the reports did not say. */
  readonly models: readonly string[];
  /** When the evidence was first seen, ISO 8601. */
  readonly firstSeen: string | null;
}

/** Approved items, to read, for whoever measures what their skills do. */
@Injectable()
export class ApprovedPatterns {
  constructor(
    private readonly database: Database,
    private readonly items: ApprovalRepository,
  ) {}

  async of(approvalIds: readonly string[]): Promise<Map<string, ApprovedPattern>> {
    return this.items.patterns(this.database.client, approvalIds);
  }
}
