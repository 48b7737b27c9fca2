import { join } from 'node:path';
import { jobActor } from '../../src/journal/actor.js';
import { PROJECT_ROOT } from '../../src/platform/config/environment.js';
import { Database } from '../../src/platform/database/database.js';
import type { BuiltServer } from '../attacks/built-server.js';
import { type RunningServer, serveGit } from '../consumers/servers.js';
import { testProposalInput } from '../support/proposal-input.js';
import { wireServices } from '../support/wired-services.js';

/** As an administrator sets it, and as the server may show it. Neither host exists: git settings lead to loopback. */
export const CONFIGURED_REMOTE = 'https://deploy@git.example.test/team/skills.git';
export const SHOWN_REMOTE = 'https://git.example.test/team/skills.git';

/** Skills that the server publishes one after the other, and its repository, for clones over HTTP. */
export class PublishedSkills {
  private next = 0;
  /** The marks in the descriptions of all published skills. */
  readonly marks: string[] = [];

  private constructor(
    private readonly server: BuiltServer,
    private readonly reviewer: string,
    private readonly proposals: readonly string[],
    private readonly git: RunningServer,
  ) {}

  /** Serves the repository of a running server, which holds these proposals. */
  static async of(server: BuiltServer, reviewer: string, proposals: readonly string[]): Promise<PublishedSkills> {
    return new PublishedSkills(server, reviewer, proposals, await serveGit(server.skillsDir));
  }

  get url(): string {
    return `${this.git.url}/skills.git`;
  }

  /** Approves the next one. Returns the mark in its description. */
  async publishNext(): Promise<string> {
    const n = this.next++;
    await this.server.approve(this.proposals[n] ?? '', this.reviewer);
    this.marks.push(markOf(n));
    return markOf(n);
  }

  close(): Promise<void> {
    return this.git.close();
  }
}

/** Writes proposals into the database of a server that does not run yet. Returns their ids. */
export async function proposeSkills(dataDir: string, count: number): Promise<string[]> {
  const database = await Database.open({ dataDir, migrationsDir: join(PROJECT_ROOT, 'prisma', 'migrations') });
  try {
    const { submitProposal } = await wireServices(database);
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const says = {
        discovery: `Use when export ${n} ends with a syntax error. ${markOf(n)}`,
        action: `Run export ${n}.`,
      };
      const proposal = testProposalInput(`run export ${n} with python3`, says);
      ids.push((await submitProposal.submit(jobActor('connect'), proposal)).id);
    }
    return ids;
  } finally {
    await database.close();
  }
}

const markOf = (n: number): string => `SKILLMARK${n}X`;
