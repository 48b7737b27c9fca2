import { Injectable } from '@nestjs/common';
import { type JobActor, requireJob } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { type Course, courseOf } from '../contradictions/contradiction.js';
import { ContradictionRepository } from '../contradictions/contradiction.repository.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item, ItemContent } from '../proposals/approval-item.js';
import { ItemContents } from '../proposals/item-contents.service.js';
import { rebase, submissionEntry, withoutEdit } from '../proposals/submission.js';
import { Withdrawals } from '../queue/withdrawals.service.js';
import { staleness } from '../voting/open-item.js';
import { OpenItems } from '../voting/open-items.service.js';

/** Rendered between two answers of the server: a hundredth of a second. */
const TOGETHER = 20;

type Remedy = { readonly content: ItemContent } | { readonly withdraw: string };

/** Keeps the queue to what can be applied: brings outdated items up to date, or withdraws them. */
@Injectable()
export class RebaseProposals {
  private hasLookedAtAll = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly open: OpenItems,
    private readonly contents: ItemContents,
    private readonly org: OrgEntries,
    private readonly withdrawals: Withdrawals,
    private readonly contradictions: ContradictionRepository,
  ) {}

  /** Where the program renders otherwise than it did is found at the start; later only skills change. */
  async rebase(actor: JobActor): Promise<{ rebased: number; withdrawn: number }> {
    requireJob(actor);
    const ids = await this.items.outdated(this.database.client, !this.hasLookedAtAll);
    const done = { rebased: 0, withdrawn: 0 };
    for (let at = 0; at < ids.length; at += TOGETHER)
      for (const id of await this.stale(ids.slice(at, at + TOGETHER))) {
        const outcome = await this.database.transaction((tx) => this.rebaseOne(tx, actor, id));
        if (outcome) done[outcome] += 1;
      }
    this.hasLookedAtAll = true;
    return done;
  }

  /** Those that are to be looked at closely, in a transaction each: of a long queue nearly none. */
  private async stale(ids: readonly string[]): Promise<string[]> {
    const items = await this.items.ofIds(this.database.client, ids);
    const around = await this.open.surroundings(this.database.client, items);
    const courses = await this.courses(this.database.client, items);
    return items
      .filter((item) => courses(item).as !== 'stands' || staleness(item, around(item)) !== undefined)
      .map(({ id }) => id);
  }

  /** What becomes of items now that what they contradict may have been decided. */
  private async courses(tx: Tx, items: readonly Item[]): Promise<(item: Item) => Course> {
    const ids = items.filter(({ kind }) => kind !== 'retire').map(({ id }) => id);
    const rivals = await this.contradictions.rivals(tx, ids);
    return (item) => courseOf(item, rivals.get(item.id) ?? []);
  }

  private async rebaseOne(tx: Tx, actor: JobActor, id: string): Promise<'rebased' | 'withdrawn' | undefined> {
    const item = await this.items.lock(tx, id);
    // What somebody changed by hand follows the file, and that has a job of its own.
    if (item?.state !== 'pending' || item.edit !== null) return undefined;
    const course = (await this.courses(tx, [item]))(item);
    if (course.as === 'stands' && (await this.open.staleness(tx, item)) === undefined) return undefined;
    const remedy = await this.remedy(tx, item, course);
    if ('content' in remedy) {
      await this.items.refresh(tx, item, remedy.content, this.clock.now());
      await this.journal.append(tx, actor, submissionEntry('approval.rebased', id, remedy.content));
      return 'rebased';
    }
    const { artifactSha256, skillName } = item;
    await this.withdrawals.withdraw(tx, actor, item, { artifactSha256, skillName, reason: remedy.withdraw });
    return 'withdrawn';
  }

  private async remedy(tx: Tx, item: Item, course: Course): Promise<Remedy> {
    if (course.as === 'told') return { withdraw: `it is a part of what item ${course.by} says` };
    if (course.as === 'against') {
      const { id: supersedesId, skillName } = course.live;
      return this.rendered(tx, { ...item, kind: 'conflict', supersedesId, skillName });
    }
    return this.alone(tx, course.as === 'alone' ? { ...item, kind: 'new_skill' } : item);
  }

  /** For what contradicts nothing, or what it contradicted before. */
  private async alone(tx: Tx, item: Item): Promise<Remedy> {
    const live = await this.org.liveSkill(item.skillName, tx);
    const hasMoved = (live?.id ?? null) !== item.supersedesId;
    if (item.kind === 'retire') return { withdraw: 'the skill was replaced or retired' };
    if (hasMoved && item.kind === 'new_skill') return { withdraw: 'another skill has this name by now' };
    if (hasMoved && item.kind === 'conflict')
      return { withdraw: 'the skill that it contradicts changed or is retired' };
    if (item.kind === 'amend' && item.supersedesId !== live?.id)
      return { withdraw: 'the skill that it amends changed or is retired' };
    return this.rendered(tx, item.kind === 'supersede' ? { ...item, ...rebase(item, live?.id ?? null) } : item);
  }

  private async rendered(tx: Tx, item: Item): Promise<Remedy> {
    const version = (await this.org.lastVersion(item.skillName, tx)) + 1;
    const place = { skillName: item.skillName, version };
    try {
      return { content: await this.contents.of(tx, item.id, withoutEdit(item), item, place) };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { withdraw: error.message };
    }
  }
}
