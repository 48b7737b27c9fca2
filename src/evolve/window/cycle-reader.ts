import type { Attribution } from '../../capture/errors/attribution.js';
import type { ExecutionObservations } from '../../capture/observations/observation.js';
import { FamilyIndex } from '../evidence/family-index.js';
import type { KnownFindings } from '../examination/window-examination.js';
import type { CountRecord } from '../support/count-records.schema.js';
import { TaskOutcomes } from '../support/task-outcomes.js';

/**
 * Reads executions one at a time and keeps only aggregates, so that a window can be streamed from a database cursor.
 * Takes stored observations as they are, so that no execution is parsed twice.
 */
export class CycleReader {
  readonly index = new FamilyIndex();
  /** What earlier cycles of this process found, by family. */
  readonly known: KnownFindings = new Map();
  readonly tasks = new TaskOutcomes();
  readonly excludedFailures: Partial<Record<Attribution, number>> = {};

  /** Returns false, without counting, if the execution is already counted. */
  add(observed: ExecutionObservations): boolean {
    const { agentId, owner } = observed.support;
    // Counts that were made with an earlier name or owner are not those of the window.
    this.renameAgent(agentId, observed.agentName, owner);
    const isNew = this.index.add(observed);
    if (isNew) this.countExcused(observed, 1);
    if (isNew) this.tasks.add(observed);
    return isNew;
  }

  has(executionId: string): boolean {
    return this.index.ledger.numberOf(executionId) !== undefined;
  }

  /** Moves an execution under another root, because its parent was reported later. */
  reparent({ executionId, support }: ExecutionObservations): void {
    if (this.index.ledger.setRoot(executionId, support.root)) this.index.recount();
  }

  renameAgent(agentId: string, name: string, owner: string): void {
    if (!this.index.ledger.renameAgent(agentId, name, owner)) return;
    this.index.recount();
    this.tasks.setOwner(agentId, owner);
  }

  /** Takes an execution out that left the window. Ignores executions that {@link add} has not counted. */
  remove(observed: ExecutionObservations): void {
    if (!this.index.remove(observed)) return;
    this.countExcused(observed, -1);
    this.tasks.add(observed, -1);
  }

  /** The counts as records, without findings and reports. No execution may come or go until the last one. */
  *records(): Generator<CountRecord> {
    yield* this.index.records(this.index.ledger.savedNumbers());
    yield { of: 'excluded', calls: Object.entries(this.excludedFailures) };
    yield* this.tasks.records();
  }

  /**
   * Adds what {@link records} gave, record by record in the same order, to a reader that has read nothing. Throws a
   * SyntaxError if they do not belong together.
   */
  restore(record: CountRecord): void {
    switch (record.of) {
      case 'excluded':
        Object.assign(this.excludedFailures, Object.fromEntries(record.calls));
        break;
      case 'task':
        this.tasks.restoreTask(record);
        break;
      case 'owners':
        this.tasks.restoreOwners(record);
        break;
      default:
        this.index.restore(record);
        break;
    }
  }

  private countExcused({ excludedFailures }: ExecutionObservations, times: 1 | -1): void {
    for (const { cause, calls } of excludedFailures) {
      const now = (this.excludedFailures[cause] ?? 0) + times * calls;
      if (now > 0) this.excludedFailures[cause] = now;
      else delete this.excludedFailures[cause];
    }
  }
}
