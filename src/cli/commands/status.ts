import type { Command } from 'commander';
import { GuildbookError } from '../../client/guildbook.js';
import type { MomentEffect } from '../../effect/effect.schema.js';
import { type CycleReport, EACH_MINUTE } from '../../evolve/cycle/cycles.schema.js';
import { tooLittleSupport } from '../../evolve/support/support.schema.js';
import { userFolders } from '../../platform/config/environment.js';
import type { ServerState } from '../../platform/health/health.schema.js';
import type { ProposerUsage } from '../../propose/spending/proposer-usage.schema.js';
import type { DeliveryPause } from '../../skills/delivery/delivery-pause.schema.js';
import type { RemoteState, RepositoryState } from '../../skills/publishing/remote.schema.js';
import type { AuditStream } from '../../webhooks/audit-streams.schema.js';
import { type ConnectedProduct, connectedProducts, type DroppedEvents } from '../connect/client-state.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { auditStreamState } from '../terminal/audit-stream-text.js';
import { commandProcess } from '../terminal/command-process.js';
import { momentLines } from '../terminal/moment-text.js';
import { pauseText } from '../terminal/pause-text.js';
import { retentionText } from '../terminal/retention-text.js';
import { formatCount, oneLine, print, printJson, table } from '../terminal/terminal.js';

export function statusCommand(program: Command): void {
  program
    .command('status')
    .description('show the state of learning, the queue and the skills repository')
    .action(() => status(program.opts<ConnectionOptions>()));
}

async function status(options: ConnectionOptions): Promise<void> {
  const client = await connect(options);
  const learning = await client.executions.status();
  const { total: lessons } = await client.lessons({ limit: 1 });
  const { total: pending } = await client.proposals.list({ limit: 1 });
  const { total: skills } = await client.skills.list();
  const repository = await client.repository();
  const server = await ifPermitted(null, () => client.serverState());
  const [cycle] = (await ifPermitted([], async () => (await client.evolver.reports({ limit: 1 })).items)) ?? [];
  const role = server?.role ?? null;
  const { moments } = await client.skills.deliveries();
  const { unknownEvents } = await client.skills.hookState();
  const pauses = await ifPermitted([], async () => (await client.pauses.list()).items);
  const retention = await ifPermitted(null, () => client.retention.state());
  const streams = await ifPermitted([], async () => (await client.auditStreams.list()).items);
  const model = await ifPermitted(null, async () => modelState(await client.proposer.usage({ days: 1 })));
  const waiting = (await ifPermitted(null, () => client.promotions.list({ limit: 1 })))?.counts.waiting ?? 0;
  const connected = await connectedProducts(userFolders(commandProcess().env));
  if (options.json)
    return printJson({
      ...learning,
      lessons,
      lessonsToVerify: waiting,
      pending,
      skills,
      history: repository.history,
      remote: repository.remote,
      findings: repository.findings,
      role,
      deliveries: moments,
      unknownEvents,
      pauses,
      auditStreams: streams,
      retention,
      server,
      model,
      connected,
    });
  print(
    table(
      ['kind', 'count'],
      [
        ['executions', learning.executions],
        ['executions to be read', learning.awaitingCapture],
        ['executions that wait for a lesson', learning.awaitingProposal],
        ['private lessons', lessons],
        ['pending proposals', pending],
        ['approved skills', skills],
      ],
    ),
  );
  const report = cycle?.report ?? null;
  printNext({ executions: learning.executions, pending, waiting, server, report, connected });
  if (server !== null) printServer(server);
  printModel(model);
  printDeliveries(moments, pauses, unknownEvents);
  printConnected(connected);
  printStreams(streams);
  const removed = retention?.lastRun;
  if (removed) print(`\nRemoved on ${removed.startedAt.slice(0, 10)}: ${retentionText(removed)}.`);
  if (learning.skipped.length > 0) {
    print('\nSkipped executions:');
    print(
      table(
        ['reason', 'executions'],
        learning.skipped.map(({ reason, count }) => [reason, count]),
      ),
    );
  }
  if (role !== null && role.sql.length > 0) print(`\n${roleAdvice(role.problem, role.sql)}`);
  printRepository(repository);
}

/** What happens next, and who does it. */
function printNext(state: NextState): void {
  print(
    `\nNext:\n${nextLines(state)
      .map((line) => `  ${line}`)
      .join('\n')}`,
  );
}

interface NextState {
  readonly executions: number;
  readonly pending: number;
  /** Lessons that would help if a person verified them. */
  readonly waiting: number;
  /** Null without the right to read its state. */
  readonly server: ServerState | null;
  readonly report: CycleReport | null;
  /** The agent programs of this machine. */
  readonly connected: readonly Pick<ConnectedProduct, 'title'>[];
}

/** What happens next, as lines. */
export function nextLines({ executions, pending, waiting, server, report, connected }: NextState): string[] {
  const [program] = connected;
  if (executions === 0)
    return [
      program === undefined
        ? 'No agent has reported yet: "guildbook connect <product>" or "guildbook import <folder>".'
        : `Start a new session of ${program.title}: its report arrives when it ends. Sessions of before: "guildbook import <folder>".`,
    ];
  const lessons =
    waiting === 0
      ? []
      : [
          `${formatCount(waiting, 'private lesson')} would help if you verify ${waiting === 1 ? 'it' : 'them'}: "guildbook memory promotions --state waiting".`,
        ];
  if (pending > 0)
    return [
      `${formatCount(pending, 'proposal')} to decide: "guildbook proposals list", or "guildbook login --browser".`,
      ...lessons,
    ];
  const { belowThreshold = 0, support } = report ?? {};
  const wait = belowThreshold === 1 ? 'waits' : 'wait';
  return [
    ...lessons,
    ...(support === undefined || belowThreshold === 0
      ? []
      : [`${formatCount(belowThreshold, 'problem')} ${wait} for more evidence: ${tooLittleSupport(support)}.`]),
    cycleLine(server),
  ];
}

/** Without the right to read the jobs, as the server comes. */
function cycleLine(server: ServerState | null): string {
  const evolver = server?.jobs?.find(({ name }) => name === 'evolver');
  if (server?.jobs !== undefined && evolver === undefined)
    return 'Cycles run on request only: "guildbook evolve", or set GUILDBOOK_EVOLVER_ENABLED=true.';
  const when =
    evolver === undefined || evolver.schedule === EACH_MINUTE
      ? 'a minute after agents have reported'
      : `at ${minute(evolver.nextRunAt)} UTC if agents have reported`;
  return `A cycle runs ${when}, once a person can decide.`;
}

/** What hooks delivered, what is paused, and what this server could not read. */
function printDeliveries(
  moments: readonly MomentEffect[],
  pauses: readonly DeliveryPause[],
  unknownEvents: number,
): void {
  if (moments.length > 0) {
    print('\nDelivered over hooks:');
    for (const line of moments.flatMap(momentLines)) print(`  ${line}`);
  }
  if (pauses.length > 0) {
    print('\nPaused; "guildbook resume" ends it:');
    print(
      table(
        ['id', 'what'],
        pauses.map((one) => [one.id.slice(0, 8), pauseText(one)]),
      ),
    );
  }
  if (unknownEvents > 0)
    print(`\n${formatCount(unknownEvents, 'hook event')} of a product or name that this server does not know.`);
}

type ModelState = Pick<ProposerUsage, 'model' | 'state' | 'reason' | 'until'>;

const modelState = ({ model, state, reason, until }: ProposerUsage): ModelState => ({ model, state, reason, until });

const SPENT: Readonly<Record<string, string>> = {
  day_tokens: 'its tokens for the day are spent',
  day_usd: 'its cost limit for the day is reached',
  cycle_tokens: 'its tokens for this cycle are spent',
  cycle_usd: 'its cost limit for this cycle is reached',
  owner_share: 'the agents of one owner have used their share',
};

/** Why the model is not called, and when it will be. */
function printModel(model: ModelState | null): void {
  if (model === null || !['resting', 'over_budget'].includes(model.state)) return;
  const { reason, until } = model;
  const why = SPENT[reason ?? ''] ?? `it does not answer (${reason ?? 'unknown'})`;
  const next = until === null ? '' : ` Next try: ${minute(until)} UTC.`;
  print(
    `\n${oneLine(`The model ${model.model ?? ''} is not asked: ${why}.${next} Until then rules write the lessons.`)}`,
  );
}

/** The agent programs of this machine: which calls are not checked, and which events were lost. */
function printConnected(connected: readonly ConnectedProduct[]): void {
  if (connected.length === 0) return;
  print('\nConnected on this machine:');
  print(
    table(
      ['product', 'server', 'gate', 'events not sent'],
      connected.map(({ title, server, gate, dropped }) => [title, server, gate ? 'on' : 'off', droppedText(dropped)]),
    ),
  );
  const without = connected.filter(({ gate }) => !gate).map(({ product }) => product);
  if (without.length > 0)
    print(`Calls are not checked before they run in ${without.join(', ')}. To check them: guildbook connect <product>`);
}

function droppedText(dropped: DroppedEvents | null): string {
  if (dropped === null) return '';
  const reasons = Object.entries(dropped.reasons).map(([reason, count]) => `${count} ${reason}`);
  const { count, more, since, last } = dropped;
  return `${count}${more ? ' or more' : ''} since ${minute(since)}, the last at ${minute(last)} UTC (${reasons.join(', ')})`;
}

/** Where the skills repository is pushed to, and how it differs from the decisions. */
function printRepository({ history, remote, findings }: RepositoryState): void {
  if (remote) printRemote(remote);
  if (history.held)
    print(
      `\nNot pushed: ${history.held.commit} and what follows it on main, which the decisions do not explain. Decisions are` +
        ' pushed without it. See "Commits by hand" in docs/skills-repository.md.',
    );
  if (history.setAside.length > 0)
    print(`\nSet aside from main, each kept as refs/guildbook/held/<commit>: ${history.setAside.join(', ')}`);
  if (findings.length > 0) {
    print('\nThe skills repository differs from the decisions. Guildbook changes nothing until a person decides:');
    print(
      table(
        ['difference', 'where', 'proposal', 'problem'],
        findings.map(({ kind, subject, proposalId: approval, problem }) => [
          kind,
          subject,
          approval?.slice(0, 8) ?? '',
          problem ?? '',
        ]),
      ),
    );
  }
}

function printRemote({ branch, state, commit, reason, nextAttempt, request }: RemoteState): void {
  const at = commit ? ` at ${commit.slice(0, 10)}` : '';
  const why = reason ? ` (${reason}; next attempt ${nextAttempt ?? 'with the next publication'})` : '';
  print(`\n${oneLine(`Remote, branch ${branch}: ${state}${at}${why}`)}`);
  if (!request) return;
  const says = state === 'refused' ? 'Closed without a merge:' : 'Waits for';
  print(oneLine(`${says} pull request #${request.number}${request.address ? `, ${request.address}` : ''}`));
}

/** Where the journal is sent: a line for each receiver that fails or lags. */
function printStreams(streams: readonly AuditStream[]): void {
  for (const stream of streams)
    if (stream.failingSince !== null || stream.pending > 0)
      print(
        `\n${oneLine(`Audit stream to ${stream.target}: ${formatCount(stream.pending, 'entry', 'entries')} pending, ${auditStreamState(stream)}`)}`,
      );
}

/** What only some callers may read; `otherwise` for the others, and from an older server. */
async function ifPermitted<T>(otherwise: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof GuildbookError && [403, 404].includes(error.problem.status)) return otherwise;
    throw error;
  }
}

const roleAdvice = (problem: string | null, sql: readonly string[]): string =>
  `The role of background work is not in force: ${oneLine(problem ?? '')}. Let an administrator of the database server run this, then ` +
  `restart Guildbook:\n${sql.map((statement) => `  ${oneLine(statement)}`).join('\n')}`;

/** Prints the processes, the queues that hold something, and the jobs that need a look; `--json` has all. */
function printServer({ processes = [], queues = [], jobs = [] }: Partial<ServerState>): void {
  if (processes.length > 0) {
    print(`\n${formatCount(processes.length, 'server process', 'server processes')}:`);
    print(
      table(
        ['machine', 'pid', 'version', 'last seen'],
        processes.map(({ host, pid, version, lastSeenAt }) => [host, String(pid), version, minute(lastSeenAt)]),
      ),
    );
  }
  const waiting = queues.filter(({ length }) => length > 0);
  if (waiting.length > 0) {
    print('\nWaiting for background work:');
    print(
      table(
        ['queue', 'items', 'oldest'],
        waiting.map(({ name, length, oldestSeconds }) => [name, length, `${oldestSeconds ?? 0} s`]),
      ),
    );
  }
  const failed = jobs.filter(({ outcome }) => outcome === 'failed').map(({ name }) => oneLine(name));
  if (failed.length > 0) print(`\nThe last run failed: ${failed.join(', ')}. The log of the server says why.`);
  const next = jobs.reduce<string | undefined>((first, { nextRunAt }) => earlier(first, nextRunAt), undefined);
  if (next !== undefined)
    print(`\n${formatCount(jobs.length, 'scheduled job')}; the next one runs at ${minute(next)} UTC.`);
}

const earlier = (one: string | undefined, other: string): string => (one === undefined || other < one ? other : one);

const minute = (time: string): string => oneLine(time.slice(0, 16).replace('T', ' '));
