import { Injectable } from '@nestjs/common';
import type { AgentActor } from '../../journal/actor.js';
import { BeforeBackgroundWork, RequestPriority } from '../../platform/background/request-priority.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Database } from '../../platform/database/database.js';
import { fieldErrors } from '../../platform/http/request.pipe.js';
import type { Redaction } from '../../untrusted/text/redaction.js';
import { PayloadRepository } from '../analysis/payload.repository.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import { sumRedactions } from '../report/redaction-sum.js';
import { sanitiseReport } from '../report/sanitised-report.js';
import { ExecutionRepository } from '../store/execution.repository.js';
import type { AgentRunCounts, ExecutionList, LearningStatus, ReportReceipt } from '../store/executions.schema.js';
import { ReportWriter } from './report-writer.service.js';

/** Finished executions come in here. */
@Injectable()
export class Executions {
  constructor(
    private readonly database: Database,
    private readonly executions: ExecutionRepository,
    private readonly payloads: PayloadRepository,
    private readonly writer: ReportWriter,
    readonly priority: RequestPriority,
  ) {}

  /**
   * Stores a finished execution, redacted before anything else sees it. The same execution twice is one; the same id
   * with other content is a conflict. What is learned from it is work for later and cannot fail the report.
   * `found`: what was redacted before the report was made.
   */
  @BeforeBackgroundWork()
  async report(actor: AgentActor, report: ExecutionReport, found: readonly Redaction[] = []): Promise<ReportReceipt> {
    const { report: value, findings: foundHere } = requireStorable(report);
    const findings = sumRedactions(found, foundHere);
    const reportSha256 = sha256(canonicalJson(value));
    const answer = { executionId: value.executionId, agent: actor.name };
    const stored = await this.writer.write({ actor, report: value, reportSha256, findings });
    if (stored !== undefined) return { id: stored, duplicate: false, ...answer };
    const known = await this.executions.findReported(this.database.client, actor.id, value.executionId);
    if (!known) throw new Error('an execution was refused as a duplicate and is not there');
    if (known.reportSha256 !== reportSha256)
      throw new DomainError(
        'conflict',
        'execution.content_differs',
        `Execution "${value.executionId}" was reported before with other content. The first report stands.`,
        [{ field: 'executionId', message: 'was used for another report' }],
      );
    return { id: known.id, duplicate: true, ...answer };
  }

  async list(limit: number, after?: string): Promise<ExecutionList> {
    const items = await this.executions.list(this.database.client, limit, after);
    const total = await this.executions.count(this.database.client);
    return { items, total, next: items.length === limit ? (items.at(-1)?.id ?? null) : null };
  }

  async show(id: string) {
    const found = await this.executions.find(this.database.client, id);
    if (!found) throw new DomainError('not_found', 'execution.not_found', `There is no execution ${id}.`);
    return { ...found.summary, report: found.report };
  }

  /** The agents that reported since, those with the most failed executions first. */
  countRunsByAgent(since: Date): Promise<AgentRunCounts[]> {
    return this.executions.countByAgent(this.database.client, since);
  }

  async status(): Promise<LearningStatus> {
    const client = this.database.client;
    return {
      executions: await this.executions.count(client),
      awaitingCapture: await this.executions.count(client, 'pending'),
      awaitingProposal: await this.payloads.countPending(client),
      skipped: await this.executions.countSkippedByReason(client),
    };
  }
}

/** Refused with the names of the fields: what could not be read again is not stored (spec L1). */
function requireStorable(raw: ExecutionReport) {
  const sanitised = sanitiseReport(raw);
  if (sanitised.usable) return sanitised;
  const fields = sanitised.issues.slice(0, 50).flatMap(fieldErrors);
  throw new DomainError(
    'invalid',
    'execution.unusable_text',
    `${fields[0]?.field}: nothing that can be stored is left of it once secrets and invisible characters are gone.`,
    fields,
  );
}
