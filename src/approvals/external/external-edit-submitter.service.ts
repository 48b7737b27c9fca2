import { Injectable } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { defineWorker } from '../../platform/background/worker.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import { lintSkill } from '../../skills/document/lint.js';
import { type ExternalEdit, Reconciler } from '../../skills/publishing/reconciler.service.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { LiveSkills } from '../proposals/live-skills.service.js';
import { sanitizeWording } from '../proposals/new-proposal.js';
import type { Proposal, ProposalContent, SanitizedEdit } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { ProposalBuilder } from '../proposals/proposal-builder.service.js';
import type { ExternalEditRecord, ProposalState } from '../proposals/proposals.schema.js';
import { retirementProposal } from '../proposals/retirement.js';
import { ProposalWithdrawer } from '../queue/proposal-withdrawer.service.js';
import { editFingerprint, SubmitExternalEdit } from '../submissions/submit-external-edit.js';
import { amendmentOf } from './amendment.js';

const ACTOR = jobActor('external-edits');

/** The result of an external edit: its pending proposal, or the problem. */
type EditOutcome = { readonly proposalId: string | null; readonly problem: string | null };
const pendingOutcome = ({ id, edit }: Pick<Proposal, 'id' | 'edit'>): EditOutcome => ({
  proposalId: id,
  problem: uncarriedNotes(edit),
});
const rejectedOutcome = (problem: string): EditOutcome => ({ proposalId: null, problem });

/**
 * Submits external edits of published skills for review. Each edited skill has one pending proposal, which follows the
 * file. A file is restored only after a person decided on exactly its bytes.
 */
@Injectable()
export class ExternalEditSubmitter extends defineWorker({ every: MINUTE_MS, atStart: false }) {
  constructor(
    private readonly database: Database,
    private readonly ids: Ids,
    private readonly proposals: ProposalRepository,
    private readonly builder: ProposalBuilder,
    private readonly skills: LiveSkills,
    private readonly reconciler: Reconciler,
    private readonly submitEdit: SubmitExternalEdit,
    private readonly withdrawals: ProposalWithdrawer,
  ) {
    super();
  }

  protected async step(): Promise<boolean> {
    const found = await this.reconciler.externalEdits();
    if (found === undefined) return false;
    // An edit in the folder was made on top of the main branch, so it takes precedence: one proposal for each skill.
    const edits = new Map(found.map((edit) => [edit.name, edit]));
    for (const edit of found) if (edit.from === 'folder') edits.set(edit.name, edit);
    const pendingOutcome = new Set<string>();
    for (const [name, edit] of edits) {
      const outcome = await this.processEdit(edit);
      if (outcome.proposalId !== null) pendingOutcome.add(outcome.proposalId);
      for (const one of found) if (one.name === name && one.from === edit.from) this.reconciler.explain(one, outcome);
    }
    await this.withdrawOthers(pendingOutcome);
    return false;
  }

  private async processEdit(edit: ExternalEdit): Promise<EditOutcome> {
    const skill = await this.skills.find(this.database.client, edit.name);
    if (!skill) return rejectedOutcome('no approved skill has this name');
    const { entry: live, approved } = skill;
    if (edit.text === undefined) return rejectedOutcome('is not a text file of at most 64 KiB');
    const hash = edit.text === null ? null : sha256(edit.text);
    const earlier = await this.proposals.findByFingerprint(this.database.client, editFingerprint(edit.name));
    const same = earlier.filter((proposal) => proposal.edit?.sha256 === hash && proposal.edit.from === edit.from);
    const pending = earlier.find(({ state }) => state === 'pending');
    if (pending && same.includes(pending) && pending.supersedesId === live.id) return pendingOutcome(pending);
    const decided = edit.from === 'folder' ? same.find(({ state }) => isDecided(state)) : undefined;
    if (decided) return this.restoreDecided(edit, decided);
    const base = await this.baseOf(edit, approved);
    try {
      const content = edit.text === null ? removalProposal(edit, approved, live) : undefined;
      const id = pending?.id ?? this.ids.uuid();
      const amended = content ?? (await this.amendment(id, edit.text ?? '', edit, { approved, live, base }));
      if ('problem' in amended) return amended;
      await this.submitEdit.submit(ACTOR, id, amended, pending !== undefined);
      return pendingOutcome({ id, edit: amended.edit });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code !== 'proposal.already_pending') return rejectedOutcome(error.message);
      // Another process has submitted the same edit.
      const theirs = await this.proposals.findByFingerprint(this.database.client, editFingerprint(edit.name));
      return { proposalId: theirs.find(({ state }) => state === 'pending')?.id ?? null, problem: null };
    }
  }

  /** The version that was edited, which may not be the live one any more. */
  private async baseOf({ name, text }: ExternalEdit, live: Proposal): Promise<Proposal> {
    const id = APPROVAL_LINE.exec(text ?? '')?.[1];
    const named = id === undefined ? undefined : await this.proposals.find(this.database.client, id);
    return named?.state === 'approved' && named.skillName === name ? named : live;
  }

  /** Restores a file that a person decided on, unless the approval could not carry over all of the edit. */
  private async restoreDecided(edit: ExternalEdit, { id, state, edit: decided }: Proposal): Promise<EditOutcome> {
    const rest = state === 'approved' ? uncarriedNotes(decided) : null;
    if (rest !== null)
      return rejectedOutcome(`was approved as proposal ${id}, except for parts that cannot be carried over: ${rest}`);
    await this.reconciler.restore(edit);
    return rejectedOutcome(`was ${state} as proposal ${id}`);
  }

  private async amendment(
    id: string,
    text: string,
    edit: ExternalEdit,
    { approved, live, base }: { approved: Proposal; live: MemoryEntry; base: Proposal },
  ): Promise<ProposalContent | EditOutcome> {
    const amended = amendmentOf(approved.proposedSkill, base, text);
    if ('problems' in amended)
      return rejectedOutcome(amended.problems.map(({ line, message }) => `line ${line}: ${message}`).join('; '));
    const hidden = lintSkill(text).filter(({ rule }) => rule.startsWith('hidden.') || rule.startsWith('exec.'));
    const notes = [
      ...amended.notes,
      ...hidden.map(({ path, line, message }) => ({ line, message: `${path}: ${message}`, carried: true })),
    ];
    const sanitized = sanitizeWording(amended.proposedSkill, approved, null);
    if (JSON.stringify(sanitized.proposedSkill) === JSON.stringify(approved.proposedSkill)) {
      const rest = uncarriedNotes({ from: edit.from, sha256: null, text: null, notes });
      return rejectedOutcome(rest ?? 'changes nothing that the record of a skill contains');
    }
    const { fingerprints, actionFingerprint, applicability, confidence, impact } = approved;
    return this.builder.build(
      this.database.client,
      id,
      {
        kind: 'amend',
        fingerprints,
        actionFingerprint,
        applicability,
        confidence,
        impact,
        supersedesId: live.id,
        cycleId: null,
        edit: editRecord(edit, text, notes),
      },
      sanitized,
      { skillName: approved.skillName, version: approved.version + 1 },
    );
  }

  /** Withdraws proposals whose external edit was undone, replaced or overtaken by another decision. */
  private async withdrawOthers(pendingOutcome: ReadonlySet<string>): Promise<void> {
    for (const proposal of await this.proposals.pendingEdits(this.database.client)) {
      if (pendingOutcome.has(proposal.id)) continue;
      const { artifactSha256 } = proposal;
      const data = { artifactSha256, reason: 'the external edit no longer exists' };
      await this.database.transaction((tx) => this.withdrawals.withdraw(tx, ACTOR, proposal, data));
    }
  }
}

const isDecided = (state: ProposalState): boolean => state === 'approved' || state === 'rejected';

/** The id of the proposal that the edited file was published from. */
const APPROVAL_LINE =
  /^ {0,8}guildbook\/approval: "?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"?\s*$/m;

function uncarriedNotes(edit: ExternalEditRecord | null): string | null {
  const lines = (edit?.notes ?? [])
    .filter(({ carried }) => !carried)
    .map(({ line, message }) => `line ${line}: ${message}`);
  return lines.length === 0 ? null : lines.join('; ');
}

function editRecord({ from }: ExternalEdit, text: string | null, notes: ExternalEditRecord['notes']): SanitizedEdit {
  return { ...redactDeep({ from, text, notes }).value, sha256: text === null ? null : sha256(text) };
}

/** Proposes to retire the skill of a deleted file. */
function removalProposal(edit: ExternalEdit, approved: Proposal, live: MemoryEntry): ProposalContent {
  return { ...retirementProposal(approved, live.id), edit: editRecord(edit, null, []) };
}
