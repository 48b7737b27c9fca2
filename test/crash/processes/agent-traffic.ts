import { type Transcript, transcripts } from '../../../bench/evolve-fleet.js';
import { GuildbookError } from '../../../src/client/guildbook.js';
import { report } from '../../support/reports.js';
import type { SeededChoices } from '../seeded-choices.js';
import type { Acknowledged } from './acknowledged.js';
import type { FleetClient } from './fleet-client.js';

const TRANSCRIPTS = 400;
const CATEGORIES = 6;
const MINUTE = 60_000;

export interface FleetAgent {
  readonly name: string;
  readonly id: string;
  readonly token: string;
}

/** What one agent does, one request after the other: reports, lessons, recalls, uses of skills, starts of sessions. */
export class AgentTraffic {
  private readonly work: readonly Transcript[];
  private made = 0;

  constructor(
    private readonly agent: FleetAgent,
    private readonly choices: SeededChoices,
    private readonly fleet: FleetClient,
    private readonly acknowledged: Acknowledged,
    /** The skills that are live, as the reviewer last saw them. */
    private readonly skills: () => readonly string[],
  ) {
    this.work = transcripts(TRANSCRIPTS, CATEGORIES, choices.below(1_000_000));
  }

  /** Until `isOver`. The last request is answered before it returns. */
  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      this.made += 1;
      const roll = this.choices.below(20);
      if (roll < 9) await this.reports();
      else if (roll < 12) await this.remembers();
      else if (roll < 13) await this.recalls();
      else if (roll < 15) await this.uses();
      // Many, since a process under this load answers most of them after the deadline of a hook: with nothing.
      else await this.starts();
    }
  }

  private get key(): string {
    return `${this.agent.name.replaceAll(' ', '-')}-${this.made}`;
  }

  private async reports(): Promise<void> {
    const calls = this.work[this.made % this.work.length]?.calls ?? [];
    const finished = Date.now();
    // The ids are stored as references, the title as it is.
    const sent = report({
      executionId: `execution-${this.key}`,
      taskTitle: this.key,
      taskId: `task-${this.key}`,
      sessionId: `session-${this.key}`,
      startedAt: new Date(finished - MINUTE).toISOString(),
      finishedAt: new Date(finished).toISOString(),
      toolCalls: [...calls],
    });
    const { answer } = await this.fleet.send(this.agent.token, 'report', (client) => client.executions.report(sent));
    this.acknowledged.reports.set(this.key, answer.id);
  }

  private async remembers(): Promise<void> {
    const marker = `note ${this.key}`;
    const lesson = { lesson: `Read the ledger before the booking (${marker}).`, tags: ['non-inferable'] };
    const { answer } = await this.fleet.send(this.agent.token, 'remember', (client) => client.remember(lesson));
    this.acknowledged.lessons.set(marker, answer.id);
  }

  private async recalls(): Promise<void> {
    const query = 'Read the ledger before the booking';
    await this.fleet.send(this.agent.token, 'recall', (client) => client.recall({ query }));
    this.acknowledged.recalls += 1;
  }

  private async uses(): Promise<void> {
    const live = this.skills();
    const name = live[this.made % Math.max(1, live.length)];
    if (name === undefined) return;
    const use = { executionId: `used-${this.key}`, event: 'loaded', at: new Date().toISOString() } as const;
    try {
      await this.fleet.send(this.agent.token, 'use', (client) => client.skills.use(name, use));
      const key = `${name} ${this.agent.id}`;
      this.acknowledged.uses.set(key, (this.acknowledged.uses.get(key) ?? 0) + 1);
    } catch (error) {
      // Retired meanwhile.
      if (!(error instanceof GuildbookError)) throw error;
    }
  }

  private async starts(): Promise<void> {
    const session = `started-${this.key}`;
    const body = { session_id: session, cwd: '/home/ada/shop', source: 'startup', hook_event_name: 'SessionStart' };
    const { answer } = await this.fleet.send(this.agent.token, 'hook', (client) => client.hook('SessionStart', body));
    const text = JSON.stringify(answer);
    if (text.includes('additionalContext')) this.acknowledged.starts.set(session, { agentId: this.agent.id, text });
  }
}
