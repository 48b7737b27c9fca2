import { Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../../journal/actor.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { Statements } from '../../platform/database/statements.js';
import { mayBeContested } from '../contradictions/contradiction.js';
import { ContradictionRepository } from '../contradictions/contradiction.repository.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item } from '../proposals/approval-item.js';
import { existing } from '../proposals/approval-summary.js';
import { requireOpen, requireRemit, type Seen, type Surroundings, stale, staleness } from './open-item.js';

/** Items that can still be decided on, for whoever is about to write one. */
@Injectable()
export class OpenItems {
  constructor(
    private readonly clock: Clock,
    private readonly items: ApprovalRepository,
    private readonly org: OrgEntries,
    private readonly contradictions: ContradictionRepository,
  ) {}

  /** Locks the item as `lock` does. Throws `forbidden` when this person does not decide for the agents it is about. */
  async take(tx: Statements, reviewer: ReviewerActor, id: string, seen: Seen = {}): Promise<Item> {
    const item = await this.lock(tx, id, seen);
    requireRemit(reviewer, item);
    return item;
  }

  /** Throws `conflict` when it was decided or has expired, or holds other bytes than were read. */
  async lock(tx: Statements, id: string, seen: Seen = {}): Promise<Item> {
    const item = existing(await this.items.lock(tx, id), id);
    requireOpen(item, seen, this.clock.now());
    return item;
  }

  /** Throws `conflict` when the item could not be applied as it is. */
  async requireCurrent(tx: Statements, item: Item): Promise<void> {
    await this.holdRivals(tx, [item]);
    const why = await this.staleness(tx, item);
    if (why !== undefined) throw stale(why);
  }

  /** What the item was rendered against may have moved on: another version approved, or its target retired. */
  async staleness(tx: Statements, item: Item): Promise<string | undefined> {
    return staleness(item, (await this.surroundings(tx, [item]))(item));
  }

  /** Until the transaction ends, nobody else decides on what these contradict: of two that cannot both hold, one wins. */
  holdRivals(tx: Statements, items: readonly Item[]): Promise<void> {
    return this.contradictions.holdRivals(
      tx,
      items.filter(mayBeContested).map(({ id }) => id),
    );
  }

  /** What every one of the items is measured against, in two questions, and a third where one may have rivals. */
  async surroundings(tx: Statements, items: readonly Item[]): Promise<(item: Item) => Surroundings> {
    const standings = await this.org.standings([...new Set(items.map(({ skillName }) => skillName))], tx);
    const targets = await this.org.findAll([...new Set(items.flatMap(({ supersedesId }) => supersedesId ?? []))], tx);
    const rivals = await this.contradictions.rivals(
      tx,
      items.filter(mayBeContested).map(({ id }) => id),
    );
    return ({ id, skillName, supersedesId }) => ({
      standing: standings.get(skillName),
      target: supersedesId === null ? undefined : targets.get(supersedesId),
      rivals: rivals.get(id) ?? [],
    });
  }
}
