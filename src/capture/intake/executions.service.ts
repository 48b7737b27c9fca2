import { Injectable } from '@nestjs/common';
import type { Reporter } from '../../access/identity/reporter.js';
import { BeforeBackgroundWork, RequestPriority } from '../../platform/background/request-priority.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { sumBy } from '../../platform/base/sum.js';
import { Database } from '../../platform/database/database.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import { fieldErrors } from '../../platform/http/request.pipe.js';
import { TIME_BUDGET } from '../../untrusted/redaction/redact-deep.js';
import { echoed } from '../../untrusted/redaction/secrets-in-identifier.js';
import { plainText } from '../../untrusted/text/plain-text.js';
import type { Redaction } from '../../untrusted/text/redaction.js';
import { PayloadRepository } from '../analysis/payload.repository.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import { type HashedReport, referencesOf, secretsInIdentifiers } from '../report/report-identifiers.js';
import { sumRedactions } from '../report/sanitised-report.js';
import { ExecutionRepository } from '../store/execution.repository.js';
import type {
  AgentRunCounts,
  ExecutionList,
  ExecutionQuery,
  LearningStatus,
  ReportReceipt,
} from '../store/executions.schema.js';
import { ReportSanitiser } from './report-sanitiser.service.js';
import { ReportWriter } from './report-writer.service.js';

/** Receives and reads finished executions. */
@Injectable()
export class Executions {
  constructor(
    private readonly database: Database,
    private readonly executions: ExecutionRepository,
    private readonly payloads: PayloadRepository,
    private readonly sanitiser: ReportSanitiser,
    private readonly writer: ReportWriter,
    private readonly references: IdentifierReferences,
    readonly priority: RequestPriority,
  ) {}

  /**
   * Stores a finished execution, redacted before any other component reads it. The same report twice is stored once;
   * the same id with different content is a conflict. The hooks of a session and its transcript are one execution: the
   * first report is kept, unless the session has gone on. Learning runs in the background and cannot fail the report.
   * `found`: redactions that were made before the report existed.
   */
  @BeforeBackgroundWork()
  async report(actor: Reporter, report: ExecutionReport, found: readonly Redaction[] = []): Promise<ReportReceipt> {
    const references = referencesOf(report, (identifier) => this.references.of(identifier));
    const {
      report: value,
      findings: foundHere,
      reportSha256,
    } = requireStorable(await this.sanitiser.sanitise(actor.id, report, references));
    const findings = sumRedactions(found, foundHere, secretsInIdentifiers(report));
    const withheld = countWithheld(findings);
    const answer = {
      executionId: echoed(report.executionId, value.executionId),
      agent: actor.name,
      ...(withheld > 0 ? { withheld } : {}),
    };
    const stored = await this.writer.write({
      actor,
      report: value,
      reportSha256,
      origin: this.originOf(report, value),
      findings,
    });
    if (stored?.twin !== undefined) return { ...answer, id: stored.id, duplicate: true, executionId: stored.twin };
    if (stored !== undefined) return { id: stored.id, duplicate: false, ...answer };
    const known = await this.executions.findReported(this.database.client, actor.id, value.executionId);
    if (!known) throw new Error('the execution was refused as a duplicate but is not stored');
    // How many texts the time sufficed for depends on the machine, so the hashes of such reports cannot be compared.
    const isComparable = !isCut(findings) && !isCut(known.findings);
    if (isComparable && known.reportSha256 !== reportSha256)
      throw new DomainError(
        'conflict',
        'execution.content_differs',
        `Execution "${answer.executionId}" was already reported with different content. The first report is kept.`,
        [{ field: 'executionId', message: 'is already used by another report' }],
      );
    return { id: known.id, duplicate: true, ...answer };
  }

  /**
   * Of the text before redaction, because two tasks whose titles differ in an id are two tasks. As a keyed hash where
   * redaction changed the text; otherwise the text is stored anyway, and every installation has the same origin for it.
   */
  private originOf(
    { taskTitle, taskDescription = '', sources = [] }: ExecutionReport,
    stored: ExecutionReport,
  ): string {
    const text = { taskTitle: plainText(taskTitle), taskDescription: plainText(taskDescription) };
    const origin = originOf({ ...text, sources });
    return origin === originOf(stored) ? origin : this.references.keyOf(origin);
  }

  /**
   * The newest executions; with `executionId`, those that their agents reported under this id; with `proposal`, those
   * that it counts; with `agent`, those of the agent of this name.
   */
  async list({ limit, after, executionId, proposal, agent }: ExecutionQuery): Promise<ExecutionList> {
    const { client } = this.database;
    const reference = executionId === undefined ? undefined : this.references.of(executionId);
    const where = {
      ...(reference === undefined ? {} : { executionId: reference }),
      ...(agent === undefined ? {} : { agent: { name: agent } }),
      ...(proposal === undefined ? {} : { id: { in: await this.executions.findEvidence(client, proposal) } }),
    };
    const items = await this.executions.list(client, limit, after, where);
    const total = await this.executions.count(client, where);
    return { items, total, next: items.length === limit ? (items.at(-1)?.id ?? null) : null };
  }

  async show(id: string) {
    const found = await this.executions.find(this.database.client, id);
    if (!found) throw new DomainError('not_found', 'execution.not_found', `There is no execution ${id}.`);
    return { ...found.summary, report: found.report };
  }

  /** The names of the agents of those executions that are stored. */
  async agentNames(ids: readonly string[]): Promise<Map<string, string>> {
    return ids.length === 0 ? new Map() : this.executions.agentNames(this.database.client, ids);
  }

  /** The agents that reported since `since`, those with the most failed executions first. */
  countRunsByAgent(since: Date): Promise<AgentRunCounts[]> {
    return this.executions.countByAgent(this.database.client, since);
  }

  async status(): Promise<LearningStatus> {
    const client = this.database.client;
    return {
      executions: await this.executions.count(client),
      awaitingCapture: await this.executions.count(client, { captureState: 'pending' }),
      awaitingProposal: await this.payloads.countPending(client),
      skipped: await this.executions.countSkippedByReason(client),
    };
  }
}

const isCut = (findings: readonly Redaction[]): boolean => findings.some(({ rule }) => rule === TIME_BUDGET);

/** The number of texts that were withheld as a whole. */
function countWithheld(findings: readonly Redaction[]): number {
  return sumBy(findings, ({ rule, count }) => (rule === TIME_BUDGET || rule === 'unscannable' ? count : 0));
}

/**
 * Returns the redacted report, or refuses it with the names of the fields. A report that its own schema rejects after
 * redaction could never be read again, so it is not stored.
 */
function requireStorable(sanitised: HashedReport): Extract<HashedReport, { usable: true }> {
  if (sanitised.usable) return sanitised;
  const fields = sanitised.issues.slice(0, 50).flatMap(fieldErrors);
  throw new DomainError(
    'invalid',
    'execution.unusable_text',
    `${fields[0]?.field}: is empty or invalid after secrets and invisible characters are removed.`,
    fields,
  );
}

/**
 * Identifies where a task came from: the hash of its normalised text and its hashed sources. Executions of one origin
 * count once, however many agents worked on it, because they are not independent evidence.
 */
export function originOf(report: Pick<ExecutionReport, 'taskTitle' | 'taskDescription' | 'sources'>): string {
  const text = `${report.taskTitle}\n${report.taskDescription ?? ''}`
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return sha256(canonicalJson({ text, sources: [...new Set(report.sources ?? [])].sort() }));
}
