import type {
  AgentRunCounts,
  ExecutionDetail,
  ExecutionSummary,
  LearningStatus,
} from '../../capture/store/executions.schema.js';
import type { Cycle, CycleReport } from '../../evolve/cycle/cycles.schema.js';
import type { MemoryTally } from '../../memory/lessons/lessons.service.js';
import { Scope } from '../../memory/store/lesson.schema.js';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { percentOf } from '../../platform/base/percent.js';
import { sumBy } from '../../platform/base/sum.js';
import { counted, grouped, moment } from '../frame/in-words.js';
import type { CallRole } from './proposal-calls.js';

const CALLS_SHOWN = 150;

export interface FleetFacts {
  readonly status: LearningStatus;
  readonly recent: readonly ExecutionSummary[];
  readonly next: string | null;
  /** How many are listed: only what this proposal counts, only those of this agent. */
  readonly listed: {
    readonly total: number;
    readonly proposal: string | undefined;
    readonly agent: string | undefined;
  };
  readonly agents: readonly AgentRunCounts[];
  readonly cycle: Cycle | undefined;
  readonly tally: readonly MemoryTally[];
  /** The newest lessons of agents. */
  readonly lessons: readonly MemoryEntry[];
  readonly now: Date;
}

export function fleetView({ status, recent, next, listed, agents, cycle, tally, lessons, now }: FleetFacts) {
  return {
    status,
    waits: status.awaitingCapture + status.awaitingProposal,
    agents: agents.map(({ agent, department, runs, failed }) => ({
      agent,
      department: department ?? '',
      runs,
      failed,
      rate: rateOf(failed, runs),
    })),
    recent: recent.map((execution) => ({
      ...executionRow(execution, now),
      // The page shows the calls that the proposal counts.
      of: listed.proposal === undefined ? '' : `?proposal=${listed.proposal}#failure`,
    })),
    listed: listedView(listed),
    more: next === null ? null : moreHref(next, listed),
    unsolved: (cycle?.report?.unsolved ?? []).slice(0, 8).map(failuresText),
    departments: departmentsOf(agents),
    hasDepartments: agents.some(({ department }) => department !== null),
    scopes: scopesOf(tally),
    lessons,
  };
}

/** What the list of executions is limited to; null if it holds all. */
function listedView({ total: n, proposal, agent }: FleetFacts['listed']) {
  if (proposal === undefined && agent === undefined) return null;
  const ofAgent = agent === undefined ? '' : ` of ${agent}`;
  const isCounted = proposal === undefined ? '' : ' that the proposal counts';
  return { title: `${counted(n, 'execution')}${ofAgent}${isCounted}`, proposal: proposal ?? null };
}

function moreHref(after: string, { proposal, agent }: FleetFacts['listed']): string {
  const query = { after, ...(proposal === undefined ? {} : { proposal }), ...(agent === undefined ? {} : { agent }) };
  return `/fleet?${new URLSearchParams(query)}`;
}

/** Failures that are one problem. */
export const failuresText = ({ action, errorClass, failures, agents }: CycleReport['unsolved'][number]): string =>
  `${action}: ${errorClass}, ${counted(failures, 'failure')} of ${counted(agents, 'agent')}`;

const rateOf = (failed: number, runs: number): string => `${percentOf(failed / Math.max(1, runs))} %`;

/** The runs by department; empty if all agents are in the same one. */
function departmentsOf(agents: readonly AgentRunCounts[]) {
  const sums = new Map<string, { runs: number; failed: number; agents: number }>();
  for (const { department, runs, failed } of agents) {
    const name = department ?? 'none';
    const sum = sums.get(name) ?? { runs: 0, failed: 0, agents: 0 };
    sums.set(name, { runs: sum.runs + runs, failed: sum.failed + failed, agents: sum.agents + 1 });
  }
  if (sums.size < 2) return [];
  return [...sums]
    .map(([name, sum]) => ({ name, ...sum, rate: rateOf(sum.failed, sum.runs) }))
    .sort((a, b) => b.failed - a.failed);
}

/** Every scope, from one agent to the whole organisation, with its numbers of lessons and of verified ones. */
function scopesOf(tally: readonly MemoryTally[]) {
  return Scope.options.map((scope) => {
    const own = tally.filter((row) => row.scope === scope);
    const total = (rows: readonly MemoryTally[], what: 'n' | 'copies') => sumBy(rows, (row) => row[what]);
    const verified = own.filter(({ provenance }) => provenance === 'verified');
    return {
      scope,
      n: total(own, 'n'),
      verified: total(verified, 'n'),
      copies: total(own, 'copies'),
    };
  });
}

function executionRow(execution: ExecutionSummary, now: Date) {
  const { id, agent, taskTitle, status, failed, toolCalls, failedCalls, capture, receivedAt } = execution;
  return {
    id,
    agent,
    taskTitle,
    status,
    isBad: failed,
    calls: `${failedCalls}/${toolCalls}`,
    capture: capture.reason ?? capture.state,
    when: moment(receivedAt, now),
  };
}

/** What the page of an execution shows beside it. */
export interface ExecutionPlace {
  readonly now: Date;
  /** The part with this call is shown. */
  readonly at: number | undefined;
  /** The proposal whose calls are marked. */
  readonly proposal?: { readonly id: string; readonly roles: ReadonlyMap<number, CallRole> };
}

const ROLE_TEXTS: Readonly<Record<CallRole, string>> = {
  failure: 'the failure',
  follows: 'does what the proposal says',
  other: 'another try',
};

export function executionView(execution: ExecutionDetail, { now, at, proposal }: ExecutionPlace) {
  const { report, capture, redactions } = execution;
  const { toolCalls } = report;
  const [failure] = [...(proposal?.roles ?? [])].flatMap(([place, role]) => (role === 'failure' ? [place] : []));
  const wanted = Math.min(at ?? failure ?? 0, Math.max(0, toolCalls.length - 1));
  const from = wanted - (wanted % CALLS_SHOWN);
  const to = Math.min(from + CALLS_SHOWN, toolCalls.length);
  const partHref = (start: number): string =>
    `/executions/${execution.id}?${new URLSearchParams({ ...(proposal ? { proposal: proposal.id } : {}), at: String(start) })}`;
  return {
    ...executionRow(execution, now),
    from: moment(report.startedAt, now).exact,
    to: moment(report.finishedAt, now).exact,
    description: report.taskDescription ?? null,
    error: report.errorMessage ?? null,
    model: report.model ?? null,
    captured: capture.reason === null ? capture.state : `${capture.state}: ${capture.reason}`,
    redactions,
    proposal: proposal ? { id: proposal.id } : null,
    calls: toolCalls.slice(from, to).map(({ name, action, ok, errorCategory, errorMessage }, index) => {
      const role = proposal?.roles.get(from + index);
      return {
        at: from + index,
        name,
        action,
        ok,
        error: errorMessage ?? errorCategory ?? null,
        role: role ? ROLE_TEXTS[role] : null,
        isFailure: from + index === failure,
      };
    }),
    part:
      toolCalls.length <= CALLS_SHOWN
        ? null
        : {
            says: `Calls ${grouped(from)} to ${grouped(to - 1)} of ${grouped(toolCalls.length)}`,
            before: from > 0 ? partHref(from - CALLS_SHOWN) : null,
            after: to < toolCalls.length ? partHref(to) : null,
          },
  };
}
