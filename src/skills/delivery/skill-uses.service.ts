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
import { redact } from '../../untrusted/redaction/redact.js';
import type { RolloutStage } from './rollout.repository.js';
import {
  type AppliedPerInterval,
  SkillUseRepository,
  type StoredUse,
  type UseCount,
  type UsesPerInterval,
} from './skill-use.repository.js';
import type { SkillUse, SkillUseResult } from './skill-use.schema.js';

/** Clocks differ: by this much, a use may come before its skill or after now. */
const CLOCK_SKEW_MS = 5 * MINUTE_MS;

/** What agents say that they did with a skill. */
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
  ) {}

  /**
   * Stores a use. One event of one execution is one use, however often it is reported: the first report stands. What was
   * applied counts on the version's memory entry, in the same transaction. Retired skills are known: a clone may have them.
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
    // As the report of the execution is stored, so that the two find each other.
    const executionId = redact(use.executionId).text;
    if (executionId.trim() === '') throw invalidUse('executionId', 'holds nothing that can be stored');
    const stored: StoredUse = {
      skillName: name,
      version: entry.version ?? 1,
      agentId: actor.id,
      executionId,
      event: use.event,
      outcome: use.outcome,
      at,
    };
    const isNew = await this.store(actor, stored, entry.id);
    const standing = isNew ? stored : await this.uses.find(this.database.client, stored);
    const { version, event, outcome } = standing;
    const answer = { skill: name, version, agent: actor.name, executionId, event, outcome };
    return { ...answer, at: standing.at.toISOString(), duplicate: !isNew };
  }

  /** Of every skill, or of one. */
  counts(name?: string): Promise<UseCount[]> {
    return this.uses.counts(this.database.client, name);
  }

  /** Of one skill, over the parts of a stretch of time. */
  countsPerInterval(name: string, from: Date, until: Date, parts: number): Promise<UsesPerInterval[]> {
    return this.uses.countsPerInterval(this.database.client, name, from, until, parts);
  }

  /** How often each of them was applied, over the parts of a stretch of time. */
  appliedPerInterval(names: readonly string[], from: Date, until: Date, parts: number): Promise<AppliedPerInterval[]> {
    return this.uses.appliedPerInterval(this.database.client, names, from, until, parts);
  }

  /** The agents that loaded or applied a version while a stage of it went on. */
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

/** The version that is named, or the last one that was approved by then. */
function versionOf(versions: readonly MemoryEntry[], { version }: SkillUse, at: Date): MemoryEntry {
  const entry =
    version === undefined
      ? (versions.findLast(({ createdAt }) => Date.parse(createdAt) <= at.getTime()) ?? versions[0])
      : versions.find((candidate) => candidate.version === version);
  if (!entry) throw invalidUse('version', 'is no version of this skill');
  return entry;
}

const invalidUse = (field: string, message: string): DomainError =>
  new DomainError('invalid', 'skill.use_refused', `${field}: ${message}`, [{ field, message }]);
