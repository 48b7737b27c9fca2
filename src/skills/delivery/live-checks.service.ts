import { Injectable } from '@nestjs/common';
import type { Check } from '../../evidence/predicate/check.schema.js';
import { pairInWords } from '../../evidence/predicate/check-words.js';
import type { JobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { LiveCheckRepository, type StoredLiveCheck } from './live-check.repository.js';
import { type LiveCheck, type LiveFinding, replacesCheck } from './live-check.schema.js';

/** What executions say about live skills. The only place that says it, so that all who show a skill say the same. */
@Injectable()
export class LiveChecks {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly checks: LiveCheckRepository,
  ) {}

  /** The check that counts, by memory. A skill without one, such as a person's own text, is missing. */
  async of(memoryIds: readonly string[], tx: SqlClient = this.database.client): Promise<Map<string, Check>> {
    const stored = await this.checks.of(tx, memoryIds);
    return new Map([...stored].map(([id, one]) => [id, countingCheck(one)]));
  }

  /** The same for people and agents to read. */
  async shown(memoryIds: readonly string[]): Promise<Map<string, LiveCheck>> {
    const stored = await this.checks.of(this.database.client, memoryIds);
    return new Map([...stored].map(([id, one]) => [id, shownCheck(one)]));
  }

  /**
   * Records what a cycle found about a live skill, and journals it if it says something else now. Approved bytes and
   * decisions stay as they are. Nothing is recorded of a skill without a check.
   */
  async record(tx: Tx, actor: JobActor, finding: LiveFinding, cycleId: string): Promise<void> {
    const known = (await this.checks.of(tx, [finding.memoryId])).get(finding.memoryId);
    if (!known) return;
    const before = countingCheck(known).verdict;
    const { verdict } = finding.check;
    const check = replacesCheck(before, verdict) ? finding.check : null;
    // What speaks against it supports nothing.
    const most = (part: (typeof PARTS)[number]): number =>
      verdict === 'refuted' ? known[part] : Math.max(known[part], finding[part]);
    const support = {
      agents: most('agents'),
      owners: most('owners'),
      projects: most('projects'),
      tasks: most('tasks'),
    };
    if (check === null && PARTS.every((part) => support[part] === known[part])) return;
    const { memoryId, skillName, version } = known;
    await this.checks.write(tx, { memoryId, check, ...support }, { cycleId, at: this.clock.now() });
    if (check === null && !(known.owners < 2 && support.owners >= 2)) return;
    await this.journal.append(tx, actor, {
      action: 'skill.check_changed',
      subject: { type: 'skill', id: skillName },
      data: {
        version,
        verdict: check?.verdict ?? before,
        before,
        says: pairInWords(finding.check),
        ...support,
        cycleId,
      },
    });
  }
}

const PARTS = ['agents', 'owners', 'projects', 'tasks'] as const;

const countingCheck = ({ approved, later }: StoredLiveCheck): Check => later ?? approved;

const shownCheck = (one: StoredLiveCheck): LiveCheck => {
  const check = countingCheck(one);
  return { verdict: check.verdict, says: pairInWords(check), since: (one.later && one.at?.toISOString()) ?? null };
};
