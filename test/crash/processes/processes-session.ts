import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Guildbook } from '../../../src/client/guildbook.js';
import type { KillableSession, SessionPlace } from '../kill-sessions.js';
import type { KilledServer } from '../killed-server.js';
import { Ledger } from '../ledger.js';
import { refillQueue } from '../refill-queue.js';
import { SeededChoices } from '../seeded-choices.js';
import { Acknowledged } from './acknowledged.js';
import { AgentTraffic, type FleetAgent } from './agent-traffic.js';
import { AuditCopies } from './audit-copies.js';
import { FleetClient } from './fleet-client.js';
import { cycleFaults, fleetFaults } from './fleet-faults.js';
import { FleetReviewer } from './fleet-reviewer.js';
import { ADMIN_TOKEN, type Folders, fleetServer, skillsDirOf } from './fleet-server.js';
import { ProcessKeeper } from './process-keeper.js';
import { publishedFaults } from './published-faults.js';

const AGENTS = 6;
const PROPOSALS = 30;
const FEW = 12;
/** Between two kills. A process starts in 2 to 12 s, so about half of the kills come during a start. */
const LONGEST_PAUSE_MS = 3_000;
const LONGEST_LOAD_MS = 1_500;
const SETTLED_MS = 240_000;
const DOCUMENT = { binding: { project: 'shop' } };

export interface ProcessesOptions {
  readonly processes: number;
  /** Kills between two checks. */
  readonly checkEvery: number;
  readonly dist: string;
  readonly folders: Folders;
}

/** Several processes on one database under load, of which one or more are killed at random times. */
export class ProcessesSession implements KillableSession {
  readonly acknowledged = new Acknowledged();
  readonly counted = { missing: 0, doubled: 0, jobs: 0, alarms: 0, staleLocks: 0, fsck: 0, other: 0 };
  readonly kinds: Record<string, number> = {};
  readonly fleet: FleetClient;
  readonly audit: AuditCopies;
  private readonly keepers: readonly ProcessKeeper[];
  private readonly ledger = new Ledger();
  private readonly random: SeededChoices;
  private readonly pool: pg.Pool;
  private readonly url: string;
  private token = '';
  private agents: FleetAgent[] = [];
  private reviewer: FleetReviewer | undefined;
  /** Requests that failed after their retries, or that a process refused with an error of the server. */
  failedRequests = 0;
  private refills = 0;
  /** Faults of jobs: they lose no data, so the kills go on, and the session fails at its end. */
  private readonly jobFaults = new Set<string>();
  private kills = 0;
  private checkedAt = 0;
  private traffic: { stop(): Promise<void> } | undefined;

  constructor(
    private readonly place: SessionPlace,
    private readonly options: ProcessesOptions,
  ) {
    this.url = place.urls[0] ?? '';
    this.audit = new AuditCopies(place.folder);
    this.random = new SeededChoices(place.seed);
    this.pool = new pg.Pool({ connectionString: this.url, max: 2 });
    this.pool.on('error', () => undefined);
    this.keepers = Array.from({ length: options.processes }, (_, n) => new ProcessKeeper(this.server(n, options.dist)));
    this.fleet = new FleetClient(() =>
      this.keepers.flatMap(({ server }) => (server.isRunning && server.url !== '' ? [server.url] : [])),
    );
  }

  get log(): string {
    return this.keepers.map((keeper, n) => `process ${n + 1}:\n${keeper.server.log.slice(-3_000)}`).join('\n');
  }

  get errors(): ReadonlyMap<string, number> {
    const all = new Map<string, number>();
    for (const { errors } of this.keepers) for (const [line, n] of errors) all.set(line, (all.get(line) ?? 0) + n);
    return all;
  }

  /** All processes start at once on an empty database. */
  async begin(): Promise<void> {
    for (const keeper of this.keepers) keeper.begin();
    await this.allListen();
    const { answer } = await this.fleet.send(undefined, 'sign-in', (client) => client.signIn(ADMIN_TOKEN));
    this.token = answer.token;
    for (let n = 1; n <= AGENTS; n += 1) {
      const agent = { name: `Agent ${n}`, owner: `owner ${n}`, role: 'clerk', department: 'finance' };
      const { answer: issued } = await this.fleet.send(this.token, 'agent', (client) => client.agents.add(agent));
      this.agents.push({ name: agent.name, id: issued.principal.id, token: issued.token });
    }
    const address = await this.audit.listen();
    await this.fleet.send(this.token, 'audit-stream', (client) => client.auditStreams.add({ url: address }));
    await this.refill();
    this.reviewer = new FleetReviewer(this.token, this.choices('reviewer'), this.fleet, this.acknowledged);
    await this.reviewer.read();
  }

  async kill(): Promise<{ kills: number; what: string; faults: readonly string[] }> {
    this.load();
    await this.pause();
    const victims = this.victims();
    const said = victims.map((n) => {
      const keeper = this.keepers[n];
      const withChildren = this.random.below(2) === 0;
      const kind = keeper?.kill(withChildren) ?? 'gone';
      this.kinds[kind] = (this.kinds[kind] ?? 0) + 1;
      return `process ${n + 1} (${kind}${withChildren ? ', with its children' : ''})`;
    });
    const kills = said.filter((one) => !one.includes('(gone')).length;
    this.kills += kills;
    const isDue = this.kills - this.checkedAt >= this.options.checkEvery || this.kills >= this.place.kills;
    const faults = isDue ? await this.check() : [];
    if (isDue) await this.refillIfFew();
    return { kills, what: said.join(' and '), faults };
  }

  /** Begins the load; a check ends it. */
  load(): void {
    this.traffic ??= this.beginTraffic();
  }

  /** Stops process `n` as a supervisor does, and starts the program of `dist` in its place. Returns when it listens. */
  async replace(n: number, dist: string): Promise<void> {
    this.keepers[n]?.replace(this.server(n, dist));
    await this.allListen();
  }

  private server(n: number, dist: string): KilledServer {
    return fleetServer(this.place.folder, this.url, nameOf(n), dist, this.options.folders);
  }

  /** Where process `n` listens. */
  address(n: number): string {
    return this.keepers[n]?.server.url ?? '';
  }

  async finish(): Promise<readonly string[]> {
    const faults = this.kills === this.checkedAt ? [] : await this.check();
    return [...faults, ...[...this.jobFaults].map((fault) => `jobs: ${fault}`)];
  }

  async end(): Promise<void> {
    await Promise.all(this.keepers.map((keeper) => keeper.end()));
    await this.audit.close();
    await this.pool.end().catch(() => undefined);
  }

  /** Mostly waits until a process serves, so that there is load to kill. */
  private async pause(): Promise<void> {
    await sleep(this.random.below(LONGEST_PAUSE_MS));
    if (this.random.below(4) === 0) return;
    const more = this.random.below(LONGEST_LOAD_MS);
    for (const until = performance.now() + SETTLED_MS; performance.now() < until; await sleep(20))
      if (this.keepers.some(({ server }) => server.isRunning && server.url !== '')) return void (await sleep(more));
  }

  /** Of ten kills one is of two processes at once, and one of all. */
  private victims(): number[] {
    const all = this.keepers.map((_, n) => n);
    const roll = this.random.below(10);
    const first = this.random.below(all.length);
    if (roll === 9) return all;
    return roll === 8 ? [first, (first + 1) % all.length] : [first];
  }

  private choices(of: string): SeededChoices {
    return new SeededChoices(`${this.place.seed} ${of} ${this.kills}`);
  }

  private beginTraffic(): { stop(): Promise<void> } {
    let isOver = false;
    const reviewer = this.reviewer;
    const lanes = this.agents.map((agent) => {
      const of = { ...agent, name: `${agent.name} ${this.kills}` };
      const lane = new AgentTraffic(
        of,
        this.choices(agent.name),
        this.fleet,
        this.acknowledged,
        () => reviewer?.live ?? [],
      );
      return lane.run(() => isOver);
    });
    const all = Promise.all([...lanes, reviewer?.run(() => isOver)]);
    // Its failure is that of the session, once it stops.
    all.catch(() => undefined);
    return {
      stop: async () => {
        isOver = true;
        await all;
      },
    };
  }

  /** Ends the load, waits until everything is done, and compares. */
  async check(): Promise<string[]> {
    await this.traffic?.stop();
    this.traffic = undefined;
    await this.allListen();
    this.checkedAt = this.kills;
    const since = new Date();
    await this.settled();
    const faults = await fleetFaults(this.pool, this.acknowledged);
    const client = new Guildbook({ server: this.address(0), token: this.token, timeoutMs: 60_000 });
    await this.ledger.readNew(client);
    const published = await publishedFaults(this.skillsDirs, client, this.ledger, this.acknowledged.decisions);
    const copies = await this.audit.faults(this.pool);
    const failed = this.fleet.failed.splice(0);
    this.failedRequests += failed.length;
    const found = {
      missing: [...faults.missing, ...published.missing, ...copies.missing],
      doubled: [...faults.doubled, ...published.doubled, ...copies.doubled],
      alarms: await this.alarms(),
      staleLocks: published.staleLocks.filter((path) => path.endsWith('.lock')),
      fsck: published.fsck,
      other: [...faults.other, ...published.other, ...failed, ...this.unexpectedEnds()],
    };
    for (const fault of [...faults.jobs, ...(await cycleFaults(this.pool, since))]) this.jobFaults.add(fault);
    this.counted.jobs = this.jobFaults.size;
    for (const kind of Object.keys(found) as (keyof typeof found)[]) this.counted[kind] += found[kind].length;
    return Object.entries(found).flatMap(([kind, lines]) => lines.slice(0, 20).map((line) => `${kind}: ${line}`));
  }

  private unexpectedEnds(): string[] {
    return this.keepers.flatMap(({ unexpected }) => unexpected.splice(0));
  }

  /** What a process takes for tampering, where no one tampered. */
  private async alarms(): Promise<string[]> {
    const alarms: string[] = [];
    for (const [n, { server }] of this.keepers.entries()) {
      const client = new Guildbook({ server: server.url, token: this.token, timeoutMs: 60_000 });
      const { intact, firstBroken, checkpoints } = await client.journal.verify();
      if (!intact) alarms.push(`process ${n + 1} finds the journal broken: ${JSON.stringify(firstBroken)}`);
      if (checkpoints.unknown > 0)
        alarms.push(`process ${n + 1} does not know the key of ${checkpoints.unknown} checkpoints`);
      const { findings } = await client.repository();
      for (const finding of findings) alarms.push(`process ${n + 1} reports ${JSON.stringify(finding)}`);
    }
    const { rows } = await this.pool.query(
      `SELECT "action", "data" FROM "journal_entry" WHERE "action" IN ('proposal.edit_submitted', 'skills.push_held')`,
    );
    for (const { action, data } of rows) alarms.push(`the journal has ${action}: ${data}`);
    return alarms;
  }

  private async settled(): Promise<void> {
    for (const until = performance.now() + SETTLED_MS; ; await sleep(100)) {
      this.keepers[0]?.server.ageLeftovers();
      const { rows } = await this.pool.query(`SELECT
        (SELECT count(*) FROM "publication" WHERE "state" = 'pending')::int AS "outbox",
        (SELECT count(*) FROM "execution" WHERE "capture_state" = 'pending')::int AS "reports",
        (SELECT count(*) FROM "analysis_payload" WHERE "state" = 'pending')::int AS "payloads"`);
      if (Object.values(rows[0] ?? {}).every((count) => count === 0)) return;
      if (performance.now() > until) throw new Error(`the queues are not empty in time: ${JSON.stringify(rows[0])}`);
    }
  }

  private async allListen(): Promise<void> {
    for (const until = performance.now() + SETTLED_MS; ; await sleep(50)) {
      if (this.keepers.every(({ server }) => server.isRunning && server.url !== '')) return;
      if (performance.now() > until) throw new Error('not all processes listen in time');
    }
  }

  private async refillIfFew(): Promise<void> {
    await this.reviewer?.read();
    if ((this.reviewer?.pending.length ?? 0) < FEW) await this.refill();
  }

  private refill(): Promise<void> {
    this.refills += 1;
    // An older version would not start on the schema of this one.
    const migrationsDir = join(this.options.dist, '..', 'prisma', 'migrations');
    return refillQueue({ dataDir: '', url: this.url, migrationsDir }, PROPOSALS, `${this.refills}`, DOCUMENT);
  }

  private get skillsDirs(): string[] {
    const { place, options, keepers } = this;
    return [...new Set(keepers.map((_, n) => skillsDirOf(place.folder, nameOf(n), options.folders)))];
  }
}

const nameOf = (n: number): string => `process-${n + 1}`;
