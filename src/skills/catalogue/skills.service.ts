import { Inject, Injectable } from '@nestjs/common';
import type { MemoryEntry, SkillPageQuery } from '../../memory/store/memory.schema.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { compareText } from '../../platform/base/compare-text.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { type Audience, type DeliveryLimit, isDeliveredTo } from '../delivery/audience.js';
import type { LiveCheck } from '../delivery/live-check.schema.js';
import { LiveChecks } from '../delivery/live-checks.service.js';
import { RolloutStages } from '../delivery/rollout-stages.service.js';
import { filesOf } from '../document/bundle.js';
import { safeAuthor } from '../git/commit-message.js';
import { GitRepository } from '../git/git.repository.js';
import { KnownHistory } from '../publishing/known-history.service.js';
import { type Publication, PublicationRepository } from '../publishing/publication.repository.js';
import { Reconciler } from '../publishing/reconciler.service.js';
import type { RepositoryState } from '../publishing/remote.schema.js';
import { RemotePusher } from '../publishing/remote-pusher.service.js';
import { commitMessageOf } from '../publishing/skill-change.service.js';
import type { Skill, SkillList, SkillSummary } from './skills.schema.js';
import { ARCHIVE_FILE, archiveOf, type PublishedSkill, publishedSkill } from './well-known.js';

/** Most commits of a skill that are listed. */
const MAX_COMMITS = 50;

/** A decision about a skill, as it was sent to the publisher. */
export interface SkillPublicationRecord
  extends Pick<Publication, 'kind' | 'version' | 'proposalId' | 'artifact' | 'commit'> {
  readonly by: string;
  readonly at: string;
}

/** The live version of a skill, or its last version after it ended. */
export interface LatestSkill extends Omit<Skill, 'history'> {
  /** When the skill ended, and the name of its successor, if any; null while it is live. */
  readonly ended: { readonly at: string; readonly replacedBy: string | null } | null;
}

/** The approved skills, from memory and git. */
@Injectable()
export class Skills {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly entries: OrgEntries,
    private readonly publications: PublicationRepository,
    private readonly git: GitRepository,
    private readonly rollouts: RolloutStages,
    private readonly checks: LiveChecks,
    private readonly history: KnownHistory,
    private readonly remote: RemotePusher,
    private readonly reconciler: Reconciler,
  ) {}

  /** The live skills that this audience receives. */
  async list(audience: Audience): Promise<SkillList> {
    const entries = await this.entriesFor(audience);
    const proposalIds = entries.flatMap((entry) => entry.proposalId ?? []);
    const publications = await this.publications.findByProposals(this.database.client, proposalIds);
    const byProposal = new Map(publications.map((publication) => [publication.proposalId, publication]));
    const checks = await this.checks.shown(entries.map(({ id }) => id));
    const items = entries.flatMap(({ limit, ...entry }) => {
      const publication = byProposal.get(entry.proposalId ?? '');
      return publication ? [toSummary(entry, publication, limit, checks)] : [];
    });
    return { items: items.sort((a, b) => a.name.localeCompare(b.name, 'en')), total: items.length };
  }

  /** A page of all live skills by name. For people, who see every rollout stage. */
  async page(query: SkillPageQuery): Promise<SkillList> {
    return this.toSkillList(await this.entries.skillPage(query));
  }

  /** A page of the last versions of skills that are no longer live, each with its end. */
  async ended(query: SkillPageQuery): Promise<SkillList & { endedAt: ReadonlyMap<string, string> }> {
    const { entries, total } = await this.entries.endedPage(query);
    const endedAt = entries.map(({ skillName, supersededAt }) => [skillName ?? '', supersededAt ?? ''] as const);
    return { ...(await this.toSkillList({ entries, total })), endedAt: new Map(endedAt) };
  }

  private async toSkillList({ entries, total }: { entries: MemoryEntry[]; total: number }): Promise<SkillList> {
    const limits = await this.rollouts.limits();
    const publications = await this.publications.findByProposals(
      this.database.client,
      entries.flatMap(({ proposalId }) => proposalId ?? []),
    );
    const byProposal = new Map(publications.map((publication) => [publication.proposalId, publication]));
    const checks = await this.checks.shown(entries.map(({ id }) => id));
    const items = entries.flatMap((entry) => {
      const publication = byProposal.get(entry.proposalId ?? '');
      return publication ? [toSummary(entry, publication, limits.get(entry.id), checks)] : [];
    });
    return { items, total };
  }

  /**
   * The live skills that an audience may install: those whose file is in git. Throws `not_found` if public access is
   * off.
   */
  async published(audience: Audience): Promise<PublishedSkill[]> {
    return (await this.publicationsFor(audience)).map(({ skillName, artifact }) => publishedSkill(skillName, artifact));
  }

  /** The same skills with their files, by path. */
  async publishedFiles(audience: Audience): Promise<{ name: string; files: Map<string, string> }[]> {
    const skills = await this.publicationsFor(audience);
    return skills
      .map(({ skillName, artifact }) => ({ name: skillName, files: filesOf(artifact) }))
      .sort((a, b) => compareText(a.name, b.name));
  }

  /** A file of a published skill, or all of its files as an archive. Throws `not_found`. */
  async publishedFile(name: string, path: string, audience: Audience): Promise<string | Buffer> {
    this.requireInstallable(audience);
    const { artifact, publication } = await this.current(name, audience);
    const files = publication.state === 'published' ? filesOf(artifact) : undefined;
    const file = files && (path === ARCHIVE_FILE && files.size > 1 ? archiveOf(files) : files.get(path));
    if (file === undefined) throw new DomainError('not_found', 'skill.not_found', `There is no ${path} of "${name}".`);
    return file;
  }

  private async publicationsFor(audience: Audience): Promise<Publication[]> {
    this.requireInstallable(audience);
    const proposalIds = (await this.entriesFor(audience)).flatMap(({ proposalId }) => proposalId ?? []);
    const publications = await this.publications.findByProposals(this.database.client, proposalIds);
    return publications.filter(({ state }) => state === 'published');
  }

  private requireInstallable(audience: Audience): void {
    if (audience === 'public' && !this.config.publicSkills)
      throw new DomainError(
        'not_found',
        'skill.not_public',
        'This server serves skills only to callers with a credential.',
      );
  }

  async repository(): Promise<RepositoryState> {
    const history = await this.history.state();
    const findings = [...this.history.findings(history), ...this.reconciler.findings()];
    return { head: (await this.git.head()) ?? null, history, remote: this.remote.state(), findings };
  }

  private async entriesFor(audience: Audience): Promise<(MemoryEntry & { limit: DeliveryLimit | undefined })[]> {
    const entries = await this.entries.live();
    const limits = await this.rollouts.limits();
    return entries
      .map((entry) => ({ ...entry, limit: limits.get(entry.id) }))
      .filter(({ skillName, limit }) => isDeliveredTo(audience, limit, skillName ?? ''));
  }

  /** A live skill with the commits that changed it. Throws `not_found`, also if the agent does not receive the skill. */
  async show(name: string, audience: Audience): Promise<Skill> {
    const skill = await this.current(name, audience);
    // From the decisions, not from git's log: agents read it, and a commit by hand has a message of its own.
    const records = await this.publications.ofSkill(this.database.client, name);
    return { ...skill, history: records.flatMap(commitEntry).reverse().slice(0, MAX_COMMITS) };
  }

  /** All publications under this name, oldest first: versions with their files, and retirements. */
  async decisions(name: string): Promise<SkillPublicationRecord[]> {
    const records = await this.publications.ofSkill(this.database.client, name);
    return records.map(({ kind, version, proposalId, artifact, authorName, decidedAt, commit }) => ({
      kind,
      version,
      proposalId,
      artifact,
      commit,
      by: authorName,
      at: decidedAt.toISOString(),
    }));
  }

  /** The live version, from the database alone. Throws as `show` does. */
  async current(name: string, audience: Audience): Promise<Omit<Skill, 'history'>> {
    const live = await this.entries.liveSkill(name);
    const limit = live && (await this.rollouts.limits()).get(live.id);
    const entry = isDeliveredTo(audience, limit, name) ? live : undefined;
    const [publication] = entry?.proposalId
      ? await this.publications.findByProposals(this.database.client, [entry.proposalId])
      : [];
    if (!entry || !publication) throw skillNotFound(name);
    const checks = await this.checks.shown([entry.id]);
    return { ...toSummary(entry, publication, limit, checks), artifact: publication.artifact };
  }

  /**
   * The live version, or the last version after the skill ended; for people. Throws `not_found` for a name that no
   * skill ever had.
   */
  async latest(name: string): Promise<LatestSkill> {
    const entry = (await this.entries.history(name)).at(-1);
    const [publication] = entry?.proposalId
      ? await this.publications.findByProposals(this.database.client, [entry.proposalId])
      : [];
    if (!entry || !publication) throw skillNotFound(name);
    const limit = (await this.rollouts.limits()).get(entry.id);
    const next = entry.supersededById === null ? undefined : await this.entries.find(entry.supersededById);
    const ended = entry.supersededAt === null ? null : { at: entry.supersededAt, replacedBy: next?.skillName ?? null };
    const checks = await this.checks.shown([entry.id]);
    return { ...toSummary(entry, publication, limit, checks), artifact: publication.artifact, ended };
  }
}

function commitEntry(publication: Publication): Skill['history'] {
  const { commit, authorName: name, authorEmail: email, decidedAt } = publication;
  if (commit === null) return [];
  const [subject = ''] = commitMessageOf(publication).toString().split('\n');
  return [{ commit, author: safeAuthor({ name, email }).name, when: decidedAt.toISOString(), subject }];
}

const skillNotFound = (name: string): DomainError =>
  new DomainError('not_found', 'skill.not_found', `There is no skill "${name}".`);

function toSummary(
  entry: MemoryEntry,
  publication: Publication,
  limit: DeliveryLimit | undefined,
  checks: ReadonlyMap<string, LiveCheck>,
): SkillSummary {
  return {
    name: publication.skillName,
    version: publication.version,
    discovery: entry.lesson.discovery,
    provenance: 'verified',
    proposalId: publication.proposalId,
    artifactSha256: publication.artifactSha256,
    approvedBy: publication.authorName,
    approvedAt: publication.decidedAt.toISOString(),
    publication: {
      state: publication.state,
      commit: publication.commit,
      path: `${publication.skillName}/SKILL.md`,
      lastError: publication.lastError,
    },
    check: checks.get(entry.id) ?? null,
    percent: limit?.percent ?? 100,
    onlyOwner: limit?.boundTo?.owner ?? null,
    applicationCount: entry.applicationCount,
    lastAppliedAt: entry.lastAppliedAt,
  };
}
