import { compareText } from '../../platform/base/compare-text.js';
import { present } from '../../platform/base/optional.js';
import { retriesOfReported } from '../importers/foreign-call.js';
import type { ForeignEnd } from '../importers/foreign-end.js';
import { foreignEnvironment, foreignReport } from '../importers/foreign-report.js';
import {
  type AssembledExecution,
  type AssemblyStage,
  callOfFacts,
  contentDigest,
  type StoredFragment,
} from '../importers/fragment-format.js';
import { ImportTally } from '../importers/import-tally.js';
import { type ExecutionEnvironment, REPORT_LIMITS, type ToolCall } from '../report/execution-report.schema.js';
import { sumRedactions } from '../report/sanitised-report.js';
import { SkillUseTally } from '../report/skill-use.js';
import { HookFacts } from './hook-event.js';

export interface HookSource {
  /** Name of the format, and prefix of the ids of its executions. */
  readonly format: string;
  readonly title: string;
  /** Name of the agent product. */
  readonly tag: string;
}

interface HookEvent {
  readonly joinKey: string | null;
  readonly facts: HookFacts;
}

/** Order of events that have the same time. */
const ORDER = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUseFailure',
  'PostToolUse',
  'StopFailure',
  'Stop',
  'SessionEnd',
];

/** The execution that a session's hook events describe: at most one, including the calls of its sub-agents. */
export function assembleHookExecution(
  source: HookSource,
  fragments: readonly StoredFragment[],
  _stage: AssemblyStage,
  tally: ImportTally = new ImportTally(),
): AssembledExecution[] {
  const events = fragments
    .flatMap(({ joinKey, facts }) => {
      const parsed = HookFacts.safeParse(facts);
      return parsed.success ? [{ joinKey, facts: parsed.data }] : [];
    })
    .sort(compareEvents);
  const [first] = events;
  const calls = callsOf(events);
  const unanswered = events.filter(({ facts }) => facts.event === 'PreToolUse').length - calls.length;
  tally.omit('tool call without a result', unanswered);
  if (first === undefined || (calls.length === 0 && !events.some(({ facts }) => facts.event === 'UserPromptSubmit'))) {
    tally.omit('no turns');
    return [];
  }
  const content = reportOf(source, first.facts, events, calls, tally);
  if (content === undefined) return [];
  const report = { ...content, executionId: `${source.format}:${first.facts.session}:${contentDigest(content)}` };
  const uses = new SkillUseTally();
  for (const { facts } of events) if (facts.ok === true) uses.add(facts.skill, 'loaded', facts.at);
  return [
    {
      report,
      findings: sumRedactions(...fragments.map(({ findings }) => findings)),
      skillUses: uses.of(report),
    },
  ];
}

function reportOf(
  { format, title, tag }: HookSource,
  first: HookFacts,
  events: readonly HookEvent[],
  keyed: readonly KeyedCall[],
  tally: ImportTally,
) {
  const calls = keyed.map(({ call }) => call);
  const facts = events.map((event) => event.facts);
  const project = facts.find((one) => one.project !== undefined)?.project;
  return foreignReport(
    {
      executionId: format,
      taskTitle: title,
      task: facts.find(({ task }) => task !== undefined)?.task ?? first.sessionTask,
      sources: facts.flatMap(({ sources }) => sources ?? []),
      sessionId: first.session,
      model: facts.findLast(({ model }) => model !== undefined)?.model,
      startedAt: first.at,
      finishedAt: facts.findLast(({ event }) => event !== 'SessionStart' && event !== 'SessionEnd')?.at ?? first.at,
      environment: foreignEnvironment({ harness: tag, cwd: project ?? '' }, environmentOf(facts)),
      end: endOf(facts),
      calls,
      callKeys: keyed.map(({ key }) => key),
      retryCount: retriesOfReported(calls),
      tags: [tag, ...(project === undefined ? [] : [`project:${project}`])],
    },
    tally,
  );
}

/** What the events of a session say about its environment: the first system, and every version once. */
function environmentOf(facts: readonly HookFacts[]): ExecutionEnvironment {
  const known = facts.flatMap(({ environment }) => environment ?? []);
  const operatingSystem = known.find((one) => one.operatingSystem !== undefined)?.operatingSystem;
  const repository = known.find((one) => one.repository !== undefined)?.repository;
  const versions = known.flatMap(({ interpreters }) => interpreters ?? []);
  const unique = new Map(versions.map((one) => [`${one.name} ${one.version}`, one]));
  const interpreters = [...unique.values()].slice(0, REPORT_LIMITS.interpreters);
  return present({
    operatingSystem,
    repository,
    interpreters: interpreters.length === 0 ? undefined : interpreters,
  });
}

/**
 * A session that ran out of turns sends no Stop and no StopFailure, and its SessionEnd looks like every other. So only
 * a Stop for the last prompt is a normal end. A Stop of a sub-agent does not end the session.
 */
function endOf(events: readonly HookFacts[]): ForeignEnd {
  const mainEvents = events.filter(
    ({ subAgent, event }) => !subAgent && event !== 'SessionEnd' && event !== 'SessionStart',
  );
  const turn = (mainEvents.findLast(({ event }) => event === 'UserPromptSubmit') ?? mainEvents.at(-1))?.turn;
  const ofTurn = mainEvents.filter((event) => event.turn === turn);
  // without turn ids, the last event counts
  const last =
    turn === undefined
      ? mainEvents.at(-1)
      : ofTurn.findLast(({ event }) => event === 'Stop' || event === 'StopFailure');
  if (last?.event === 'StopFailure')
    return { kind: 'api_error', status: last.apiError?.status, type: last.apiError?.type ?? '' };
  if (last?.event === 'Stop') return 'ended';
  return ofTurn.some(({ interrupted }) => interrupted === true) ? 'interrupted' : 'unfinished';
}

/** A call with its key; empty if its id may be that of another one. */
interface KeyedCall {
  readonly call: ToolCall;
  readonly key: string;
}

/** A call that began, and its result. */
interface HookCall {
  readonly begun: HookEvent;
  /** Stays undefined if nothing says what became of the call. */
  result?: HookFacts;
  /** Set if its result may be among records that were lost. */
  isCut?: boolean;
  readonly afterHole: boolean;
}

/**
 * The calls in their order. A product can give calls one after the other the same id, so a result is of the nearest call
 * before it without one; an event that repeats the last one of its call was sent twice. A call without a result is
 * omitted, unless a permission was requested for it and it never ran.
 */
function callsOf(events: readonly HookEvent[]): KeyedCall[] {
  const begun: HookCall[] = [];
  const latest = new Map<string, HookCall>();
  // An id that several calls have tells none apart.
  const repeated = new Set<string | null>();
  let afterHole = false;
  for (const event of events) {
    const { joinKey, facts } = event;
    afterHole ||= facts.afterHole === true;
    if (facts.afterHole === true) for (const call of latest.values()) call.isCut = true;
    if (facts.tool === undefined || facts.event === 'PermissionRequest') continue;
    const known = joinKey === null ? undefined : latest.get(joinKey);
    const isResult = facts.ok !== undefined;
    if (known !== undefined && isResult && known.result === undefined) known.result = facts;
    else if (known === undefined || !isSentAgain(known, facts)) {
      const call = { begun: event, afterHole, ...(isResult ? { result: facts } : {}) };
      begun.push(call);
      afterHole = false;
      if (known !== undefined) repeated.add(joinKey);
      if (joinKey !== null) latest.set(joinKey, call);
    }
  }
  const requests = events.filter(({ facts }) => facts.event === 'PermissionRequest');
  let isAfterHole = false;
  return begun.flatMap((call): KeyedCall[] => {
    isAfterHole ||= call.afterHole;
    const { facts } = call.begun;
    const read = call.result === undefined ? unfinishedCall(call, requests) : callOf(facts, call.result);
    if (read === undefined) return [];
    const hole = isAfterHole ? { afterHole: true as const } : {};
    isAfterHole = false;
    return [{ call: { ...read, ...hole }, key: repeated.has(call.begun.joinKey) ? '' : (facts.callKey ?? '') }];
  });
}

/** A call that begins before the last one with its id has ended, or ends twice. */
function isSentAgain({ begun, result }: HookCall, facts: HookFacts): boolean {
  if (facts.tool?.action !== begun.facts.tool?.action) return false;
  if (facts.ok === undefined) return result === undefined;
  const isSame = result?.errorMessage === facts.errorMessage && result?.durationMs === facts.durationMs;
  return begun.facts.ok === undefined && result?.ok === facts.ok && isSame;
}

function unfinishedCall({ begun, isCut }: HookCall, requests: readonly HookEvent[]): ToolCall | undefined {
  const { tool } = begun.facts;
  if (tool === undefined) return undefined;
  if (permissionRequested(begun.facts, requests)) return { ...tool, ...DENIED };
  return isCut === true ? { ...tool, ok: true, resultLost: true } : undefined;
}

const DENIED = {
  ok: false,
  errorCategory: 'denied',
  errorMessage: 'Permission was not granted',
  ran: false,
} as const;

const permissionRequested = ({ tool }: HookFacts, requests: readonly HookEvent[]): boolean =>
  requests.some(({ facts }) => facts.tool?.name === tool?.name && facts.tool?.action === tool?.action);

const callOf = ({ tool }: HookFacts, result: HookFacts): ToolCall =>
  callOfFacts({ ...result, tool }, result.ok === true);

function compareEvents(a: HookEvent, b: HookEvent): number {
  return (
    compareText(a.facts.at, b.facts.at) ||
    ORDER.indexOf(a.facts.event) - ORDER.indexOf(b.facts.event) ||
    compareText(a.joinKey ?? '', b.joinKey ?? '')
  );
}
