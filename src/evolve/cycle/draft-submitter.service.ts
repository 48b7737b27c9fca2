import { Inject, Injectable, Logger } from '@nestjs/common';
import { z } from 'zod';
import type { NewProposal } from '../../approvals/proposals/new-proposal.js';
import { ProposalQueue } from '../../approvals/queue/proposal-queue.service.js';
import { RefreshProposal } from '../../approvals/submissions/refresh.js';
import { SubmitProposal, type SubmitResult } from '../../approvals/submissions/submit.js';
import { WithdrawProposal } from '../../approvals/submissions/withdraw.js';
import { ExecutionReader } from '../../capture/store/execution-reader.service.js';
import { pairInWords } from '../../evidence/predicate/check-words.js';
import { jobActor } from '../../journal/actor.js';
import { WitnessCounts } from '../../memory/lessons/witness-counts.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { stackOf } from '../../platform/base/error-text.js';
import type { Config } from '../../platform/config/config.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { type ComparedDraft, draftKey, type TestedDraft, type WordedDraft } from '../drafts/draft.js';
import { withKeptEdit } from '../drafts/kept-edit.js';
import { DraftWording, type WordingContext } from '../wording/draft-wording.service.js';
import { BACKTEST_SETTINGS, Backtest, backtestExecutionOf } from './backtest.js';
import type { CycleOutcome } from './cycle.js';
import { cycleResultOf } from './cycle-report.js';
import type { CycleResult } from './cycles.schema.js';
import { draftSubmission } from './draft-submission.js';

const RENEW_EVERY = 5_000;
const EVOLVER_ACTOR = jobActor('evolver');

interface SubmissionContext extends WordingContext {
  readonly window: { readonly from: Date; readonly to: Date };
}

/** Turns the drafts of a cycle into proposals: tests them, words them and submits them. Not used by a dry run. */
@Injectable()
export class DraftSubmitter {
  private readonly logger = new Logger(DraftSubmitter.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly window: ExecutionReader,
    private readonly org: OrgEntries,
    private readonly queue: ProposalQueue,
    private readonly submitProposal: SubmitProposal,
    private readonly refreshProposal: RefreshProposal,
    private readonly withdrawProposal: WithdrawProposal,
    private readonly wording: DraftWording,
    private readonly witnesses: WitnessCounts,
  ) {}

  async submit(outcome: CycleOutcome, cycle: SubmissionContext): Promise<CycleResult[]> {
    const { drafts, alreadyPending } = outcome;
    const tested = await this.backtested([...drafts, ...alreadyPending.map(({ draft }) => draft)], cycle);
    const edited = await this.queue.edited();
    const submittedIds = new Map<string, string>();
    const submitted: CycleResult[] = [];
    let room = await this.freeEntries();
    for (const candidate of drafts.map(tested)) {
      const isAddition = candidate.supersedes.length + candidate.conflictsWith.length === 0;
      if (isAddition && room <= 0) {
        submitted.push(
          cycleResultOf(candidate, { outcome: 'refused', proposalId: null, reason: 'org memory is full' }),
        );
        continue;
      }
      const draft = withKeptEdit(await this.wording.wordNew(candidate, cycle), edited);
      const submission = await this.witnessed(draft, draftSubmission(draft, cycle.id, submittedIds));
      const result = await this.trySubmit(draft, () => this.submitProposal.submit(EVOLVER_ACTOR, submission));
      if (result.proposalId !== null) submittedIds.set(draftKey(draft), result.proposalId);
      submitted.push(result);
      if (isAddition && result.proposalId !== null) room -= 1;
    }
    // Refreshed drafts come after new ones, since they may contradict these.
    const refreshed: CycleResult[] = [];
    for (const { proposalId, draft: known } of alreadyPending) {
      const draft = withKeptEdit(await this.wording.wordPending(proposalId, tested(known), cycle), edited);
      const submission = await this.witnessed(draft, draftSubmission(draft, cycle.id, submittedIds));
      refreshed.push(
        await this.trySubmit(draft, () => this.refreshProposal.refresh(EVOLVER_ACTOR, proposalId, submission)),
      );
    }
    await this.withdrawRefuted(outcome);
    return [...refreshed, ...submitted];
  }

  /** Adds how many agents hold a private lesson about the failure, and about the remedy; never what these say. */
  private async witnessed(
    { fingerprints, actionFingerprint: action, remedyKeys = [] }: WordedDraft,
    submission: NewProposal,
  ): Promise<NewProposal> {
    const { agents, withRemedy } = await this.witnesses.of(fingerprints, [action, ...remedyKeys]);
    return { ...submission, evidence: { ...submission.evidence, witnesses: { agents, remedies: withRemedy } } };
  }

  /** Withdraws pending proposals that later executions refuted, unless a reviewer has touched them. */
  private async withdrawRefuted({ examination: { refutations } }: CycleOutcome): Promise<void> {
    if (refutations.size === 0) return;
    for (const { id, fingerprints, actionFingerprint: action } of await this.queue.pending()) {
      const [check] = fingerprints.flatMap((print) => refutations.get(`${print} ${action}`) ?? []);
      const reason = check && `refuted by later executions: ${pairInWords(check)}`;
      if (reason !== undefined) await this.withdrawProposal.withdraw(EVOLVER_ACTOR, id, reason);
    }
  }

  /** Returns how many more skills org memory can hold if all pending proposals are approved. */
  private async freeEntries(): Promise<number> {
    const live = await this.org.count(this.database.client);
    return this.config.maxOrgEntries - live - (await this.queue.countPendingAdditions());
  }

  /**
   * Tests the drafts on stored executions, the newest first. The result returns a draft with its backtest.
   * BACKTEST_SETTINGS.newest bounds the cost for any size of the store.
   */
  private async backtested(
    drafts: readonly ComparedDraft[],
    { window: { from, to }, extendLease }: SubmissionContext,
  ): Promise<(draft: ComparedDraft) => TestedDraft> {
    const tests = new Map(drafts.map((draft) => [draft, new Backtest(draft)]));
    let read = 0;
    if (tests.size > 0)
      for await (const { observed } of this.window.readNewest(from, to, BACKTEST_SETTINGS.newest)) {
        const execution = backtestExecutionOf(observed);
        for (const test of tests.values()) test.add(execution);
        read += 1;
        if (read % RENEW_EVERY === 0) await extendLease(0);
      }
    return (draft) => ({ ...draft, backtest: (tests.get(draft) ?? new Backtest(draft)).result() });
  }

  /** If the queue refuses one proposal, or one does not have the form of a proposal, the others are still submitted. */
  private async trySubmit(draft: WordedDraft, enqueue: () => Promise<SubmitResult>): Promise<CycleResult> {
    const refused = (reason: string) => cycleResultOf(draft, { outcome: 'refused', proposalId: null, reason });
    try {
      const { id, outcome, isConflict } = await enqueue();
      if (outcome === 'submitted') this.logger.log({ event: 'SKILL_EVOLVER_PROPOSAL_EMITTED', proposal: id, outcome });
      if (isConflict) this.logger.log({ event: 'SKILL_EVOLVER_CONFLICT_DETECTED', proposal: id });
      for (const other of outcome === 'unchanged' ? [] : draft.makesObsolete)
        await this.withdrawProposal.withdraw(EVOLVER_ACTOR, other, `covered by proposal ${id}`);
      return cycleResultOf(draft, { outcome, proposalId: id, reason: null });
    } catch (error) {
      if (error instanceof DomainError) return refused(error.code);
      if (!(error instanceof z.ZodError)) throw error;
      this.logger.error(stackOf(error));
      return refused('proposal.invalid');
    }
  }
}
