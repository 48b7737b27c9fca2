import { Injectable } from '@nestjs/common';
import type { AgentActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { MemoryUse } from '../../memory/store/memory-use.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import { echoed } from '../../untrusted/redaction/secrets-in-identifier.js';
import { plainText } from '../../untrusted/text/plain-text.js';
import type { RolloutStage } from './rollout.repository.js';
import {
  type AppliedPerInterval,
  SkillUseRepository,
  type StoredUse,
  type UseCount,
  type UsesPerInterval,
} from './skill-use.repository.js';
import type { SkillUse, SkillUseResult } from './skill-use.schema.js';

/** Tolerance for clocks that differ: a use may be this much before its skill or after now. */
const CLOCK_SKEW_MS = 5 * MINUTE_MS;

/** Uses of skills, as agents report them. */
@Injectable()
export class SkillUses {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly org: OrgEntries,
    private readonly memoryUse: MemoryUse,
    private readonly uses: SkillUseRepository,
    private readonly references: IdentifierReferences,
  ) {}

  /**
   * Stores a use. One event of one execution is one use, however often it is reported, and in however many sessions that
   * repeat its calls: the first report is kept. An application counts on the memory entry of the version, in the same
   * transaction. Retired skills are accepted, because a git clone may still have them.
   */
  async report(actor: AgentActor, name: string, use: SkillUse): Promise<SkillUseResult> {
    const at = new Date(use.at);
    const versions = await this.org.history(name);
    if (versions.length === 0)
      throw new DomainError('not_found', 'skill.not_found', `There is no skill "${name}".`, [
        { field: 'name', message: 'is not the name of an approved skill' },
      ]);
    this.requirePlausibleTime(at, versions[0]);
    const entry = versionOf(versions, use, at);
    if (plainText(use.executionId).trim() === '')
      throw invalidUse('executionId', 'contains no text that can be stored');
    const stored: StoredUse = {
      skillName: name,
      version: entry.version ?? 1,
      agentId: actor.id,
      // As in the report of the execution, so that the two can be joined.
      executionId: this.references.of(use.executionId),
      event: use.event,
      outcome: use.outcome,
      at,
    };
    const { client } = this.database;
    const copied = await this.uses.findCopied(client, stored);
    const isNew = copied === undefined && (await this.store(actor, stored, entry.id));
    const firstReport = isNew ? stored : (copied ?? (await this.uses.find(client, stored)));
    const { version, event, outcome } = firstReport;
    const executionId = echoed(use.executionId, stored.executionId);
    const answer = { skill: name, version, agent: actor.name, executionId, event, outcome };
    return { ...answer, at: firstReport.at.toISOString(), duplicate: !isNew };
  }

  /** Use counts of one skill, or of all skills. */
  counts(name?: string): Promise<UseCount[]> {
    return this.uses.counts(this.database.client, name);
  }

  /** Use counts of one skill per interval. */
  countsPerInterval(name: string, from: Date, until: Date, parts: number): Promise<UsesPerInterval[]> {
    return this.uses.countsPerInterval(this.database.client, name, from, until, parts);
  }

  /** How often each of these skills was applied per interval. */
  appliedPerInterval(names: readonly string[], from: Date, until: Date, parts: number): Promise<AppliedPerInterval[]> {
    return this.uses.appliedPerInterval(this.database.client, names, from, until, parts);
  }

  /** The agents that loaded or applied a version during a stage. */
  activeAgents({ skillName, version, since, until }: RolloutStage): Promise<string[]> {
    return this.uses.activeAgents(this.database.client, skillName, version, since, until);
  }

  private store(actor: AgentActor, use: StoredUse, memoryId: string): Promise<boolean> {
    const { skillName, version, executionId, event, outcome, at } = use;
    return this.database.transaction(async (tx) => {
      const inserted = await this.uses.insert(tx, { ...use, id: this.ids.uuid(), receivedAt: this.clock.now() });
      if (!inserted) return false;
      if (event === 'applied') await this.memoryUse.applied(tx, memoryId, at);
      await this.journal.append(tx, actor, {
        action: 'skill.use_reported',
        subject: { type: 'skill', id: skillName },
        data: { version, executionId, event, outcome },
      });
      return true;
    });
  }

  private requirePlausibleTime(at: Date, first: MemoryEntry | undefined): void {
    if (at.getTime() > this.clock.now().getTime() + CLOCK_SKEW_MS) throw invalidUse('at', 'is in the future');
    if (first && at.getTime() < Date.parse(first.createdAt) - CLOCK_SKEW_MS)
      throw invalidUse('at', `is before the skill was approved, ${first.createdAt}`);
  }
}

/** The named version, or else the last one that was approved by then. */
function versionOf(versions: readonly MemoryEntry[], { version }: SkillUse, at: Date): MemoryEntry {
  const entry =
    version === undefined
      ? (versions.findLast(({ createdAt }) => Date.parse(createdAt) <= at.getTime()) ?? versions[0])
      : versions.find((candidate) => candidate.version === version);
  if (!entry) throw invalidUse('version', 'is not a version of this skill');
  return entry;
}

const invalidUse = (field: string, message: string): DomainError =>
  new DomainError('invalid', 'skill.use_refused', `${field}: ${message}`, [{ field, message }]);
