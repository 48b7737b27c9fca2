import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asReviewer } from '../../src/access/identity/caller.js';
import { PrincipalRepository } from '../../src/access/identity/principal.repository.js';
import { ApproveProposal } from '../../src/approvals/decisions/approve.js';
import { ExternalEditSubmitter } from '../../src/approvals/external/external-edit-submitter.service.js';
import { AudienceRepository } from '../../src/approvals/proposals/audience.repository.js';
import { LiveSkills } from '../../src/approvals/proposals/live-skills.service.js';
import { ProposalRepository } from '../../src/approvals/proposals/proposal.repository.js';
import { ProposalBuilder } from '../../src/approvals/proposals/proposal-builder.service.js';
import { ApprovedTextsRepository } from '../../src/approvals/queue/approved-texts.repository.js';
import { ClaimsRepository } from '../../src/approvals/queue/claims.repository.js';
import { ProposalQueue } from '../../src/approvals/queue/proposal-queue.service.js';
import { ProposalReader } from '../../src/approvals/queue/proposal-reader.service.js';
import { QueuePageRepository } from '../../src/approvals/queue/queue-page.repository.js';
import { SubmitProposal } from '../../src/approvals/submissions/submit.js';
import { ContradictionRepository } from '../../src/approvals/voting/contradiction.repository.js';
import { Contradictions } from '../../src/approvals/voting/contradictions.service.js';
import { DecisionApplier } from '../../src/approvals/voting/decision-applier.service.js';
import { OpenProposals } from '../../src/approvals/voting/open-proposals.service.js';
import { VoteRepository } from '../../src/approvals/voting/vote.repository.js';
import { VoteCaster } from '../../src/approvals/voting/vote-caster.service.js';
import { VoteRequirements } from '../../src/approvals/voting/vote-requirements.service.js';
import type { ReviewerActor } from '../../src/journal/actor.js';
import { JournalRepository } from '../../src/journal/journal.repository.js';
import { Journal } from '../../src/journal/journal.service.js';
import { JournalKey } from '../../src/journal/journal-key.service.js';
import { MemoryRepository } from '../../src/memory/store/memory.repository.js';
import { OrgEntries } from '../../src/memory/store/org-entries.service.js';
import { OrgMemoryWriter } from '../../src/memory/store/org-memory-writer.service.js';
import { SkillPageRepository } from '../../src/memory/store/skill-page.repository.js';
import { ServerProcesses } from '../../src/platform/background/server-processes.service.js';
import { SystemClock } from '../../src/platform/base/clock.js';
import { RandomIds } from '../../src/platform/base/ids.js';
import { loadConfig } from '../../src/platform/config/config.js';
import type { Database } from '../../src/platform/database/database.js';
import { IdentifierReferences } from '../../src/platform/database/identifier-references.service.js';
import { Readiness } from '../../src/platform/http/readiness.service.js';
import { LiveCheckRepository } from '../../src/skills/delivery/live-check.repository.js';
import { RolloutRepository } from '../../src/skills/delivery/rollout.repository.js';
import { RolloutStages } from '../../src/skills/delivery/rollout-stages.service.js';
import type { GitRepository } from '../../src/skills/git/git.repository.js';
import { DecisionCache } from '../../src/skills/publishing/decision-cache.service.js';
import { KnownHistory } from '../../src/skills/publishing/known-history.service.js';
import { PublicationRepository } from '../../src/skills/publishing/publication.repository.js';
import { PublicationOutbox } from '../../src/skills/publishing/publication-outbox.service.js';
import { Publisher } from '../../src/skills/publishing/publisher.service.js';
import { PullRequests } from '../../src/skills/publishing/pull-requests.service.js';
import { RemotePusher } from '../../src/skills/publishing/remote-pusher.service.js';
import { SkillsFolder } from '../../src/skills/publishing/skills-folder.service.js';
import { SkillsRepositoryRecords } from '../../src/skills/publishing/skills-repository.repository.js';
import { WebhookRepository } from '../../src/webhooks/webhook.repository.js';
import { WebhookOutbox } from '../../src/webhooks/webhook-outbox.service.js';

/**
 * Creates the services between the queue and git without Nest, for programs that run the sources directly, where the
 * constructor types that Nest needs are not emitted.
 */
export async function wireServices(database: Database) {
  const config = loadConfig({ GUILDBOOK_JOURNAL_KEY_FILE: join(tmpdir(), `guildbook-wired-${process.pid}.pem`) });
  const clock = new SystemClock();
  const ids = new RandomIds();
  const journal = new Journal(database, new JournalRepository(), clock);
  const memories = new MemoryRepository();
  const org = new OrgEntries(database, memories, new SkillPageRepository());
  const items = new ProposalRepository();
  const claims = new ClaimsRepository();
  const publications = new PublicationRepository();
  const orgMemory = new OrgMemoryWriter(clock, ids, memories);
  const votes = new VoteRepository();
  const key = new JournalKey(config, ids);
  await key.onModuleInit();
  const references = new IdentifierReferences(database, ids);
  await references.onModuleInit();
  const processes = new ServerProcesses(config, 'here', database, clock, ids);
  const outbox = new PublicationOutbox(clock, ids, key, publications);
  const rollouts = new RolloutStages(
    config,
    database,
    clock,
    ids,
    journal,
    new RolloutRepository(),
    new LiveCheckRepository(),
  );
  new WebhookOutbox(config, clock, ids, new WebhookRepository(), journal);
  const contents = new ProposalBuilder(config, new AudienceRepository());
  const rivals = new ContradictionRepository();
  const requirements = new VoteRequirements(config, votes);
  const open = new OpenProposals(clock, items, org, rivals, requirements);
  const applier = new DecisionApplier(
    ...([clock, journal, items, new LiveSkills(items, org), org] as const),
    ...([orgMemory, outbox, rollouts] as const),
  );
  const caster = new VoteCaster(clock, ids, journal, votes, applier);
  return {
    items,
    org,
    queue: new ProposalQueue(config, database.worker, items, claims, votes, new ApprovedTextsRepository()),
    submitProposal: new SubmitProposal(
      ...([config, database.worker, clock, ids, journal, items, contents, org] as const),
      new Contradictions(clock, journal, items, contents, rivals),
    ),
    caster,
    views: new ProposalReader(
      ...([database, journal, items, claims, votes] as const),
      ...([new QueuePageRepository(), new AudienceRepository(), org, rivals, requirements] as const),
    ),
    /** Approves like the server. `follow` replaces the workers that the server wakes after the commit. */
    approveProposal: (follow: { wake(): void }) =>
      new ApproveProposal(
        ...([database, clock, items, votes, open, caster, requirements] as const),
        // Only `wake` of the publisher and of the external edit job is used.
        follow as Publisher,
        follow as ExternalEditSubmitter,
      ),
    /** The publisher into this repository, and the pusher that it wakes. */
    publishing: (git: GitRepository) => {
      const [records, readiness] = [new SkillsRepositoryRecords(), new Readiness()] as const;
      const folder = new SkillsFolder(
        ...([database, clock, ids, references, records, publications, git, processes, readiness] as const),
      );
      const decisions = new DecisionCache(database, publications);
      const history = new KnownHistory(
        ...([database, clock, journal, records, publications, decisions, git, readiness] as const),
      );
      const remote = new RemotePusher(
        ...([config, database, clock, ids, git, folder, history] as const),
        new PullRequests(config, database, git, decisions, publications),
        readiness,
      );
      const publisher = new Publisher(database, clock, journal, publications, git, remote, folder, history);
      return { publisher, remote };
    },
    reviewer: async (name: string): Promise<ReviewerActor> => {
      const person = {
        id: ids.uuid(),
        name,
        email: 'reviewer@example.org',
        isReviewer: true,
        isAdmin: false,
        reviewScope: null,
      };
      const row = { ...person, kind: 'person' as const, createdAt: clock.now() };
      await new PrincipalRepository().create(database.client, row);
      return asReviewer({
        ...person,
        credentialId: person.id,
        kind: 'person',
        owner: null,
        role: null,
        department: null,
        scopes: ['decide'],
        expiresAt: null,
      });
    },
  };
}
