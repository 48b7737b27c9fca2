import { Injectable, Logger } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Readiness } from '../../platform/http/readiness.service.js';
import { GitRepository, type SkillChange } from '../git/git.repository.js';
import type { HeldCommit, HeldReason } from '../git/known-chain.repository.js';
import { DecisionCache } from './decision-cache.service.js';
import { PublicationRepository } from './publication.repository.js';
import type { RepositoryFinding } from './remote.schema.js';
import { decisionLookup, skillChangeOf } from './skill-change.service.js';
import { type SkillsRepositoryRecord, SkillsRepositoryRecords } from './skills-repository.repository.js';

const REASONS: Readonly<Record<HeldReason, string>> = {
  rewound: 'main no longer holds what was published; it is published again',
  'not-in-line': 'is a merge, or does not follow the last known commit',
  'no-decision': 'names no decision about a skill',
  differs: 'is not what the decision that it names gives',
};

/** The known history of the skills repository, and the commit of main at which it ends. */
export interface HistoryState {
  readonly known: string | null;
  readonly held: HeldCommit | null;
  /** Heads of main that were replaced because decisions did not explain them; git keeps them. */
  readonly setAside: string[];
}

/**
 * Follows main and records the last commit that the decisions explain; only that history is pushed. After a commit that
 * they do not explain, the decisions are added to the known history by commits of their own. Once main holds the same
 * files again, the known history becomes main, and a reference keeps what main had.
 */
@Injectable()
export class KnownHistory {
  private readonly logger = new Logger(KnownHistory.name);
  private held: HeldCommit | undefined;
  /** Record, head and decisions of a run that held a commit. While they are unchanged, so is its result. */
  private lastHeld: string | undefined;
  /** The known commit that a reference protects. */
  private kept: string | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly records: SkillsRepositoryRecords,
    private readonly publications: PublicationRepository,
    private readonly decisions: DecisionCache,
    private readonly git: GitRepository,
    readiness: Readiness,
  ) {
    readiness.registerProblems(() =>
      this.held === undefined
        ? []
        : [
            {
              code: 'skills.push_held',
              message:
                'Commits that no decision explains are kept from the remote. `guildbook status` names the first.',
            },
          ],
    );
  }

  async state(): Promise<HistoryState> {
    const record = await this.records.find(this.database.client);
    this.held = record?.held;
    return { known: record?.known ?? null, held: record?.held ?? null, setAside: await this.git.known.setAsideHeads() };
  }

  findings({ held }: HistoryState): RepositoryFinding[] {
    if (held === null) return [];
    return [{ kind: 'commit-held', subject: held.commit, proposalId: null, problem: REASONS[held.reason] }];
  }

  /** Notes what another process found. */
  async refresh(): Promise<void> {
    this.held = (await this.records.find(this.database.client))?.held;
  }

  /**
   * Records what this process published on the known history from its folder, before it acknowledges that. A folder
   * without these commits follows.
   */
  async noteWritten(folder: string): Promise<void> {
    const before = await this.records.find(this.database.client);
    if (before?.id !== folder) return;
    const head = await this.git.head();
    if (head !== undefined && this.git.wroteAll(before.known, head))
      await this.record(before, { known: head, held: before.held });
  }

  /**
   * Follows main of this folder. Returns the commit that may be pushed; undefined if another folder publishes. One process
   * at a time may call it.
   */
  async follow(folder: string): Promise<string | undefined> {
    const known = await this.advance(folder);
    if (known !== undefined && known !== this.kept) {
      await this.git.keepKnown(known);
      this.kept = known;
    }
    return known;
  }

  private async advance(folder: string): Promise<string | undefined> {
    const before = await this.records.find(this.database.client);
    if (before?.id !== folder) return undefined;
    const { revision } = await this.decisions.current();
    const seen = JSON.stringify([before, await this.git.head(), revision]);
    if (seen === this.lastHeld) return before.known;
    this.lastHeld = undefined;
    const found = await this.git.follow(before.known, decisionLookup(this.database, this.publications));
    if (found.end === undefined) return (await this.record(before, { ...found, held: undefined }))?.known;
    const known = await this.git.known.extend(found.known, await this.missing(found.known));
    // Recorded before it is pushed or becomes main: the remote and main hold nothing that the database does not know.
    const record = await this.record(before, { known, held: found.end });
    if (record === undefined || known === undefined) return undefined;
    const replaced = await this.git.settledHead(known);
    if (replaced !== undefined && (await this.git.setAside(known, replaced)))
      await this.record(record, { known, held: undefined }, replaced);
    else if (known === before.known) this.lastHeld = seen;
    return known;
  }

  /** The decisions that have a commit on main and none in the known history. */
  private async missing(known: string | undefined): Promise<SkillChange[]> {
    const { decisions } = await this.decisions.current();
    const has = await this.git.known.approvals(known);
    const published = decisions.filter(({ commit, proposalId }) => commit !== undefined && !has.has(proposalId));
    const changes = new Map<string, SkillChange>();
    for (const { proposalId } of published) {
      if (changes.has(proposalId)) continue;
      const [publication] = await this.publications.findByProposals(this.database.client, [proposalId]);
      if (publication) changes.set(proposalId, skillChangeOf(publication));
    }
    return [...changes.values()];
  }

  /** Records and journals a change. Returns the new record, or undefined if another process was faster. */
  private async record(
    before: SkillsRepositoryRecord,
    { known, held }: Omit<SkillsRepositoryRecord, 'id'>,
    setAside?: string,
  ): Promise<SkillsRepositoryRecord | undefined> {
    const after = { id: before.id, known, held };
    const isOther = held?.commit !== before.held?.commit;
    if (isOther || known !== before.known) {
      const isRecorded = await this.database.transaction(async (tx) => {
        if (!(await this.records.change(tx, before, after))) return false;
        if (isOther && held) await this.append(tx, 'skills.push_held', { ...held, known });
        if (isOther && !held) await this.append(tx, 'skills.push_released', { ...before.held, known, setAside });
        return true;
      });
      if (!isRecorded) return undefined;
      if (isOther && held) this.logger.warn({ event: 'skills.push_held', ...held });
    }
    this.held = held;
    return after;
  }

  private async append(tx: Tx, action: string, data: Readonly<Record<string, unknown>>): Promise<void> {
    await this.journal.append(tx, jobActor('publisher'), {
      action,
      subject: { type: 'skill', id: 'repository' },
      data: { ...data, at: this.clock.now().toISOString() },
    });
  }
}
