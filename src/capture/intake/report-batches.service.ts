import { Injectable } from '@nestjs/common';
import type { Reporter } from '../../access/identity/reporter.js';
import { receiveLines } from '../../platform/http/line-batch.js';
import { ExecutionReport } from '../report/execution-report.schema.js';
import type { BatchReceipt, ReportLines } from '../store/executions.schema.js';
import { Executions } from './executions.service.js';

/** Receives many reports in one request, one JSON document per line. */
@Injectable()
export class ReportBatches {
  constructor(private readonly executions: Executions) {}

  /**
   * Stores every line that would be accepted as a single report and returns the problem of every other line. Returns
   * after all accepted lines are committed. Throws errors that are not caused by a line; the client can then send the
   * same batch again.
   */
  async receive(actor: Reporter, lines: ReportLines): Promise<BatchReceipt> {
    const results = await receiveLines(lines, ExecutionReport, async (report) => {
      const { agent: _agent, ...receipt } = await this.executions.report(actor, report);
      return receipt;
    });
    return { agent: actor.name, ...results };
  }
}
