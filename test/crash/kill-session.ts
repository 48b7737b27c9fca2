import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Guildbook } from '../../src/client/guildbook.js';
import { check, type Faults } from './check.js';
import { type KillPlan, nextPlan, planLine } from './kill-plan.js';
import { KilledServer } from './killed-server.js';
import { Ledger } from './ledger.js';
import { refillQueue } from './refill-queue.js';
import { Reviewer } from './reviewer.js';
import { SeededChoices } from './seeded-choices.js';

/** The number of new skills in a refill, and of new versions. */
const PROPOSALS = 40;
const FEW = 24;
const SETTLED_MS = 180_000;
const MAX_WAIT_MS = 3_000;

/** One database and one repository, over many kills. */
export class KillSession {
  readonly server: KilledServer;
  private readonly random: SeededChoices;
  private readonly ledger = new Ledger();
  private reviewer: Reviewer | undefined;
  private token = '';
  private refills = 0;

  constructor(
    folder: string,
    seed: string,
    private readonly url: string | undefined,
    private readonly hasStrace: boolean,
  ) {
    this.server = new KilledServer(folder, url);
    this.random = new SeededChoices(seed);
  }

  async begin(): Promise<void> {
    await this.refill();
    await this.server.start();
    const { token } = await new Guildbook({ server: this.server.url }).signIn(this.server.oneTimeToken ?? '');
    this.token = token;
    this.reviewer = new Reviewer(this.random);
  }

  /** Decides, kills, restarts, waits until all decisions are published, and compares. */
  async kill(): Promise<{ plan: KillPlan; asPlanned: boolean; faults: Faults }> {
    const plan = nextPlan(this.random, this.hasStrace);
    const reviewer = this.reviewer;
    if (!reviewer) throw new Error('the session has not started');
    await reviewer.read(this.client);
    const asPlanned = await this.execute(plan, reviewer);
    const restarted = !this.server.isRunning;
    this.server.ageLeftovers();
    if (restarted && reviewer.pending.length < FEW) await this.refill();
    if (restarted) await this.server.start();
    await this.settled(restarted);
    const faults = await check(this.server.skillsDir, this.client, this.ledger, reviewer.confirmed);
    // Temporary packs stay until the next publication and do no harm; locks would block it.
    const blocking = faults.staleLocks.filter((path) => restarted || path.endsWith('.lock'));
    return { plan, asPlanned, faults: { ...faults, staleLocks: blocking } };
  }

  async end(): Promise<void> {
    this.server.kill(true);
    await this.server.waitForExit();
  }

  private get client(): Guildbook {
    return new Guildbook({ server: this.server.url, token: this.token, timeoutMs: 30_000 });
  }

  private refill(): Promise<void> {
    this.refills += 1;
    return refillQueue({ dataDir: this.server.dataDir, url: this.url }, PROPOSALS, `${this.refills}`);
  }

  /** Executes the plan. False if the planned call was never made, so that the kill came at the end of the work. */
  private async execute(plan: KillPlan, reviewer: Reviewer): Promise<boolean> {
    const file = join(this.server.folder, 'plan');
    for (const old of [file, `${file}.taken`]) rmSync(old, { force: true });
    const line = planLine(plan);
    if (line !== undefined) writeFileSync(file, line);
    const tracer = plan.kind === 'server' ? await this.attachTracer(plan) : undefined;
    const deciding = reviewer.decide();
    if (plan.kind === 'time') {
      await sleep(plan.afterMs);
      this.server.kill(plan.withChildren);
    }
    await deciding;
    await this.waitForPlan(plan, `${file}.taken`);
    const taken = existsSync(`${file}.taken`);
    const asPlanned = plan.kind === 'time' || taken || (plan.kind === 'server' && !this.server.isRunning);
    rmSync(file, { force: true });
    if (!(plan.kind === 'git' && plan.alone && taken)) {
      this.server.kill(true);
      await this.server.waitForExit();
    }
    if (tracer?.exitCode === null && tracer.signalCode === null) tracer.kill('SIGTERM');
    return asPlanned;
  }

  /** The publisher works after the answers: waits until the plan was executed or the publisher is idle. */
  private async waitForPlan(plan: KillPlan, taken: string): Promise<void> {
    for (const until = performance.now() + MAX_WAIT_MS; performance.now() < until; await sleep(10)) {
      if (!this.server.isRunning) return;
      if (plan.kind === 'git' && plan.alone && existsSync(taken)) return;
      await this.ledger.readNew(this.client).catch(() => undefined);
      if (this.ledger.isDrained) return;
    }
  }

  private async attachTracer({ call, nth }: KillPlan & { kind: 'server' }): Promise<ChildProcess> {
    const inject = `inject=?${call}:signal=SIGKILL:when=${nth}`;
    const args = ['-f', '-o', join(this.server.folder, 'strace'), '-e', `trace=?${call}`, '-e', inject];
    const tracer = spawn('strace', [...args, '-p', `${this.server.pid}`], { stdio: ['ignore', 'ignore', 'pipe'] });
    // strace writes a line when it is attached.
    await once(tracer.stderr, 'data');
    tracer.stderr.resume();
    return tracer;
  }

  private async settled(restarted: boolean): Promise<void> {
    for (const until = performance.now() + SETTLED_MS; ; await sleep(20)) {
      // If only git was killed, it may leave its locks only now.
      if (!restarted) this.server.ageLeftovers();
      await this.ledger.readNew(this.client);
      if (this.ledger.isDrained) return;
      if (performance.now() > until) throw new Error('the decisions were not published in time');
    }
  }
}
