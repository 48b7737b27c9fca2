import type { Reporter } from '../../src/access/identity/reporter.js';
import { CaptureWorker } from '../../src/capture/analysis/capture-worker.service.js';
import { Executions } from '../../src/capture/intake/executions.service.js';
import { countedCalls } from '../../src/capture/report/call-lineage.js';
import type { ExecutionReport } from '../../src/capture/report/execution-report.schema.js';
import { ExecutionReader } from '../../src/capture/store/execution-reader.service.js';
import { finishCycleFrom } from '../../src/evolve/cycle/cycle.js';
import { EvolveModule } from '../../src/evolve/evolve.module.js';
import { WindowReader } from '../../src/evolve/window/window-reader.service.js';
import { DAY_MS, HOUR_MS } from '../../src/platform/base/durations.js';
import { CYCLE_DEFAULTS } from '../support/cycles.js';
import { startServices, type TestServices } from '../support/services.js';
import { type History, reportBy } from './history.js';

const KNOWN = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };

/** A database in which each history is counted in a separate window. */
export class CountedHistories {
  private serial = 0;

  private constructor(
    private readonly services: TestServices,
    /** By agent: as it is connected, and as an import with an agent for each file names it. */
    private readonly agents: readonly { readonly own: Reporter; readonly byFile: Reporter }[],
  ) {}

  static async start(): Promise<CountedHistories> {
    const services = await startServices(EvolveModule);
    const agents: { own: Reporter; byFile: Reporter }[] = [];
    for (const name of ['Ada', 'Ben', 'Cleo'])
      agents.push({
        own: await services.agent(name, `team of ${name}`),
        byFile: await services.agent(`${name} by file`, `team of ${name}`),
      });
    return new CountedHistories(services, agents);
  }

  close(): Promise<void> {
    return this.services.close();
  }

  /** What counts of the sessions of a history, each reported once, in their order. */
  once({ sessions }: History) {
    return this.counted(async (send, place) => {
      for (const session of sessions) await send(session.agent, 'own', reportBy('transcript', session, place));
    });
  }

  /** What counts of its mixture. */
  mixed({ sessions, more, places, captureAfter }: History) {
    return this.counted(async (send, place) => {
      const reports = sessions.map((session, n) => ({ session, road: 'transcript' as const, place: places[n] ?? 0 }));
      const others = more.flatMap(({ session: at, ...rest }) => {
        const session = sessions[at % sessions.length];
        return session === undefined ? [] : { ...rest, session };
      });
      const all = [...reports, ...others].sort((a, b) => a.place - b.place);
      for (const [n, { session, road }] of all.entries()) {
        await send(session.agent, road === 'by file' ? 'byFile' : 'own', reportBy(road, session, place, n));
        if (n % captureAfter === 0) await this.capture();
      }
    });
  }

  private async counted(
    sending: (
      send: (agent: number, as: 'own' | 'byFile', report: ExecutionReport) => Promise<unknown>,
      place: { readonly name: string; readonly began: Date },
    ) => Promise<void>,
  ) {
    const { clock } = this.services;
    clock.advance(DAY_MS);
    this.serial += 1;
    const from = clock.now();
    await sending(
      async (agent, as, report) => {
        const sender = this.agents[agent]?.[as];
        if (sender !== undefined) await this.services.get(Executions).report(sender, report);
      },
      { name: `h${this.serial}`, began: new Date(from.getTime() - 12 * HOUR_MS) },
    );
    await this.capture();
    clock.advance(HOUR_MS);
    return this.evidence(from, clock.now());
  }

  private async capture(): Promise<void> {
    this.services.get(CaptureWorker).wake();
    await this.services.get(CaptureWorker).idle();
  }

  private async evidence(from: Date, to: Date) {
    const { reader } = await this.services.get(WindowReader).advance(undefined, { from, to });
    const settings = { ...CYCLE_DEFAULTS, minConfidenceForProposal: 0.5 };
    const { drafts, unsolved, overcome, executionsRead, patterns, kept } = await finishCycleFrom(
      this.services.get(ExecutionReader),
      reader,
      KNOWN,
      settings,
    );
    const executions = this.services.get(ExecutionReader);
    const ids: string[] = [];
    for await (const { observed } of executions.read(from, to)) ids.push(observed.executionId);
    const calls: string[] = [];
    let failures = 0;
    for await (const { observed, report } of executions.readReported(ids)) {
      calls.push(...countedCalls(report.toolCalls).map(({ action, ok }) => `${action} ${ok}`));
      failures += observed.episodes.reduce((sum, episode) => sum + episode.failures, 0);
    }
    // The lesson of a later state of a session replaces that of an earlier one.
    const { analysisPayload } = this.services.database.client;
    const lessons = await analysisPayload.count({ where: { executionId: { in: ids } } });
    return {
      counts: { executionsRead, patterns, kept, failures, lessons, calls: calls.sort() },
      proposals: drafts.map(({ fingerprints, text, evidence }) => ({
        fingerprints,
        // Which of the executions is the example depends on the ids that the server gave them, and a trace knows less
        // of the machine than a transcript.
        text: { ...text, example: undefined, environment: undefined },
        ...figures(evidence.counts),
        using: evidence.using,
        chosen: evidence.chosen.outcome,
      })),
      unsolved: unsolved.map(({ fingerprint, counts }) => ({ fingerprint, ...figures(counts) })),
      overcome: overcome.map(({ fingerprint, counts }) => ({ fingerprint, ...figures(counts) })),
    };
  }
}

/** Without the names of agents: those of an import by file are others. */
const figures = ({ executions, failures, distinctAgents, owners, tasks, independentOwners }: Figures): Figures => ({
  executions,
  failures,
  distinctAgents,
  owners,
  tasks,
  independentOwners,
});

interface Figures {
  readonly executions: number;
  readonly failures: number;
  readonly distinctAgents: number;
  readonly owners: number;
  readonly tasks: number;
  readonly independentOwners: number;
}
