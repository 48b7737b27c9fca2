import { Injectable } from '@nestjs/common';
import type { JobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { Tx } from '../../platform/database/database.js';
import { SessionEntryRepository } from '../store/session-entry.repository.js';
import { EntryMergesRepository, type LockedEntry, type UndoneEntries } from './entry-merges.repository.js';
import type { AppliedEntries, EntryMerge, EntryMergePlan, MergeableEntry, ProjectEntries } from './mergeable-entry.js';

/** The agent whose entries a run ends. */
export interface EntryRun {
  readonly run: string;
  readonly agentId: string;
}

/** Most entries that one journal entry names. */
const CHUNK = 500;

/** Writes what a consolidation decided about the entries of one agent, and takes it back. It ends entries and writes none. */
@Injectable()
export class EntryMerges {
  constructor(
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly entries: SessionEntryRepository,
    private readonly repository: EntryMergesRepository,
  ) {}

  /** The live entries that the agent itself keeps, by project. Those of other agents are never read here. */
  async live(tx: Tx, agentId: string): Promise<ProjectEntries[]> {
    const found: ProjectEntries[] = [];
    for (const project of await this.repository.projects(tx, agentId))
      found.push({ project, entries: await this.repository.live(tx, agentId, project) });
    return found;
  }

  /** Before anything else is locked in the transaction, as where an agent saves an entry. */
  lock(tx: Tx, agentId: string): Promise<void> {
    return this.entries.lockAgent(tx, agentId);
  }

  /**
   * All of it in the caller's transaction, which holds the lock of the agent. A change of a plan is left out if one of its entries ended, was edited, pinned
   * or unpinned since, or became a person's.
   */
  async apply(
    tx: Tx,
    actor: JobActor,
    { run, agentId }: EntryRun,
    plans: readonly EntryMergePlan[],
  ): Promise<AppliedEntries[]> {
    const planned = plans.flatMap((plan) => [...plan.merges.flatMap(entriesOf), ...plan.pruned]);
    if (planned.length === 0) return plans.map((plan) => ({ ...plan, skipped: 0 }));
    const current = await this.repository.current(
      tx,
      agentId,
      planned.map(({ id }) => id),
    );
    const applied = plans.map((plan) => unchanged(plan, current));
    const at = this.clock.now();
    for (const { merges, pruned } of applied) {
      for (const { into, from } of merges)
        await this.end(tx, agentId, from, { by: into.id, reason: 'merged', run, at });
      await this.end(tx, agentId, pruned, { by: null, reason: 'pruned', run, at });
    }
    await this.record(tx, actor, { run, agentId }, applied);
    return applied;
  }

  /** Restores what the run ended. The caller holds the lock of the agent, and has checked that it may be undone. */
  undo(tx: Tx, { run, agentId }: EntryRun): Promise<UndoneEntries> {
    return this.repository.undo(tx, agentId, run);
  }

  private async end(
    tx: Tx,
    agentId: string,
    entries: readonly MergeableEntry[],
    how: Parameters<EntryMergesRepository['end']>[3],
  ): Promise<void> {
    if (entries.length === 0) return;
    const ids = entries.map(({ id }) => id);
    const ended = await this.repository.end(tx, agentId, ids, how);
    if (ended !== ids.length) throw new Error(`${ids.length} entries were locked, and ${ended} could be ended`);
  }

  private async record(
    tx: Tx,
    actor: JobActor,
    { run, agentId }: EntryRun,
    applied: readonly AppliedEntries[],
  ): Promise<void> {
    const entries = applied.flatMap(({ merges, pruned }) => [
      ...merges.flatMap(({ into, from }) => from.map(({ id }) => ({ id, why: 'merged', by: into.id }))),
      ...pruned.map(({ id }) => ({ id, why: 'pruned' })),
    ]);
    for (let at = 0; at < entries.length; at += CHUNK)
      await this.journal.append(tx, actor, {
        action: 'session.entries_consolidated',
        subject: { type: 'agent', id: agentId },
        data: { run, entries: entries.slice(at, at + CHUNK) },
      });
  }
}

const entriesOf = ({ into, from }: EntryMerge): MergeableEntry[] => [into, ...from];

function unchanged(plan: EntryMergePlan, current: ReadonlyMap<string, LockedEntry>): AppliedEntries {
  const isUnchanged = (one: MergeableEntry): boolean => {
    const found = current.get(one.id);
    return found?.contentSha256 === one.contentSha256 && found.pinned === one.pinned && found.stands === one.stands;
  };
  const merges = plan.merges.filter((merge) => entriesOf(merge).every(isUnchanged));
  const pruned = plan.pruned.filter(isUnchanged);
  const skipped = plan.merges.length - merges.length + plan.pruned.length - pruned.length;
  return { project: plan.project, merges, pruned, skipped };
}
