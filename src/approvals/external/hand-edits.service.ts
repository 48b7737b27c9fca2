import { Injectable } from '@nestjs/common';
import { job } from '../../journal/actor.js';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { BackgroundWork } from '../../platform/background/worker.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import { lintSkill } from '../../skills/document/lint.js';
import { type HandEdit, Reconciler } from '../../skills/publishing/reconciler.service.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item, ItemContent, ItemEdit } from '../proposals/approval-item.js';
import type { ApprovalState, EditedByHand } from '../proposals/approvals.schema.js';
import { ItemContents } from '../proposals/item-contents.service.js';
import { LiveSkills } from '../proposals/live-skills.service.js';
import { retirementOf } from '../proposals/retirement.js';
import { makeSafe } from '../proposals/submission.js';
import { Withdrawals } from '../queue/withdrawals.service.js';
import { editFingerprint, SubmitEdit } from '../submissions/submit-edit.js';
import { amendmentOf } from './amendment.js';

const ACTOR = job('hand-edits');

/** What became of an edit: the item that it waits as, or why there is none. */
type Outcome = { readonly approval: string | null; readonly problem: string | null };
const waiting = ({ id, edit }: Pick<Item, 'id' | 'edit'>): Outcome => ({ approval: id, problem: leftOut(edit) });
const not = (problem: string): Outcome => ({ approval: null, problem });

/**
 * Brings what people changed by hand in published skills before a reviewer (spec E4): each change is one pending item,
 * which follows the file. It submits and withdraws; a file is only put back after a person decided on exactly its bytes.
 */
@Injectable()
export class HandEdits extends BackgroundWork {
  constructor(
    private readonly database: Database,
    private readonly ids: Ids,
    private readonly items: ApprovalRepository,
    private readonly contents: ItemContents,
    private readonly skills: LiveSkills,
    private readonly reconciler: Reconciler,
    private readonly submitEdit: SubmitEdit,
    private readonly withdrawals: Withdrawals,
  ) {
    super();
  }

  protected async step(): Promise<boolean> {
    const found = await this.reconciler.handEdits();
    if (found === undefined) return false;
    // What stands in the folder was written on top of what main holds: one item for a skill, and the folder's first.
    const edits = new Map(found.map((edit) => [edit.name, edit]));
    for (const edit of found) if (edit.from === 'folder') edits.set(edit.name, edit);
    const waiting = new Set<string>();
    for (const [name, edit] of edits) {
      const outcome = await this.take(edit);
      if (outcome.approval !== null) waiting.add(outcome.approval);
      for (const one of found) if (one.name === name && one.from === edit.from) this.reconciler.explain(one, outcome);
    }
    await this.withdrawOthers(waiting);
    return false;
  }

  private async take(edit: HandEdit): Promise<Outcome> {
    const skill = await this.skills.find(this.database.client, edit.name);
    if (!skill) return not('no approved skill has this name');
    const { entry: live, approved } = skill;
    if (edit.text === undefined) return not('is no text file of at most 64 KiB');
    const hash = edit.text === null ? null : sha256(edit.text);
    const earlier = await this.items.ofFingerprint(this.database.client, editFingerprint(edit.name));
    const same = earlier.filter((item) => item.edit?.sha256 === hash && item.edit.from === edit.from);
    const pending = earlier.find(({ state }) => state === 'pending');
    if (pending && same.includes(pending) && pending.supersedesId === live.id) return waiting(pending);
    const decided = edit.from === 'folder' ? same.find(({ state }) => isDecided(state)) : undefined;
    if (decided) return this.settle(edit, decided);
    const base = await this.baseOf(edit, approved);
    try {
      const content = edit.text === null ? removal(edit, approved, live) : undefined;
      const id = pending?.id ?? this.ids.uuid();
      const amended = content ?? (await this.amendment(id, edit.text ?? '', edit, { approved, live, base }));
      if ('problem' in amended) return amended;
      await this.submitEdit.submit(ACTOR, id, amended, pending !== undefined);
      return waiting({ id, edit: amended.edit });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code !== 'approval.pending_already') return not(error.message);
      // Another process was faster with the same.
      const theirs = await this.items.ofFingerprint(this.database.client, editFingerprint(edit.name));
      return { approval: theirs.find(({ state }) => state === 'pending')?.id ?? null, problem: null };
    }
  }

  /** The version that was edited: another one may have been approved since. */
  private async baseOf({ name, text }: HandEdit, live: Item): Promise<Item> {
    const id = APPROVAL_LINE.exec(text ?? '')?.[1];
    const named = id === undefined ? undefined : await this.items.find(this.database.client, id);
    return named?.state === 'approved' && named.skillName === name ? named : live;
  }

  /** The person's word on these bytes: the file gives way, unless the record could not hold all of it. */
  private async settle(edit: HandEdit, { id, state, edit: decided }: Item): Promise<Outcome> {
    const rest = state === 'approved' ? leftOut(decided) : null;
    if (rest !== null) return not(`was approved as item ${id} but for what a record cannot hold: ${rest}`);
    await this.reconciler.restore(edit);
    return not(`was ${state} as item ${id}`);
  }

  private async amendment(
    id: string,
    text: string,
    edit: HandEdit,
    { approved, live, base }: { approved: Item; live: MemoryEntry; base: Item },
  ): Promise<ItemContent | Outcome> {
    const amended = amendmentOf(approved.proposal, base, text);
    if ('problems' in amended)
      return not(amended.problems.map(({ line, message }) => `line ${line}: ${message}`).join('; '));
    const hidden = lintSkill(text).filter(({ rule }) => rule.startsWith('hidden.') || rule.startsWith('exec.'));
    const notes = [
      ...amended.notes,
      ...hidden.map(({ path, line, message }) => ({ line, message: `${path}: ${message}`, carried: true })),
    ];
    const safe = makeSafe({ proposal: amended.proposal, evidence: approved.evidence });
    if (JSON.stringify(safe.proposal) === JSON.stringify(approved.proposal)) {
      const rest = leftOut({ from: edit.from, sha256: null, text: null, notes });
      return not(rest ?? 'changes nothing that the record of a skill holds');
    }
    const { fingerprints, actionFingerprint, setting, confidence, impact } = approved;
    return this.contents.of(
      this.database.client,
      id,
      {
        ...{ kind: 'amend', fingerprints, actionFingerprint, setting, confidence, impact },
        ...{ supersedesId: live.id, cycleId: null, edit: byHand(edit, text, notes) },
      },
      safe,
      { skillName: approved.skillName, version: approved.version + 1 },
    );
  }

  /** Somebody undid the change or made something else of it, or another decision went over it. */
  private async withdrawOthers(waiting: ReadonlySet<string>): Promise<void> {
    for (const item of await this.items.pendingEdits(this.database.client)) {
      if (waiting.has(item.id)) continue;
      const { artifactSha256 } = item;
      const data = { artifactSha256, reason: 'the change by hand is not there any more' };
      await this.database.transaction((tx) => this.withdrawals.withdraw(tx, ACTOR, item, data));
    }
  }
}

const isDecided = (state: ApprovalState): boolean => state === 'approved' || state === 'rejected';

/** The approval that the edited file says it was published by. */
const APPROVAL_LINE =
  /^ {0,8}guildbook\/approval: "?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"?\s*$/m;

function leftOut(edit: EditedByHand | null): string | null {
  const lines = (edit?.notes ?? [])
    .filter(({ carried }) => !carried)
    .map(({ line, message }) => `line ${line}: ${message}`);
  return lines.length === 0 ? null : lines.join('; ');
}

function byHand({ from }: HandEdit, text: string | null, notes: EditedByHand['notes']): ItemEdit {
  return { ...redactDeep({ from, text, notes }).value, sha256: text === null ? null : sha256(text) };
}

/** A file that somebody took away asks whether the skill is to be retired. */
function removal(edit: HandEdit, approved: Item, live: MemoryEntry): ItemContent {
  return { ...retirementOf(approved, live.id), edit: byHand(edit, null, []) };
}
