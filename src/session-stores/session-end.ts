import type { Clock } from '../platform/base/clock.js';
import { optional } from '../platform/base/optional.js';
import { parseInput } from '../sessions/entries/entry.js';
import { SessionMemoryError } from '../sessions/entries/session-memory.errors.js';
import {
  CheckedOutcome,
  type SessionEntry,
  type SessionFigures,
  type SessionOutcome,
  type SummaryText,
} from '../sessions/entries/session-memory.schema.js';
import { durationOf } from '../sessions/entries/session-overview.js';
import { summaryByRules } from '../sessions/entries/session-summary.js';
import { type Summariser, summaryWithin } from './summariser.js';

export interface EndedSession {
  readonly summary: SummaryText;
  readonly by: 'rules' | 'summarise';
  readonly figures: SessionFigures;
  /** ISO 8601 in UTC. */
  readonly endedAt: string;
}

/** The end of a session, once: its summary, by the caller's function or by the rules. */
export class SessionEnd {
  readonly startedAt: string;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly settings: { readonly clock: Clock; readonly summariser?: Summariser },
    private readonly memory: {
      entries(): Promise<readonly SessionEntry[]>;
      write(ended: EndedSession): Promise<unknown>;
    },
  ) {
    this.startedAt = settings.clock.now().toISOString();
  }

  requireOpen(): void {
    if (this.closing) throw new SessionMemoryError('memory.closed', 'the memory of this session is closed');
  }

  async close(outcome: SessionOutcome): Promise<void> {
    parseInput(CheckedOutcome, { turns: outcome.turns, costUsd: outcome.costUsd, report: outcome.report });
    this.closing ??= this.summarise(outcome).catch((error: unknown) => {
      // The caller may try again.
      this.closing = undefined;
      throw error;
    });
    return this.closing;
  }

  private async summarise(outcome: SessionOutcome): Promise<void> {
    const entries = await this.memory.entries();
    if (entries.length === 0 && Object.keys(outcome).length === 0) return;
    const said = entries.filter(({ kind }) => kind !== 'session-summary');
    const draft = summaryByRules(said, outcome);
    const written = await summaryWithin(this.settings.summariser, { ...outcome, entries, draft });
    const endedAt = this.settings.clock.now().toISOString();
    const figures = figuresOf(this.startedAt, endedAt, outcome);
    await this.memory.write({ summary: written ?? draft, by: written ? 'summarise' : 'rules', figures, endedAt });
  }
}

/** Duration, turns and cost of a session, from its report as far as there is one. */
export function figuresOf(
  startedAt: string,
  endedAt: string,
  { report, turns, costUsd }: SessionOutcome = {},
): SessionFigures {
  const [from, to] = report === undefined ? [startedAt, endedAt] : [report.startedAt, report.finishedAt];
  return {
    ...durationOf(new Date(from), new Date(to)),
    ...optional('turns', turns ?? report?.turnCount),
    ...optional('costUsd', costUsd === undefined ? undefined : Math.round(costUsd * 10_000) / 10_000),
  };
}
