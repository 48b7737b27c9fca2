import { isUtf8 } from 'node:buffer';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { defineWorker } from '../../platform/background/worker.js';
import { Yielder } from '../../platform/background/yielder.js';
import { Clock } from '../../platform/base/clock.js';
import { DAY_MS, MINUTE_MS } from '../../platform/base/durations.js';
import { messageOf } from '../../platform/base/error-text.js';
import type { Config } from '../../platform/config/config.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Readiness, type ReadinessProblem } from '../../platform/http/readiness.service.js';
import { CONFIG } from '../../platform/platform.module.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { bundleOf, SKILL_FILE } from '../document/bundle.js';
import { visibleLine } from '../document/frontmatter.js';
import { GitRepository, type RepositorySnapshot } from '../git/git.repository.js';
import { skillFileOf } from '../git/main-history.repository.js';
import { type CachedDecisions, DecisionCache } from './decision-cache.service.js';
import { PublicationRepository } from './publication.repository.js';
import { Publisher } from './publisher.service.js';
import { compareBySkill, differenceKey, type RepositoryDifference, sortDifferences } from './reconcile.js';
import type { RepositoryFinding } from './remote.schema.js';
import { SkillsFolder } from './skills-folder.service.js';

interface RepairRecord extends Pick<RepositoryDifference, 'kind' | 'repair'> {
  readonly name?: string;
  readonly path?: string;
}

type Explanation = Pick<RepositoryFinding, 'proposalId' | 'problem'>;

/** A change to a skill's file by an unknown author, in the folder or by a commit on main. */
export interface ExternalEdit {
  readonly key: string;
  readonly name: string;
  readonly from: 'folder' | 'main';
  /** By path, the objects of the folder's files at the time of reading. */
  readonly seen: ReadonlyMap<string, string>;
  /** All files of the skill as one text. Null for a deleted skill, undefined if it is not text or too long. */
  readonly text: string | null | undefined;
}

const MAX_EDIT_BYTES = 64 * 1024;

/** A path that others chose, as text of ours. */
const shown = (path: string): string => clip(redact(visibleLine(path)).text, 200);

const reasonOf = (error: unknown): string => clip(generalise(redact(messageOf(error)).text), 300);

const textOf = (bytes: Buffer | undefined): string | undefined =>
  bytes && bytes.length <= MAX_EDIT_BYTES && isUtf8(bytes) ? bytes.toString('utf8') : undefined;

/**
 * Aligns git with the decisions and reports differences that it may not repair: unapproved bytes stay until a person
 * has decided.
 */
@Injectable()
export class Reconciler extends defineWorker({ atStart: true }) {
  private readonly logger = new Logger(Reconciler.name);
  private openDifferences: readonly RepositoryDifference[] = [];
  private known = new Set<string>();
  /** Decisions, head and folder of the last run without repairs. While they are unchanged, so are the differences. */
  private lastCleanState: string | undefined;
  private isComplete = false;
  private readonly runs: ReconcilerRuns;
  /** Differences whose repair failed, with the reason. */
  private readonly failedRepairs = new Map<string, string>();
  private readonly explanations = new Map<string, Explanation>();

  constructor(
    @Inject(CONFIG) config: Config,
    readiness: Readiness,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly publications: PublicationRepository,
    private readonly decisions: DecisionCache,
    private readonly git: GitRepository,
    private readonly publisher: Publisher,
    private readonly folder: SkillsFolder,
  ) {
    super();
    this.runs = new ReconcilerRuns(config.reconcilerStalledMinutes * MINUTE_MS);
    readiness.registerProblems(() => this.runs.problems(this.clock.now().getTime()));
  }

  /** The differences of the last run that are left to people. */
  findings(): RepositoryFinding[] {
    const open = this.openDifferences
      .filter((it) => it.repair === 'ask' || it.repair === 'report' || this.failedRepairs.has(differenceKey(it)))
      .map((difference) => {
        const key = differenceKey(difference);
        return {
          kind: difference.kind,
          subject:
            'path' in difference ? shown(difference.path) : 'name' in difference ? difference.name : 'the repository',
          ...(this.explanations.get(key) ?? { proposalId: null, problem: this.failedRepairs.get(key) ?? null }),
        };
      });
    return [...this.runs.findings(this.clock.now().getTime()), ...open];
  }

  /**
   * Runs the comparison and returns the external edits of skills, or undefined if git and the folder could not be read
   * completely.
   */
  async externalEdits(): Promise<ExternalEdit[] | undefined> {
    this.wake();
    await this.idle();
    if (!this.isComplete) return undefined;
    const edits: ExternalEdit[] = [];
    for (const difference of this.openDifferences) {
      // A file that cannot be read must not keep the edits of others from people.
      const edit = await this.toExternalEdit(difference).catch((error: unknown) => {
        this.explanations.set(differenceKey(difference), { proposalId: null, problem: reasonOf(error) });
        return undefined;
      });
      if (edit) edits.push(edit);
    }
    return edits;
  }

  /** Records the result of an external edit, to be shown in the repository's state. */
  explain({ key }: ExternalEdit, explanation: Explanation): void {
    this.explanations.set(key, explanation);
  }

  /** Restores the files from main, unless they changed after they were read. */
  async restore({ seen }: ExternalEdit): Promise<void> {
    for (const [path, blob] of seen)
      if (await this.git.restoreFile(path, blob))
        await this.record({ kind: 'worktree-edited', repair: 'restore-file', path }, async () => true);
  }

  private async toExternalEdit(difference: RepositoryDifference): Promise<ExternalEdit | undefined> {
    if (difference.repair !== 'ask') return undefined;
    const key = differenceKey(difference);
    if (difference.kind === 'worktree-edited') {
      const { name } = skillFileOf(difference.path) ?? {};
      return name === undefined ? undefined : this.folderEdit(key, name);
    }
    const main = { key, from: 'main', seen: new Map<string, string>() } as const;
    if (difference.kind === 'deleted-in-git') return { ...main, name: difference.name, text: null };
    if (difference.kind !== 'unapproved-change') return undefined;
    const text = await this.git.read(difference.name);
    return { ...main, name: difference.name, text: textOf(text === undefined ? undefined : Buffer.from(text)) };
  }

  private async folderEdit(key: string, name: string): Promise<ExternalEdit> {
    const files = (await this.git.readEdited(name)) ?? new Map();
    const seen = new Map([...files].map(([path, { blob }]) => [path, blob]));
    const texts = new Map([...files].map(([path, { bytes }]) => [path.slice(name.length + 1), textOf(bytes)]));
    const skill = texts.get(SKILL_FILE);
    texts.delete(SKILL_FILE);
    const isText = skill !== undefined && [...texts.values()].every((text) => text !== undefined);
    const text = isText ? bundleOf(skill, new Map([...texts].map(([file, it]) => [file, it ?? '']))) : undefined;
    return { key, name, from: 'folder', seen, text };
  }

  protected async step(): Promise<boolean> {
    this.isComplete = false;
    this.runs.started(this.clock.now().getTime());
    try {
      await this.compareAndRepair();
      this.runs.succeeded();
    } catch (error) {
      this.runs.failed(reasonOf(error));
      throw error;
    }
    return false;
  }

  private async compareAndRepair(): Promise<void> {
    // Publications in progress are not differences.
    await this.publisher.idle();
    // A folder that another process does not publish to would be repaired for ever.
    if ((await this.folder.publishing()) === undefined) return;
    // What remains is a difference, whose repair names the reason.
    await this.removeUnknown().catch(() => undefined);
    const known = await this.decisions.current();
    const snapshot = await this.git.snapshot();
    const { head, edits } = snapshot;
    const seen = JSON.stringify([known.revision, head, edits]);
    if (seen !== this.lastCleanState) {
      const found = await this.compare(known, snapshot);
      this.openDifferences = found;
      this.failedRepairs.clear();
      for (const difference of found) await this.repairAlone(difference);
      this.known = new Set(found.map(differenceKey));
      for (const key of this.explanations.keys()) if (!this.known.has(key)) this.explanations.delete(key);
      // Repairs are checked in the next run; differences left to people do not need another one.
      this.lastCleanState = found.every(({ repair }) => repair === 'ask' || repair === 'report') ? seen : undefined;
    }
    this.isComplete = edits !== undefined;
  }

  /** Comparing ten thousand skills takes a while, so it yields to requests in between. */
  private async compare(
    { decisions }: CachedDecisions,
    { tree, commits, edits }: RepositorySnapshot,
  ): Promise<RepositoryDifference[]> {
    const foreign = [...tree.others].filter(([, file]) => !file.generated);
    const others = foreign.filter(([, file]) => file.unreadable !== true).map(([path]) => path);
    const folders = foreign.filter(([, file]) => file.unreadable === true).map(([path]) => path);
    const files = tree.skills.flatMap(({ name, unreadable = [] }) => unreadable.map((file) => `${name}/${file}`));
    const observed = { commits, skills: tree.skills, others, unreadable: [...folders, ...files], edits };
    const found: RepositoryDifference[] = [];
    const yielder = new Yielder();
    for (const part of compareBySkill(decisions, observed)) {
      found.push(...part);
      await yielder.yieldIfDue();
    }
    return sortDifferences(found);
  }

  /** A repair that fails is named beside its difference, and the others go on. */
  private async repairAlone(difference: RepositoryDifference): Promise<void> {
    try {
      await this.repair(difference);
    } catch (error) {
      this.failedRepairs.set(differenceKey(difference), reasonOf(error));
      this.logger.warn({ event: 'skills.repair_failed', kind: difference.kind, reason: reasonOf(error) });
    }
  }

  /** Removes from main what consumers could run. Each commit is journalled, also one that a publication needed. */
  private async removeUnknown(): Promise<void> {
    const now = this.clock.now();
    try {
      await this.git.removeUnknown(now.toISOString());
    } finally {
      for (const { commit, paths } of this.git.takeRemovals()) {
        const problem = `removed from main by commit ${commit.slice(0, 12)}; the history keeps it`;
        for (const path of paths) this.runs.removed(shown(path), problem, now.getTime());
        await this.recordRemoval({ in: 'main', commit, files: paths.length, paths: paths.slice(0, 20).map(shown) });
      }
    }
  }

  private async setAside(path: string): Promise<void> {
    if (!(await this.git.setEntryAside(path))) return;
    this.runs.removed(shown(path), 'moved from the folder to .git/guildbook/removed', this.clock.now().getTime());
    await this.recordRemoval({ in: 'folder', files: 1, paths: [shown(path)] });
  }

  private async recordRemoval(facts: Readonly<Record<string, unknown>>): Promise<void> {
    this.logger.warn({ event: 'skills.unknown_files_removed', ...facts });
    const at = this.clock.now().toISOString();
    await this.database.transaction((tx) =>
      this.journal.append(tx, jobActor('reconciler'), {
        action: 'skills.repository_repaired',
        subject: { type: 'skill', id: 'repository' },
        data: { kind: 'unknown-file', repair: 'remove', at, ...facts },
      }),
    );
  }

  private async repair(difference: RepositoryDifference): Promise<void> {
    if (!this.known.has(differenceKey(difference)))
      this.logger.warn({ event: 'skills.repository_differs', kind: difference.kind, repair: difference.repair });
    switch (difference.repair) {
      case 'publish':
        return this.publisher.wake();
      case 'publish-again':
        await this.record(difference, (tx) => this.publications.reopen(tx, difference.proposalId));
        return this.publisher.wake();
      case 'acknowledge': {
        const { proposalId, commit } = difference;
        return this.record(difference, (tx) => this.publications.setCommit(tx, proposalId, commit));
      }
      case 'restore-file':
        if (difference.kind === 'worktree-edited') await this.setAside(difference.path);
        await this.git.restoreFile(difference.path, undefined);
        return this.record(difference, async () => true);
      case 'remove':
        return difference.in === 'main' ? this.removeUnknown() : this.setAside(difference.path);
      case 'ask':
      case 'report':
        return;
    }
  }

  private async record(repaired: RepairRecord, change: (tx: Tx) => Promise<boolean>): Promise<void> {
    const at = this.clock.now().toISOString();
    await this.database.transaction(async (tx) => {
      if (!(await change(tx))) return;
      const { kind, repair, name, path } = repaired;
      await this.journal.append(tx, jobActor('reconciler'), {
        action: 'skills.repository_repaired',
        subject: { type: 'skill', id: name ?? path ?? 'repository' },
        data: { kind, repair, at },
      });
    });
  }
}

/** A file that was taken away, which a person should know about. */
interface RemovedFile {
  readonly path: string;
  readonly problem: string;
  readonly at: number;
}

/** As long as a person who looks once a day needs to see it. The journal has it for ever. */
const SHOWN_MS = DAY_MS;
const MAX_SHOWN = 100;
const STALLED: ReadinessProblem = {
  code: 'skills.reconciler_stalled',
  message: 'The skills repository cannot be compared with the decisions. GET /v1/repository says why.',
};

/** What the runs of the reconciler left to be shown: whether the last one ended well, and the files that were removed. */
class ReconcilerRuns {
  #startedAt: number | undefined;
  #failure: string | undefined;
  #removed: readonly RemovedFile[] = [];

  constructor(private readonly longestMs: number) {}

  started(now: number): void {
    this.#startedAt ??= now;
  }

  succeeded(): void {
    this.#startedAt = undefined;
    this.#failure = undefined;
  }

  /** `reason` is redacted. */
  failed(reason: string): void {
    this.#startedAt = undefined;
    this.#failure = reason;
  }

  removed(path: string, problem: string, at: number): void {
    const others = this.#removed.filter((one) => one.path !== path && at - one.at < SHOWN_MS);
    this.#removed = [...others, { path, problem, at }].slice(-MAX_SHOWN);
  }

  findings(now: number): RepositoryFinding[] {
    const reason = this.#reason(now);
    const stalled = { kind: 'reconciler-stalled', subject: 'the repository', proposalId: null };
    const removed = this.#removed
      .filter(({ at }) => now - at < SHOWN_MS)
      .map(({ path, problem }) => ({ kind: 'removed-file', subject: path, proposalId: null, problem }));
    return [...(reason === undefined ? [] : [{ ...stalled, problem: reason }]), ...removed];
  }

  problems(now: number): ReadinessProblem[] {
    return this.#reason(now) === undefined ? [] : [STALLED];
  }

  #reason(now: number): string | undefined {
    const isLate = this.#startedAt !== undefined && now - this.#startedAt > this.longestMs;
    return this.#failure ?? (isLate ? 'the comparison of git with the decisions has not ended' : undefined);
  }
}
