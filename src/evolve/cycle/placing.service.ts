import { Inject, Injectable, Logger } from '@nestjs/common';
import { ApprovalQueue } from '../../approvals/queue/approval-queue.service.js';
import { RefreshProposal } from '../../approvals/submissions/refresh.js';
import { type SubmissionResult, SubmitProposal } from '../../approvals/submissions/submit.js';
import { WithdrawProposal } from '../../approvals/submissions/withdraw.js';
import { ReportWindow } from '../../capture/store/report-window.service.js';
import { job } from '../../journal/actor.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Config } from '../../platform/config/config.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { BACKTEST_SETTINGS, testedOn } from '../backtest/backtest.js';
import { backtestOf } from '../backtest/success-backtest.js';
import type { ComparedDraft, TestedDraft, WordedDraft } from '../drafts/draft.js';
import { DraftWording, type WordedCycle } from '../wording/draft-wording.service.js';
import type { CycleOutcome } from './cycle.js';
import { findingOf } from './cycle-report.js';
import type { CycleFinding } from './cycles.schema.js';
import { submissionOf } from './submission.js';

const RENEW_EVERY = 5_000;
const ACTOR = job('evolver');

/** What goes into the queue, with its backtest. */
interface TestedDrafts {
  readonly added: readonly TestedDraft[];
  readonly refreshed: readonly { readonly itemId: string; readonly draft: TestedDraft }[];
}

export interface PlacedCycle extends WordedCycle {
  readonly window: { readonly from: Date; readonly to: Date };
}

/** From the drafts of a cycle to items of the queue: tested, worded, submitted. Not for a dry run. */
@Injectable()
export class Placing {
  private readonly logger = new Logger(Placing.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly window: ReportWindow,
    private readonly org: OrgEntries,
    private readonly queue: ApprovalQueue,
    private readonly submitProposal: SubmitProposal,
    private readonly refreshProposal: RefreshProposal,
    private readonly withdrawProposal: WithdrawProposal,
    private readonly wording: DraftWording,
  ) {}

  async place(outcome: CycleOutcome, cycle: PlacedCycle): Promise<CycleFinding[]> {
    const tested = await this.tested(outcome, cycle);
    const placed = new Map<string, string>();
    const submitted: CycleFinding[] = [];
    let room = await this.room();
    for (const found of tested.added) {
      const adds = found.supersedes.length + found.conflictsWith.length === 0;
      if (adds && room <= 0) {
        submitted.push(findingOf(found, { outcome: 'refused', approvalId: null, reason: 'org memory is full' }));
        continue;
      }
      const draft = await this.wording.ofNew(found, cycle);
      const finding = await this.attempt(draft, () =>
        this.submitProposal.submit(ACTOR, submissionOf(draft, cycle.id, placed)),
      );
      if (finding.approvalId !== null) placed.set(draft.fingerprint, finding.approvalId);
      submitted.push(finding);
      if (adds && finding.approvalId !== null) room -= 1;
    }
    // Behind what is new, since what they take further may contradict it.
    const refreshed: CycleFinding[] = [];
    for (const { itemId, draft: found } of tested.refreshed) {
      const draft = await this.wording.ofWaiting(itemId, found, cycle);
      const submission = submissionOf(draft, cycle.id, placed);
      refreshed.push(await this.attempt(draft, () => this.refreshProposal.refresh(ACTOR, itemId, submission)));
    }
    return [...refreshed, ...submitted];
  }

  /** For skills more in org memory, when all that waits is approved. */
  private async room(): Promise<number> {
    const live = await this.org.count(this.database.client);
    return this.config.maxOrgEntries - live - (await this.queue.additions());
  }

  /** Tests what goes into the queue on stored executions, the newest first: what it costs does not grow with the store. */
  private async tested({ drafts, alreadyPending }: CycleOutcome, cycle: PlacedCycle): Promise<TestedDrafts> {
    const added = drafts.map(underTest);
    const refreshed = alreadyPending.map(({ itemId, draft }) => ({ itemId, ...underTest(draft) }));
    await this.backtest([...added, ...refreshed], cycle);
    return {
      added: added.map(testedOf),
      refreshed: refreshed.map(({ itemId, ...one }) => ({ itemId, draft: testedOf(one) })),
    };
  }

  private async backtest(under: readonly UnderTest[], { window: { from, to }, holdFor }: PlacedCycle): Promise<void> {
    if (under.length === 0) return;
    let read = 0;
    for await (const { observed } of this.window.newest(from, to, BACKTEST_SETTINGS.newest)) {
      const execution = testedOn(observed);
      for (const { test } of under) test.add(execution);
      read += 1;
      if (read % RENEW_EVERY === 0) await holdFor(0);
    }
  }

  /** One proposal that the queue refuses must not cost the others. */
  private async attempt(draft: WordedDraft, enqueue: () => Promise<SubmissionResult>): Promise<CycleFinding> {
    try {
      const { id, outcome, isConflict } = await enqueue();
      if (outcome === 'submitted') this.logger.log({ event: 'SKILL_EVOLVER_PROPOSAL_EMITTED', approval: id, outcome });
      if (isConflict) this.logger.log({ event: 'SKILL_EVOLVER_CONFLICT_DETECTED', approval: id });
      for (const other of outcome === 'unchanged' ? [] : draft.makesNeedless)
        await this.withdrawProposal.withdraw(ACTOR, other, `it is a part of what item ${id} says`);
      return findingOf(draft, { outcome, approvalId: id, reason: null });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return findingOf(draft, { outcome: 'refused', approvalId: null, reason: error.code });
    }
  }
}

interface UnderTest {
  readonly draft: ComparedDraft;
  readonly test: ReturnType<typeof backtestOf>;
}

const underTest = (draft: ComparedDraft): UnderTest => ({ draft, test: backtestOf(draft) });
const testedOf = ({ draft, test }: UnderTest): TestedDraft => ({ ...draft, backtest: test.result() });
