import { Injectable } from '@nestjs/common';
import { ExecutionReader } from '../../capture/store/execution-reader.service.js';
import type { CaseSource } from '../cases/reading.js';
import type { ReportedExecution } from '../evidence/recorded-execution.js';

/** The stored executions whose calls the drafts of a cycle show. */
@Injectable()
export class StoredCases implements CaseSource {
  constructor(private readonly executions: ExecutionReader) {}

  async read(ids: readonly string[]): Promise<readonly ReportedExecution[]> {
    const found: ReportedExecution[] = [];
    for await (const { observed, report } of this.executions.readReported(ids)) found.push({ observed, report });
    return found;
  }
}
