import { Injectable } from '@nestjs/common';
import type { Reporter } from '../../access/identity/reporter.js';
import { Yielder } from '../../platform/background/yielder.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { jsonProblem } from '../../platform/base/json-bounds.js';
import { prototypeKeyIn } from '../../platform/base/prototype-keys.js';
import { CONSTANTS } from '../../platform/config/constants.js';
import { invalidRequest } from '../../platform/http/request.pipe.js';
import { MAX_JSON_DEPTH, prototypeKeyError } from '../../platform/http/web-server.js';
import { ExecutionReport } from '../report/execution-report.schema.js';
import type { BatchReceipt, LineReceipt, ReportLines } from '../store/executions.schema.js';
import { Executions } from './executions.service.js';

type Outcome = { readonly line: LineReceipt } | { readonly error: unknown };

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
    const outcomes: Promise<Outcome>[] = [];
    // Parsing a report takes half a millisecond: yield to other requests in between.
    const yielder = new Yielder();
    for (const [n, text] of lines.entries()) {
      if (text.trim() === '') continue;
      await yielder.yieldIfDue();
      outcomes.push(this.receiveLine(actor, n + 1, text));
    }
    const received = (await Promise.all(outcomes)).map((outcome) => {
      if ('error' in outcome) throw outcome.error;
      return outcome.line;
    });
    const count = (of: LineReceipt['outcome']) => received.filter(({ outcome }) => outcome === of).length;
    return {
      agent: actor.name,
      new: count('new'),
      duplicate: count('duplicate'),
      refused: count('refused'),
      lines: received,
    };
  }

  /** Never rejects: the caller awaits it only after all later lines are read. */
  private async receiveLine(actor: Reporter, line: number, text: string): Promise<Outcome> {
    try {
      const { agent: _agent, duplicate, ...receipt } = await this.executions.report(actor, reportIn(text));
      return { line: { line, outcome: duplicate ? 'duplicate' : 'new', ...receipt } };
    } catch (error) {
      if (!(error instanceof DomainError) || (error.kind !== 'invalid' && error.kind !== 'conflict')) return { error };
      const { code, message: detail, fields } = error;
      return { line: { line, outcome: 'refused', problem: { code, detail, errors: [...fields] } } };
    }
  }
}

function reportIn(line: string): ExecutionReport {
  const problem = jsonProblem(line, { depth: MAX_JSON_DEPTH, values: CONSTANTS.bodyLimitValues });
  if (problem !== undefined) throw new DomainError('invalid', problem.code, `The line ${problem.detail}.`);
  const parsed = ExecutionReport.safeParse(jsonIn(line));
  if (!parsed.success) throw invalidRequest(parsed.error.issues, undefined);
  return parsed.data;
}

function jsonIn(line: string): unknown {
  const parsed = parsedJson(line);
  const key = prototypeKeyIn(line, parsed);
  if (key !== undefined) throw prototypeKeyError(key);
  return parsed;
}

function parsedJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // The parser's message would quote the line.
    throw new DomainError('invalid', 'request.malformed_json', 'The line is not valid JSON.');
  }
}
