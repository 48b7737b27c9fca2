import { Principals } from '../../src/access/identity/principals.service.js';
import { jobActor } from '../../src/journal/actor.js';
import { Journal } from '../../src/journal/journal.service.js';
import { LessonRepository } from '../../src/memory/lessons/lesson.repository.js';
import { StoredLessons } from '../../src/memory/lessons/stored-lessons.service.js';
import { MemoryRepository } from '../../src/memory/store/memory.repository.js';
import { MemorySourceRepository } from '../../src/memory/store/memory-source.repository.js';
import { PropagationWorker } from '../../src/memory/upkeep/propagation-worker.service.js';
import { UpkeepRepository } from '../../src/memory/upkeep/upkeep.repository.js';
import { Upkeep } from '../../src/memory/upkeep/upkeep.service.js';
import { Clock } from '../../src/platform/base/clock.js';
import { DAY_MS } from '../../src/platform/base/durations.js';
import { Ids } from '../../src/platform/base/ids.js';
import { loadConfig } from '../../src/platform/config/config.js';
import type { Constants } from '../../src/platform/config/constants.js';
import { WorkerDatabase } from '../../src/platform/database/database.js';
import type { TestApplication } from './application.js';
import { GateRows } from './gate-rows.js';

const ADMIN = { kind: 'admin', id: 'admin', name: 'Admin' } as const;

/** Upkeep with the settings of one test on the database of an application, and the agents and lessons that it works on. */
export class TestUpkeep {
  readonly rows: GateRows;
  private agents = 0;

  constructor(private readonly app: TestApplication) {
    this.rows = new GateRows(app.database);
  }

  with(settings: Record<string, string> = {}, constants: Partial<Constants> = {}): Upkeep {
    const { app: nest, database } = this.app;
    const config = loadConfig(settings, constants);
    const [clock, ids, journal] = [nest.get(Clock), nest.get(Ids), nest.get(Journal)];
    const worker = nest.get(WorkerDatabase);
    const repository = new UpkeepRepository();
    const memories = new MemoryRepository();
    const propagation = new PropagationWorker(
      config,
      worker,
      clock,
      ids,
      journal,
      memories,
      repository,
      new MemorySourceRepository(),
      new StoredLessons(),
    );
    const lessons = new LessonRepository();
    return new Upkeep(config, worker, database, clock, ids, journal, lessons, repository, propagation);
  }

  run(settings?: Record<string, string>, dryRun = false, constants?: Partial<Constants>) {
    return this.with(settings, constants).run(jobActor('test'), { trigger: 'request', dryRun });
  }

  async agent(membership: { role?: string; department?: string } = {}): Promise<string> {
    this.agents += 1;
    const name = `Agent ${this.agents}`;
    const { principal } = await this.app.app.get(Principals).addAgent(ADMIN, { name, ...membership });
    return principal.id;
  }

  /** Stores a lesson of this agent that is some days old. Returns its id. */
  async lesson(agentId: string, days = 0, more: Record<string, unknown> = {}): Promise<string> {
    const created = new Date(this.app.clock.now().getTime() - days * DAY_MS).toISOString();
    const marked = { control_tags: ['non-inferable'] };
    const row = this.rows.memory({ scope: 'agent', agent_id: agentId, created_at: created, ...marked, ...more });
    await this.rows.insert('memory', row);
    return String(row['id']);
  }
}
