import { optional } from '../../platform/base/optional.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { parseCommandLine } from '../../untrusted/shell/command-line.js';
import { type ForeignEnd, isFailure } from '../importers/foreign-end.js';
import type { ImportTally } from '../importers/import-tally.js';
import type { ImportContext } from '../importers/importer.js';
import { contentText, type Fields, isFields, stated, textAt } from '../importers/json-fields.js';
import { type CallResult, ProductSession, sessionImporter } from '../importers/product-session.js';
import { repositoryLabel } from '../report/repository-label.js';
import { folderOf, instanceOfFile, nameInstance, nameRun } from './run-identity.js';
import { SweConfig, SweMessage, SweStep, SweToolCall, SweTrajectory } from './swe-agent.schema.js';
import { readToolAnswer } from './tool-answer.js';

interface SweCall {
  readonly name: string;
  readonly input: unknown;
}

/** The commands of SWE-agent's own interface, with their arguments; what follows them is content. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  open: ['path', 'line_number'],
  goto: ['line_number'],
  create: ['filename'],
  scroll_up: [],
  scroll_down: [],
  find_file: ['file_name', 'dir'],
  search_dir: ['search_term', 'dir'],
  search_file: ['search_term', 'file'],
  search_all: ['search_term', 'dir'],
  filemap: ['file_path'],
  edit: [],
  insert: [],
  str_replace_editor: ['command', 'path'],
  submit: [],
  exit_forfeit: [],
};
const MAX_HEAD = 2_000;

/** A line number is one, as in the call of a tool. */
const wordValue = (word: string): string | number => (/^\d{1,9}$/.test(word) ? Number(word) : word);

const TIMED_OUT =
  /^(?:The command '[\s\S]{0,20000}?' was cancelled because it took more than|\s{0,5}EXECUTION TIMED OUT)/;
const SYNTAX = /^Your bash command contained syntax errors and was NOT executed/;
const LIMIT = /^exit_(?:cost|context|total_execution_time|command_timeout)$/;

/**
 * Imports `.traj` files of SWE-agent: one report per attempt at an instance. The format has no times but the file's, and
 * no mark for failed calls, so the printed text decides.
 */
export const sweAgentImporter = sessionImporter({
  product: { format: 'swe-agent', title: 'SWE-agent' },
  recognises: (record) =>
    Array.isArray(record['history']) &&
    !('instance_id' in record) &&
    ('trajectory' in record || Object.keys(record).length === 1),
  record: SweTrajectory,
  isDocument: () => true,
  begin(context, tally) {
    const sessions: ProductSession[] = [];
    return {
      sessions,
      add: (run) => sessions.push(...attemptsOf(run).map((attempt) => sessionOf(attempt, context, tally))),
    };
  },
});

interface Attempt {
  readonly run: SweTrajectory;
  /** What judges the run is about the attempt that was chosen. */
  readonly isChosen: boolean;
}

function attemptsOf(run: SweTrajectory): Attempt[] {
  const chosen = run.info?.best_attempt_idx;
  const attempts = (run.attempts ?? []).flatMap((attempt, n) => {
    const { data } = SweTrajectory.safeParse(attempt);
    return data === undefined ? [] : [{ run: data, isChosen: n === chosen }];
  });
  return attempts.length > 0 ? attempts : [{ run, isChosen: true }];
}

function sessionOf({ run, isChosen }: Attempt, context: ImportContext, tally: ImportTally): ProductSession {
  // a run repeats no other, and its calls have no ids that others could not have
  const session = new ProductSession();
  const config = configOf(run.replay_config);
  const { id, text } = config?.problem_statement ?? {};
  const name = id ?? instanceOfFile(context.sessionHint) ?? 'unnamed';
  nameInstance(session, name);
  session.repository ??= repositoryLabel(config?.env?.repo?.github_url ?? '');
  session.version = run.info?.swe_agent_version;
  session.model = config?.agent?.model?.name ?? config?.agent?.agent_configs?.[0]?.model?.name;
  const history = readAll(run.history, SweMessage, tally).filter(({ is_demo }) => is_demo !== true);
  session.addPrompt(stated(text) ?? contentText(history.find(({ role }) => role === 'user')?.content));
  const steps = run.trajectory === undefined ? demonstrated(history) : readAll(run.trajectory, SweStep, tally);
  session.cwd = folderIn(steps[0]?.state);
  addSteps(session, steps, history, context);
  endSession(session, run.info?.exit_status, steps.at(-1));
  const [first] = steps;
  nameRun(session, name, {
    first: [first?.action, first?.response, first?.execution_time],
    last: [steps.length, run.info, steps.at(-1)?.action, steps.at(-1)?.observation],
  });
  session.taskNames.push(name);
  session.isJudgedBeside = isChosen;
  return session;
}

function configOf(value: unknown): SweConfig | undefined {
  return SweConfig.safeParse(typeof value === 'string' ? parseJson(value) : value).data;
}

/** The folder in the state of a step, which older versions write as JSON in a text. */
function folderIn(state: unknown): string | undefined {
  const fields = typeof state === 'string' ? parseJson(state) : state;
  return isFields(fields) ? folderOf(textAt(fields, 'working_dir')) : undefined;
}

function readAll<T>(
  items: readonly unknown[] | undefined,
  schema: { safeParse(value: unknown): { data?: T | undefined } },
  tally: ImportTally,
): T[] {
  return (items ?? []).flatMap((item) => {
    const { data } = schema.safeParse(item);
    if (data === undefined) tally.omit('step that is no readable record');
    return data === undefined ? [] : [data];
  });
}

/** The steps of a demonstration: each action with the message after it. */
const demonstrated = (history: readonly SweMessage[]): SweStep[] =>
  history.flatMap(({ role, action, content }, n) => {
    const next = history[n + 1];
    if (role !== 'assistant' || action === undefined) return [];
    const isAnswered = next !== undefined && next.role !== 'assistant';
    const observation = isAnswered ? withoutState(contentText(next.content)) : undefined;
    return [{ action, response: contentText(content), ...optional('observation', observation) }];
  });

function addSteps(
  session: ProductSession,
  steps: readonly SweStep[],
  history: readonly SweMessage[],
  context: ImportContext,
): void {
  const at = context.recordedAt ?? '';
  const actions = history.filter(({ action }) => action !== undefined);
  let next = 0;
  for (const [n, step] of steps.entries()) {
    if ((step.response ?? '') !== '') session.replies.add(String(n));
    if (step.action.trim() === '') continue;
    // steps that the harness refused are in the trajectory only
    const asked = actions[next]?.action === step.action ? actions[next] : undefined;
    if (asked !== undefined) next += 1;
    const call = sweCall(step.action, asked?.tool_calls);
    // what ends the run is no call
    if (call.name === 'submit' && n === steps.length - 1) continue;
    const added = session.addCall(String(n), { ...call, at, reply: String(n) });
    session.finish(added, resultOf(call, step, steps[n + 1]), at);
  }
}

/** Undefined for a step that says nothing of what became of it. */
function resultOf(call: SweCall, step: SweStep, after: SweStep | undefined): CallResult | undefined {
  const { observation, execution_time: seconds } = step;
  if (observation === undefined) return undefined;
  const durationMs = seconds === undefined ? -1 : seconds * 1000;
  if (observation === '' && seconds === 0) return refused(after);
  if (TIMED_OUT.test(observation)) {
    const limit = /took more than (\d{1,9}) seconds/.exec(observation)?.[1] ?? 'the allowed';
    return { failed: true, text: `The command was cancelled: it took more than ${limit} seconds`, durationMs };
  }
  return { ...readToolAnswer(call.name, observation.replaceAll('\r\n', '\n')), durationMs };
}

/** A step that took no time did not run. The next one says why. */
function refused(after: SweStep | undefined): CallResult | undefined {
  const { data } = SweMessage.safeParse(after?.query?.at(-1));
  const text = contentText(data?.content);
  if (stated(text) === undefined) return undefined;
  // a wrong command line is the fault of the call
  return { failed: true, text, durationMs: -1, ...(SYNTAX.test(text) ? {} : { refused: true }) };
}

/** `submitted (exit_cost)`: the harness submitted what there was when a limit was reached. */
function endSession(session: ProductSession, status: string | undefined, last: SweStep | undefined): void {
  const reason = /\((\w{1,60})\)$/.exec(status ?? '')?.[1] ?? status;
  session.end = endOf(reason);
  if (isFailure(session.end) && last?.action === '' && last.response !== undefined)
    session.errorMessage = last.response;
}

function endOf(reason: string | undefined): ForeignEnd {
  if (reason === undefined || reason === '') return 'unfinished';
  if (reason === 'submitted' || reason === 'exit_command') return 'ended';
  if (reason === 'early_exit') return 'interrupted';
  if (LIMIT.test(reason)) return { kind: 'limit', reason };
  return reason === 'exit_api' ? { kind: 'api_error', status: undefined, type: reason } : { kind: 'stopped', reason };
}

/**
 * The call that an action is. A model that calls tools says which and with what; otherwise the first word of the text is
 * a command of SWE-agent or makes it a command line.
 */
function sweCall(action: string, toolCalls: readonly unknown[] = []): SweCall {
  const { data } = SweToolCall.safeParse(toolCalls[0]);
  if (data !== undefined) {
    const { name, arguments: given } = data.function;
    return { name, input: typeof given === 'string' ? (parseJson(given) ?? {}) : (given ?? {}) };
  }
  const text = action.trim();
  const name = /^\w{1,40}/.exec(text)?.[0] ?? '';
  const keys = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (keys === undefined || !/^\s|^$/.test(text.slice(name.length))) return { name: 'bash', input: { command: text } };
  return { name, input: argumentsOf(text.slice(name.length), keys) };
}

/** The named words of a command, and the rest as content. */
function argumentsOf(rest: string, keys: readonly string[]): Fields {
  if (keys.length === 0) return rest.trim() === '' ? {} : { text: rest };
  const words = parseCommandLine(rest.slice(0, MAX_HEAD))[0]?.words.map(({ text }) => text) ?? [];
  const named = Object.fromEntries(
    keys.flatMap((key, n) => (words[n] === undefined ? [] : [[key, wordValue(words[n])]])),
  );
  return words.length > keys.length || rest.length > MAX_HEAD ? { ...named, text: rest } : named;
}

/** What was observed, without the words and the state that SWE-agent puts around it for the model. */
function withoutState(text: string): string {
  const at = text.lastIndexOf('\n(Open file: ');
  const observed = at < 0 || !/bash-\$\s{0,5}$/.test(text.slice(-20)) ? text : text.slice(0, at);
  return observed.replace(/^(?:Observation: |OBSERVATION:\n)/, '');
}
