import { asReviewer } from '../../src/access/caller.js';
import { PrincipalRepository } from '../../src/access/principal.repository.js';
import { ApprovalRepository } from '../../src/approvals/approval.repository.js';
import { ApprovalQueue } from '../../src/approvals/approval-queue.service.js';
import { Settlement } from '../../src/approvals/settlement.service.js';
import type { ReviewerActor } from '../../src/journal/actor.js';
import { JournalRepository } from '../../src/journal/journal.repository.js';
import { Journal } from '../../src/journal/journal.service.js';
import { MemoryRepository } from '../../src/memory/memory.repository.js';
import { OrgEntries } from '../../src/memory/org-entries.service.js';
import { OrgMemory } from '../../src/memory/org-memory.service.js';
import { SystemClock } from '../../src/platform/clock.js';
import { loadConfig } from '../../src/platform/config.js';
import type { Database } from '../../src/platform/database.js';
import { RandomIds } from '../../src/platform/ids.js';
import type { GitRepository } from '../../src/skills/git.repository.js';
import { PublicationRepository } from '../../src/skills/publication.repository.js';
import { PublicationOutbox } from '../../src/skills/publication-outbox.service.js';
import { Publisher } from '../../src/skills/publisher.service.js';
import { Remote } from '../../src/skills/remote.service.js';

/**
 * The services between the queue and git, wired by hand: for programs that run the sources as they are, where nobody
 * keeps the types of constructors for Nest.
 */
export function wired(database: Database) {
  const config = loadConfig({});
  const clock = new SystemClock();
  const ids = new RandomIds();
  const journal = new Journal(database, new JournalRepository(), clock);
  const memories = new MemoryRepository();
  const org = new OrgEntries(database, memories);
  const items = new ApprovalRepository();
  const publications = new PublicationRepository();
  const orgMemory = new OrgMemory(clock, ids, memories);
  const outbox = new PublicationOutbox(clock, ids, publications);
  return {
    items,
    org,
    queue: new ApprovalQueue(config, database, clock, ids, journal, items, org),
    settlement: new Settlement(clock, ids, journal, items, orgMemory, outbox),
    publisher: (git: GitRepository) =>
      new Publisher(database, clock, journal, publications, git, new Remote(config, clock, git)),
    reviewer: async (name: string): Promise<ReviewerActor> => {
      const person = { id: ids.uuid(), name, email: 'reviewer@example.org', isReviewer: true, isAdmin: false };
      const row = { ...person, kind: 'person' as const, createdAt: clock.now() };
      await new PrincipalRepository().create(database.client, row);
      return asReviewer({ ...person, kind: 'person', owner: null, scopes: ['decide'], expiresAt: null });
    },
  };
}
