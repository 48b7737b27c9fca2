import { Inject, Injectable, Logger } from '@nestjs/common';
import type { ApprovedTexts } from '../approvals/queue/approved-texts.js';
import { ProposalQueue } from '../approvals/queue/proposal-queue.service.js';
import { ProposeMerge } from '../approvals/submissions/propose-merge.js';
import { type JobActor, jobActor, requireJob } from '../journal/actor.js';
import type { MemoryEntry } from '../memory/store/memory.schema.js';
import { OrgEntries } from '../memory/store/org-entries.service.js';
import { ScheduledJob } from '../platform/background/scheduled-jobs.service.js';
import { Yielder } from '../platform/background/yielder.js';
import { Clock } from '../platform/base/clock.js';
import { compareText } from '../platform/base/compare-text.js';
import { DomainError } from '../platform/base/domain.errors.js';
import { MINUTE_MS } from '../platform/base/durations.js';
import { Ids } from '../platform/base/ids.js';
import type { Config } from '../platform/config/config.js';
import { WorkerDatabase } from '../platform/database/database.js';
import { releaseLease, takeLease } from '../platform/database/lease.js';
import { CONFIG } from '../platform/platform.module.js';
import { RolloutStages } from '../skills/delivery/rollout-stages.service.js';
import type { MergeSearch } from './merges.schema.js';
import { type ApprovedSkill, isSameLesson, type ReadSkill, readSkill } from './same-lesson.js';

const LEASE = 'consolidation:skills';
const LEASE_MS = 10 * MINUTE_MS;

type Row = MergeSearch['merges'][number];

/**
 * Finds live skills that say the same, and proposes to keep one of each pair. It only reads and submits proposals: org
 * memory and the published files change when a person approves one.
 */
@Injectable()
export class SkillMerges {
  private readonly logger = new Logger(SkillMerges.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly org: OrgEntries,
    private readonly rollouts: RolloutStages,
    private readonly queue: ProposalQueue,
    private readonly proposeMerge: ProposeMerge,
  ) {}

  @ScheduledJob({
    name: 'skill-merges',
    schedule: ({ consolidationCron, skillMergesCron }) => ({
      cron: consolidationCron === 'off' ? 'off' : skillMergesCron,
    }),
  })
  runScheduled(): Promise<MergeSearch> {
    return this.run(jobActor('skill-merges'), { dryRun: false });
  }

  /** Throws `conflict` while another search is in progress, in any process. */
  async run(actor: JobActor, { dryRun }: Pick<MergeSearch, 'dryRun'>): Promise<MergeSearch> {
    requireJob(actor);
    const holder = this.ids.uuid();
    const now = this.clock.now();
    const { client } = this.database;
    if (!(await takeLease(client, LEASE, holder, now, LEASE_MS)))
      throw new DomainError('conflict', 'consolidation.merges_busy', 'A search for merges is running; try again.');
    try {
      const { skills, inRollout } = await this.liveSkills();
      const merges = await this.submit(actor, await findMerges(skills), dryRun);
      const submitted = merges.filter(({ outcome }) => outcome === 'submitted').length;
      this.logger.log({
        event: 'SKILL_MERGES_SEARCHED',
        skills: skills.length,
        pairs: merges.length,
        submitted,
        dryRun,
      });
      return { dryRun, skills: skills.length, inRollout, merges };
    } finally {
      await releaseLease(client, LEASE, holder);
    }
  }

  /** Live skills that all agents receive: the one that stays has to reach everyone whom the other one reaches. */
  private async liveSkills(): Promise<{ skills: ApprovedSkill[]; inRollout: number }> {
    const entries = await this.org.live(this.database.client);
    const limits = await this.rollouts.limits();
    const whole = entries.filter(({ id }) => !limits.has(id));
    const texts = await this.queue.texts(whole.flatMap(({ proposalId }) => proposalId ?? []));
    return {
      skills: whole.flatMap((entry) => approvedSkill(entry, texts.get(entry.proposalId ?? '')) ?? []),
      inRollout: entries.length - whole.length,
    };
  }

  /** The number of pending merges is bounded, like that of the proposals of a cycle. */
  private async submit(actor: JobActor, merges: readonly SkillMerge[], dryRun: boolean): Promise<Row[]> {
    let room = this.config.maxProposalsPerCycle - (await this.queue.countPendingRequests('merge'));
    room = Math.min(room, await this.queue.freePlaces());
    const rows: Row[] = [];
    for (const merge of merges) {
      const says = mergeInWords(merge);
      const row = { keep: shown(merge.keep), retire: shown(merge.retire), says, proposalId: null };
      if (dryRun || room <= 0) {
        rows.push({ ...row, outcome: dryRun ? 'dry_run' : 'held_back' });
        continue;
      }
      const result = await this.proposeMerge.propose(actor, {
        keep: refOf(merge.keep),
        retire: refOf(merge.retire),
        says,
      });
      if (result.outcome === 'submitted') room -= 1;
      rows.push({ ...row, ...result });
    }
    return rows;
  }
}

async function findMerges(skills: readonly ApprovedSkill[]): Promise<readonly SkillMerge[]> {
  const finder = new MergeFinder();
  const yielder = new Yielder();
  for (const skill of [...skills].sort(compareSkills)) {
    finder.add(readSkill(skill));
    await yielder.yieldIfDue();
  }
  return finder.result();
}

const REWORDED = new Set(['condition', 'action', 'steps']);

function approvedSkill(entry: MemoryEntry, approved: ApprovedTexts | undefined): ApprovedSkill | undefined {
  if (!approved || entry.skillName === null) return undefined;
  const { texts, authored, writer, verdict, ...facts } = approved;
  const { title, condition, action, steps, binding, predicate } = texts;
  return {
    memoryId: entry.id,
    skillName: entry.skillName,
    version: entry.version ?? 1,
    title,
    condition,
    action,
    steps,
    binding,
    predicate,
    ...facts,
    isGate: texts.gate === true,
    isByRules: writer === 'rules' && !authored.some((part) => REWORDED.has(part)),
    isConfirmed: verdict === 'confirmed',
  };
}

const refOf = ({ memoryId, skillName }: ApprovedSkill) => ({ id: memoryId, skillName });
const shown = ({ skillName, version, title }: ApprovedSkill) => ({ skillName, version, title });

/** Two skills that say the same: the one that stays, and the one that goes. */
interface SkillMerge {
  readonly keep: ApprovedSkill;
  readonly retire: ApprovedSkill;
}

/**
 * Finds the skills that say the same as another one. Each of them goes into the best of those that stay, so that no skill is
 * both kept and retired. The order of the skills says nothing.
 */
export class MergeFinder {
  private readonly kept = new Map<string, ReadSkill[]>();
  private readonly merges: SkillMerge[] = [];

  /** Takes the skills in the order of {@link compareSkills}, the best first. */
  add(read: ReadSkill): void {
    const near = new Set(read.keys.flatMap((key) => this.kept.get(key) ?? []));
    const [keep] = [...near]
      .filter((other) => isSameLesson(other, read))
      .sort((a, b) => compareSkills(a.skill, b.skill));
    if (keep) {
      this.merges.push({ keep: keep.skill, retire: read.skill });
      return;
    }
    for (const key of read.keys) {
      const known = this.kept.get(key);
      if (known) known.push(read);
      else this.kept.set(key, [read]);
    }
  }

  result(): readonly SkillMerge[] {
    return this.merges;
  }
}

/**
 * The better evidenced skill first: one for all groups, a confirmed one, of more agents, of more executions; then the one
 * that was approved more often, and by name.
 */
export function compareSkills(a: ApprovedSkill, b: ApprovedSkill): number {
  const isForAll = ({ audience }: ApprovedSkill): number => Number(audience.length === 0);
  return (
    isForAll(b) - isForAll(a) ||
    Number(b.isConfirmed) - Number(a.isConfirmed) ||
    b.agents - a.agents ||
    b.executions - a.executions ||
    b.version - a.version ||
    compareText(a.skillName, b.skillName)
  );
}

/** Why one of two skills stays, for the reviewer. */
export function mergeInWords({ keep, retire }: SkillMerge): string {
  const evidence = ({ agents, executions }: ApprovedSkill): string =>
    `${count(agents, 'agent')} in ${count(executions, 'execution')}`;
  const wider = keep.audience.length < retire.audience.length && keep.audience.length === 0;
  const because = wider
    ? 'it was learned from the whole organisation'
    : keep.isConfirmed !== retire.isConfirmed
      ? 'later executions confirmed it, and this one was only observed'
      : keep.agents !== retire.agents || keep.executions !== retire.executions
        ? 'more evidence is behind it'
        : keep.version !== retire.version
          ? 'it was approved in more versions'
          : 'its name comes first, and the evidence is equal';
  return (
    `"${keep.skillName}" gives the same remedy for the same failures, and it stays because ${because}: ` +
    `${evidence(keep)}, here ${evidence(retire)}.`
  );
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
