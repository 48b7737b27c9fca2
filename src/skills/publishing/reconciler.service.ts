import { isUtf8 } from 'node:buffer';
import { Injectable, Logger } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { BackgroundWorker } from '../../platform/background/worker.js';
import { Yielder } from '../../platform/background/yielder.js';
import { Clock } from '../../platform/base/clock.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { bundleOf, SKILL_FILE } from '../document/bundle.js';
import { GitRepository, type RepositorySnapshot } from '../git/git.repository.js';
import { skillFileOf } from '../git/main-history.repository.js';
import { type CachedDecisions, DecisionCache } from './decision-cache.service.js';
import { PublicationRepository } from './publication.repository.js';
import { Publisher } from './publisher.service.js';
import { differenceKey, differences, type RepositoryDifference, sortDifferences } from './reconcile.js';
import type { RepositoryFinding } from './remote.schema.js';

interface RepairRecord extends Pick<RepositoryDifference, 'kind' | 'repair'> {
  readonly name?: string;
  readonly path?: string;
}

type Explanation = Pick<RepositoryFinding, 'approval' | 'problem'>;

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

function textOf(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined || bytes.length > MAX_EDIT_BYTES || !isUtf8(bytes)) return undefined;
  return bytes.toString('utf8');
}

/**
 * Aligns git with the decisions and reports differences that it may not repair: unapproved bytes stay until a person
 * has decided.
 */
@Injectable()
export class Reconciler extends BackgroundWorker {
  private readonly logger = new Logger(Reconciler.name);
  private open: readonly RepositoryDifference[] = [];
  private known = new Set<string>();
  /** Decisions, head and folder of the last run without repairs. While they are unchanged, so are the differences. */
  private settled: string | undefined;
  private isComplete = false;
  private readonly explained = new Map<string, Explanation>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly publications: PublicationRepository,
    private readonly decisions: DecisionCache,
    private readonly git: GitRepository,
    private readonly publisher: Publisher,
  ) {
    super();
  }

  /** The differences of the last run that are left to people. */
  findings(): RepositoryFinding[] {
    return this.open
      .filter(({ repair }) => repair === 'ask' || repair === 'report')
      .map((finding) => ({
        kind: finding.kind,
        subject: 'path' in finding ? finding.path : 'name' in finding ? finding.name : 'the repository',
        ...(this.explained.get(differenceKey(finding)) ?? { approval: null, problem: null }),
      }));
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
    for (const finding of this.open) {
      const edit = await this.toExternalEdit(finding);
      if (edit) edits.push(edit);
    }
    return edits;
  }

  /** Records the result of an external edit, to be shown in the repository's state. */
  explain({ key }: ExternalEdit, explanation: Explanation): void {
    this.explained.set(key, explanation);
  }

  /** Restores the files from main, unless they changed after they were read. */
  async restore({ seen }: ExternalEdit): Promise<void> {
    for (const [path, blob] of seen)
      if (await this.git.restoreFile(path, blob))
        await this.record({ kind: 'worktree-edited', repair: 'restore-file', path }, async () => true);
  }

  private async toExternalEdit(finding: RepositoryDifference): Promise<ExternalEdit | undefined> {
    if (finding.repair !== 'ask') return undefined;
    const key = differenceKey(finding);
    if (finding.kind === 'worktree-edited') {
      const { name } = skillFileOf(finding.path) ?? {};
      return name === undefined ? undefined : this.folderEdit(key, name);
    }
    const main = { key, from: 'main', seen: new Map<string, string>() } as const;
    if (finding.kind === 'deleted-in-git') return { ...main, name: finding.name, text: null };
    if (finding.kind !== 'unapproved-change') return undefined;
    const text = await this.git.read(finding.name);
    return { ...main, name: finding.name, text: textOf(text === undefined ? undefined : Buffer.from(text)) };
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
    // Publications in progress are not differences.
    await this.publisher.idle();
    const known = await this.decisions.current();
    const snapshot = await this.git.snapshot();
    const { head, edits } = snapshot;
    const seen = JSON.stringify([known.revision, head, edits]);
    if (seen !== this.settled) {
      const findings = await this.compare(known, snapshot);
      this.open = findings;
      for (const finding of findings) await this.repair(finding);
      this.known = new Set(findings.map(differenceKey));
      for (const key of this.explained.keys()) if (!this.known.has(key)) this.explained.delete(key);
      // Repairs are checked in the next run; differences left to people do not need another one.
      this.settled = findings.every(({ repair }) => repair === 'ask' || repair === 'report') ? seen : undefined;
    }
    this.isComplete = edits !== undefined;
    return false;
  }

  /** Comparing ten thousand skills takes a while, so it yields to requests in between. */
  private async compare(
    { decisions }: CachedDecisions,
    { tree, commits, edits }: RepositorySnapshot,
  ): Promise<RepositoryDifference[]> {
    const others = [...tree.others].filter(([, file]) => !file.generated).map(([path]) => path);
    const findings: RepositoryDifference[] = [];
    const yielder = new Yielder();
    for (const some of differences(decisions, { commits, skills: tree.skills, others, edits })) {
      findings.push(...some);
      await yielder.yieldIfDue();
    }
    return sortDifferences(findings);
  }

  private async repair(finding: RepositoryDifference): Promise<void> {
    if (!this.known.has(differenceKey(finding)))
      this.logger.warn({ event: 'skills.repository_differs', kind: finding.kind, repair: finding.repair });
    switch (finding.repair) {
      case 'publish':
        return this.publisher.wake();
      case 'publish-again':
        await this.record(finding, (tx) => this.publications.reopen(tx, finding.proposalId));
        return this.publisher.wake();
      case 'acknowledge':
        return this.record(finding, (tx) => this.publications.setCommit(tx, finding.proposalId, finding.commit));
      case 'restore-file':
        await this.git.restoreFile(finding.path, undefined);
        return this.record(finding, async () => true);
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
