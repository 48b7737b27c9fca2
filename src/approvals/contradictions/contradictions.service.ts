import { Injectable } from '@nestjs/common';
import type { Actor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { Tx } from '../../platform/database/database.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import { ItemContents } from '../proposals/item-contents.service.js';
import { submissionEntry, withoutEdit } from '../proposals/submission.js';
import { ContradictionRepository } from './contradiction.repository.js';

/** What contradicts something that waits is no skill of its own, on either side: both are put to people as a conflict (E2). */
@Injectable()
export class Contradictions {
  constructor(
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly contents: ItemContents,
    private readonly contradictions: ContradictionRepository,
  ) {}

  /**
   * Records that the item cannot hold beside these others, which know of it from now on. Whichever of them is a new skill
   * becomes a conflict, as a revision without votes, since nobody voted with this in view; a person's wording is kept.
   * Whether the item itself did.
   */
  async record(tx: Tx, actor: Actor, itemId: string, others: readonly string[]): Promise<boolean> {
    if (others.length === 0) return false;
    const known = new Set((await this.contradictions.rivals(tx, [itemId])).get(itemId)?.map(({ id }) => id));
    const found = others.filter((id) => id !== itemId && !known.has(id));
    const all = await this.items.lockAll(tx, [itemId, ...found]);
    const rivals = found.filter((id) => all.has(id));
    if (rivals.length === 0) return false;
    await this.contradictions.add(tx, itemId, rivals);
    let isItself = false;
    for (const item of all.values()) {
      if (item.state !== 'pending' || item.kind !== 'new_skill') continue;
      isItself ||= item.id === itemId;
      const content = await this.contents.of(tx, item.id, { ...withoutEdit(item), kind: 'conflict' }, item, item);
      await this.items.refresh(tx, item, content, this.clock.now());
      const entry = submissionEntry('approval.contested', item.id, content);
      const beside = item.id === itemId ? rivals : [itemId];
      await this.journal.append(tx, actor, { ...entry, data: { ...entry.data, beside } });
    }
    return isItself;
  }

  /** What contradicts an item contradicts it again when it is asked again. */
  async inherit(tx: Tx, actor: Actor, from: string, to: string): Promise<void> {
    const rivals = (await this.contradictions.rivals(tx, [from])).get(from) ?? [];
    await this.record(
      tx,
      actor,
      to,
      rivals.map(({ id }) => id),
    );
  }
}
