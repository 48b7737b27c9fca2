import { Inject, Injectable } from '@nestjs/common';
import { type Caller, canAdminister } from '../../access/identity/caller.js';
import { ReporterResolver } from '../../access/identity/reporter-resolver.service.js';
import { readPastedTranscript } from '../../capture/formats/pasted-transcript.js';
import { Executions } from '../../capture/intake/executions.service.js';
import { enoughSupport } from '../../evolve/support/support.schema.js';
import { supportLevel } from '../../evolve/support/support-level.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { DAY_MS } from '../../platform/base/durations.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';

/** Errors that concern only one report of a transcript. */
const ONE_REPORT = new Set(['invalid', 'conflict']);

export interface PasteResult {
  readonly taken: number;
  readonly known: number;
  readonly left: readonly { readonly reason: string; readonly n: number }[];
}

/** The first-run page: imports pasted transcripts and shows the executions that have arrived. */
@Injectable()
export class FirstRun {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly executions: Executions,
    private readonly reporters: ReporterResolver,
  ) {}

  async arrivals(caller: Caller) {
    const { executions, awaitingCapture, awaitingProposal } = await this.executions.status();
    const since = new Date(this.clock.now().getTime() - this.config.evolverWindowDays * DAY_MS);
    const agents = executions === 0 ? 0 : (await this.executions.countRunsByAgent(since)).length;
    return {
      isWaiting: executions === 0,
      executions,
      agents,
      support: enoughSupport(supportLevel(agents, this.config.minAgentsForPattern)),
      pending: awaitingCapture + awaitingProposal,
      canRun: canAdminister(caller),
    };
  }

  /**
   * Reports the executions of a pasted transcript for that agent. The text itself is not stored. Returns what was
   * imported, or the problem.
   */
  async importTranscript(caller: Caller, agent: string, text: string): Promise<PasteResult | { problem: string }> {
    const read = readPastedTranscript(text, this.clock.now().toISOString());
    if ('formats' in read) return { problem: `Unknown format. Supported formats: ${read.formats.join(', ')}.` };
    if (read.reports.length === 0) return { problem: 'The transcript contains no finished execution.' };
    const reporter = await this.reporters.resolve(caller, agent);
    const left = new Map(read.omitted.map(({ reason, count }) => [reason, count]));
    let [taken, known] = [0, 0];
    for (const report of read.reports)
      try {
        const { duplicate } = await this.executions.report(reporter, report);
        taken += 1;
        known += duplicate ? 1 : 0;
      } catch (error) {
        if (!(error instanceof DomainError && ONE_REPORT.has(error.kind))) throw error;
        left.set(error.code, (left.get(error.code) ?? 0) + 1);
      }
    return {
      taken,
      known,
      left: [...left].map(([reason, n]) => ({ reason, n })),
    };
  }
}
