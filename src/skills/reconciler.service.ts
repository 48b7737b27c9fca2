import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { job } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import { Clock } from '../platform/clock.js';
import { Database, type Tx } from '../platform/database.js';
import { Worker } from '../platform/worker.js';
import { GitRepository } from './git.repository.js';
import { type Publication, PublicationRepository } from './publication.repository.js';
import { Publisher } from './publisher.service.js';
import { type Decision, type Finding, findingKey, reconcile } from './reconcile.js';
import type { RepositoryFinding } from './remote.schema.js';

const decisionOf = ({ approvalId, skillName, kind, artifactSha256, commit }: Publication): Decision => ({
  approvalId,
  name: skillName,
  sha256: kind === 'publish' ? artifactSha256 : undefined,
  commit: commit ?? undefined,
});

/**
 * Brings git in line with what was decided, and says what it may not touch: bytes that a person put there and nobody
 * approved stay where they are until a person has looked (spec E4).
 */
@Injectable()
export class Reconciler implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Reconciler.name);
  private readonly worker = new Worker(Reconciler.name, () => this.look());
  private open: readonly Finding[] = [];
  private known = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly publications: PublicationRepository,
    private readonly git: GitRepository,
    private readonly publisher: Publisher,
  ) {}

  ring(): void {
    this.worker.ring();
  }

  idle(): Promise<void> {
    return this.worker.idle();
  }

  /** What the last look found and left to people. */
  findings(): RepositoryFinding[] {
    return this.open
      .filter(({ repair }) => repair === 'ask' || repair === 'report')
      .map((finding) => ({
        kind: finding.kind,
        what: 'path' in finding ? finding.path : 'name' in finding ? finding.name : 'the repository',
      }));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker.stop();
  }

  private async look(): Promise<boolean> {
    // Publications under way are no difference.
    await this.publisher.idle();
    const publications = await this.publications.all(this.database.client);
    const { tree, commits, edits } = await this.git.snapshot();
    const others = [...tree.others].filter(([, file]) => !file.generated).map(([path]) => path);
    const findings = reconcile(publications.map(decisionOf), { commits, skills: tree.skills, others, edits });
    this.open = findings;
    for (const finding of findings) await this.repair(finding);
    this.known = new Set(findings.map(findingKey));
    return false;
  }

  private async repair(finding: Finding): Promise<void> {
    if (!this.known.has(findingKey(finding)))
      this.logger.warn({ event: 'skills.repository_differs', kind: finding.kind, repair: finding.repair });
    switch (finding.repair) {
      case 'publish':
        return this.publisher.ring();
      case 'publish-again':
        await this.record(finding, (tx) => this.publications.reopen(tx, finding.approvalId));
        return this.publisher.ring();
      case 'acknowledge':
        return this.record(finding, (tx) => this.publications.moveTo(tx, finding.approvalId, finding.commit));
      case 'restore-file':
        await this.git.restoreFile(finding.path, undefined);
        return this.record(finding, async () => true);
      case 'ask':
      case 'report':
        return;
    }
  }

  private async record(finding: Finding, change: (tx: Tx) => Promise<boolean>): Promise<void> {
    const at = this.clock.now().toISOString();
    await this.database.transaction(async (tx) => {
      if (!(await change(tx))) return;
      const id = 'name' in finding ? finding.name : 'path' in finding ? finding.path : 'repository';
      await this.journal.append(tx, job('reconciler'), {
        action: 'skills.repository_repaired',
        subject: { type: 'skill', id },
        data: { kind: finding.kind, repair: finding.repair, at },
      });
    });
  }
}
