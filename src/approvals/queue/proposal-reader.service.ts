import { Injectable } from '@nestjs/common';
import { createTwoFilesPatch } from 'diff';
import { z } from 'zod';
import type { Caller } from '../../access/identity/caller.js';
import { wideningOf } from '../../evidence/predicate/binding.js';
import { checkInWords } from '../../evidence/predicate/check-words.js';
import { predicateInWords } from '../../evidence/predicate/predicate-words.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { canonicalJson } from '../../platform/base/canonical-json.js';
import { Database } from '../../platform/database/database.js';
import { renderArtifact } from '../proposals/artifact.js';
import { AudienceRepository } from '../proposals/audience.repository.js';
import { sanitizeWording } from '../proposals/new-proposal.js';
import type { Proposal } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { requireFound, toSummary } from '../proposals/proposal-summary.js';
import type { Findings, ProposalDetails, ProposalPage, ProposalQuery, Risk } from '../proposals/proposals.schema.js';
import type { ProposedSkill } from '../proposals/proposed-skill.schema.js';
import { keptSkill } from '../proposals/retirement.js';
import { riskOf } from '../proposals/risk.js';
import { authorOf, textsOf } from '../texts/authorship.js';
import { ContradictionRepository, type ShownRival } from '../voting/contradiction.repository.js';
import { VoteRepository } from '../voting/vote.repository.js';
import { VoteRequirements } from '../voting/vote-requirements.service.js';
import { ClaimsRepository } from './claims.repository.js';
import { type QueuePage, QueuePageRepository } from './queue-page.repository.js';

/** A preview of an edit: what saving it would store. */
export interface ProposalPreview {
  readonly artifact: string;
  readonly artifactSha256: string;
  readonly problems: readonly string[];
  readonly findings: Findings;
  readonly risk: Risk;
  /** Saving it would be refused, because it changes neither the file nor the tags. */
  readonly isUnchanged: boolean;
}

/** Reads the queue for reviewers. */
@Injectable()
export class ProposalReader {
  constructor(
    private readonly database: Database,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
    private readonly claims: ClaimsRepository,
    private readonly votes: VoteRepository,
    private readonly pages: QueuePageRepository,
    private readonly audiences: AudienceRepository,
    private readonly org: OrgEntries,
    private readonly contradictions: ContradictionRepository,
    private readonly requirements: VoteRequirements,
  ) {}

  async list(caller: Caller, query: ProposalQuery): Promise<ProposalPage> {
    const { ids, total, next } = await this.listIds(caller, query);
    const items = await this.requirements.apply(
      this.database.client,
      await this.proposals.findByIds(this.database.client, ids),
    );
    const approvers = await this.votes.approvers(this.database.client, items);
    const sizes = await this.proposals.pendingClusterSizes(this.database.client, items);
    return {
      items: items.map((proposal) =>
        toSummary(proposal, approvers.get(proposal.id) ?? [], sizes.get(proposal.cluster) ?? 0),
      ),
      total,
      next,
    };
  }

  /** `list`, but only ids. */
  async listIds(caller: Caller, query: ProposalQuery): Promise<QueuePage> {
    // Only reviewers have proposals to decide.
    if (query.mine && !caller.isReviewer) return { ids: [], total: 0, next: null };
    return this.pages.page(this.database.client, query, query.mine ? caller : undefined);
  }

  /** The number of all pending proposals, at most `MAX_COUNTED`. */
  countPending(): Promise<number> {
    return this.pages.countMatching(this.database.client, { state: 'pending', limit: 1 });
  }

  async show(id: string): Promise<ProposalDetails> {
    const found = await this.proposals.find(this.database.client, id);
    const [read] = await this.requirements.apply(this.database.client, found ? [found] : []);
    const proposal = requireFound(read, id);
    const earlierRejections = await this.earlierRejections(proposal);
    const decisions = await this.votes.listDecisions(this.database.client, id);
    const history = await this.journal.list({ subject: id, after: 0, limit: 500, order: 'oldest' });
    const approvers = (await this.votes.approvers(this.database.client, [proposal])).get(id) ?? [];
    const sizes = await this.proposals.pendingClusterSizes(this.database.client, [proposal]);
    const rivals = (await this.contradictions.rivals(this.database.client, [id])).get(id) ?? [];
    return {
      ...toSummary(proposal, approvers, sizes.get(proposal.cluster) ?? 0),
      reopenedFrom: proposal.reopenedFromId,
      proposedSkill: proposal.proposedSkill,
      evidence: proposal.evidence,
      ...wordsOf(proposal),
      artifact: proposal.artifact,
      findings: proposal.findings,
      edit: proposal.edit,
      editedBy: await this.nameOf(proposal.editorId),
      earlierEditors: await this.namesOf(proposal.earlierEditorIds),
      ownedBy: await this.nameOf(proposal.sourceOwnerId),
      authors: await this.authorsOf(proposal),
      revisions: revisionsOf(history.items),
      ...(await this.target(proposal, rivals)),
      contradicts: rivals.map(({ id, state, title, skillName, live, condition, action }) => ({
        id,
        state,
        title,
        condition,
        action,
        skillName: live?.skillName ?? skillName,
        isLive: live !== null,
      })),
      request: proposal.request,
      ...(await this.kept(proposal)),
      earlierRejections,
      decisions: decisions.map((decision) => ({ ...decision, decidedAt: decision.decidedAt.toISOString() })),
      history: history.items,
    };
  }

  /** The predicate of a proposal; undefined if there is no such proposal. */
  async predicateOf(id: string): Promise<NonNullable<ProposedSkill['predicate']> | undefined> {
    const found = await this.proposals.find(this.database.client, id);
    return found && (found.proposedSkill.predicate ?? {});
  }

  /** The ids of those proposals whose current revision this person approved. */
  async votedBy(personId: string, items: readonly Pick<Proposal, 'id'>[]): Promise<Set<string>> {
    const approvers = await this.votes.approvers(this.database.client, items);
    return new Set([...approvers].flatMap(([id, people]) => (people.includes(personId) ? [id] : [])));
  }

  /** The ids of those proposals that are approved. */
  async approved(ids: readonly string[]): Promise<Set<string>> {
    const items = await Promise.all(ids.map((id) => this.proposals.find(this.database.client, id)));
    return new Set(items.flatMap((proposal) => (proposal?.state === 'approved' ? [proposal.id] : [])));
  }

  /** The number of agents that can receive a skill. */
  countAgents(): Promise<number> {
    return this.audiences.countAgents(this.database.client);
  }

  /** Renders and checks an edit without storing it. */
  async preview(id: string, proposedSkill: ProposedSkill): Promise<ProposalPreview> {
    const proposal = requireFound(await this.proposals.find(this.database.client, id), id);
    const sanitized = sanitizeWording(proposedSkill, proposal, null);
    const { bytes, sha256, problems } = renderArtifact(
      { ...proposal, proposalId: id },
      sanitized.proposedSkill,
      sanitized.evidence,
    );
    const risk = riskOf(
      proposal.kind,
      sanitized.proposedSkill,
      sanitized.evidence,
      sanitized.findings,
      await this.countAgents(),
    );
    const isSame = canonicalJson(sanitized.proposedSkill) === canonicalJson(proposal.proposedSkill);
    return {
      artifact: bytes,
      artifactSha256: sha256,
      problems,
      findings: sanitized.findings,
      risk,
      isUnchanged: isSame && sha256 === proposal.artifactSha256,
    };
  }

  private async authorsOf({ proposedSkill, evidence }: Proposal): Promise<ProposalDetails['authors']> {
    const { authored = [], kept } = evidence;
    const names = new Map<string, string | null>();
    for (const id of new Set(authored.map(({ by }) => by))) if (id !== null) names.set(id, await this.nameOf(id));
    return textsOf(proposedSkill).flatMap((text) => {
      const author = authorOf(authored, text);
      if (!author) return [];
      const by = author.by === null ? null : (names.get(author.by) ?? null);
      const isKept = kept?.parts.includes(text.part) ?? false;
      return [{ part: text.part, number: text.number, by, ...(isKept ? { kept: true } : {}) }];
    });
  }

  private async namesOf(ids: readonly string[]): Promise<string[]> {
    const names = await Promise.all(ids.map((id) => this.nameOf(id)));
    return names.flatMap((name) => name ?? []);
  }

  private async nameOf(principalId: string | null): Promise<string | null> {
    return principalId === null ? null : this.votes.nameOf(this.database.client, principalId);
  }

  /** Earlier rejections of the same pattern or the same retirement request. */
  private async earlierRejections(proposal: Proposal): Promise<ProposalDetails['earlierRejections']> {
    const { client } = this.database;
    if (proposal.request) {
      const before = (await this.proposals.retirementRequests(client, proposal.fingerprint)).filter(
        (request) => request.proposal.state === 'rejected' && request.proposal.id !== proposal.id,
      );
      return before.map(({ proposal: { decidedAt }, reason }) => ({
        reason: reason ?? '',
        decidedAt: decidedAt?.toISOString() ?? '',
      }));
    }
    const rejections = await this.claims.rejections(client, proposal.fingerprint);
    return rejections
      .filter(({ id }) => id !== proposal.id)
      .map(({ reason, decidedAt }) => ({ reason, decidedAt: decidedAt.toISOString() }));
  }

  /** What a merge keeps, and the diff from the file that it retires. */
  private async kept(proposal: Proposal): Promise<Pick<ProposalDetails, 'keeps'> & Partial<ProposalDetails>> {
    const kept = keptSkill(proposal);
    const approved = kept && (await this.proposals.find(this.database.client, kept.proposalId));
    if (!approved) return { keeps: null };
    const { skillName, version, artifact, artifactSha256, proposedSkill } = approved;
    const { evidence } = toSummary(approved, []);
    const isLive = (await this.org.find(kept.memoryId))?.supersededAt === null;
    const [before, after] = [`${proposal.skillName}/SKILL.md`, `${skillName}/SKILL.md`];
    return {
      difference: createTwoFilesPatch(before, after, proposal.artifact, artifact, 'retired', 'kept'),
      keeps: {
        proposalId: kept.proposalId,
        skillName,
        version,
        artifact,
        artifactSha256,
        evidence,
        isLive,
        title: proposedSkill.title,
      },
    };
  }

  /**
   * The live skill that the proposal replaces, contradicts or retires, and the diff; without one, the diff against its
   * rival.
   */
  private async target(
    proposal: Proposal,
    [rival]: readonly ShownRival[],
  ): Promise<Pick<ProposalDetails, 'supersedes' | 'difference' | 'widens' | 'dropsGate'>> {
    const entry = proposal.supersedesId === null ? undefined : await this.org.find(proposal.supersedesId);
    const approved = entry?.proposalId ? await this.proposals.find(this.database.client, entry.proposalId) : undefined;
    const file = `${proposal.skillName}/SKILL.md`;
    if (!entry && rival) {
      const other = `${rival.skillName}/SKILL.md`;
      const labels = [`${rival.state} (${rival.id})`, 'proposed'] as const;
      return {
        supersedes: null,
        widens: [],
        dropsGate: false,
        difference: createTwoFilesPatch(other, file, rival.artifact, proposal.artifact, ...labels),
      };
    }
    if (!entry) return { supersedes: null, difference: null, widens: [], dropsGate: false };
    const { condition, action } = entry.lesson.activation;
    const current = `${entry.skillName ?? proposal.skillName}/SKILL.md`;
    const [before, after] = [approved?.artifact ?? '', proposal.kind === 'retire' ? '' : proposal.artifact];
    return {
      supersedes: { id: entry.id, name: entry.skillName ?? '', condition, action },
      dropsGate: approved?.proposedSkill.gate === true && proposal.proposedSkill.gate !== true,
      widens: proposal.kind === 'retire' ? [] : wideningOf(entry.lesson.binding, proposal.proposedSkill.binding),
      difference: createTwoFilesPatch(current, file, before, after, 'approved', 'proposed'),
    };
  }
}

/** What the reviewer reads of check and predicate, rendered from the stored values, so that the two agree. */
const wordsOf = ({
  proposedSkill: { predicate },
  evidence: { check },
}: Proposal): Pick<ProposalDetails, 'checkWords' | 'predicateWords'> => ({
  checkWords: check ? checkInWords(check) : [],
  predicateWords: predicate ? predicateInWords(predicate) : [],
});

const Revision = z.object({ revision: z.int(), difference: z.string() });

/** The edits among a proposal's journal entries, each with the diff that was journalled. */
function revisionsOf(history: ProposalDetails['history']): ProposalDetails['revisions'] {
  return history.flatMap(({ at, actor, data }) => {
    const edit = Revision.safeParse(data);
    return edit.success ? [{ ...edit.data, by: actor.name, at }] : [];
  });
}
