import { LOCATES } from '../../capture/observations/preparing-step.js';
import type { Matcher } from '../../evidence/predicate/predicate.schema.js';
import type { RecordedCall } from '../evidence/recorded-execution.js';
import { type Firing, mostFrequent } from './firing.js';
import { type Hypothesis, IS_SAME, type Sample } from './hypothesis.js';

/** Kinds of steps that stand for each other in a lesson: look for a place, or read a schema. */
type StepClass = 'locate' | 'tables' | 'columns' | 'look-up' | 'other';
export const TEACHINGS: Partial<Record<StepClass, string>> = {
  tables: 'list the tables',
  columns: 'describe the table',
};
const SCHEMA = /^sql (?:desc|describe|show|explain|pragma)\b/;
/** Which tables there are; what else is read of a schema says what one of them holds. */
const LISTS = /^sql show (?:tables|databases|schemas)\b/;
/** Look for a place by its name. A search in contents finds none that is missing. */
const PLACE_TOOL = /^(?:glob|ls|list_?(?:dir|directory|files)|find_?files?|find_file|search_?(?:files?|dir))$/;
const PLACE_GOAL = /^(?:file:find|list|shell:pwd)$/;
const LOCATING_TOOL = /^(?:grep|search(?:_?code)?)$/;
const LOOK_UP_TOOL =
  /^(?:get|list|search|find|describe|fetch|lookup|show|read|view|query|inspect|explain|help|docs)(?=$|[_.-])|[_.-](?:get|list|search|find|describe|show|view|lookup|schema|schemas|help|docs)(?=$|[_.-])/;
/** Tools that change nothing which another call depends on. */
const ROUTINE =
  /^(?:think\w*|plan\w*|exit_?plan\w*|todo\w*|task\w*|agent\w*|skill|submit|finish|answer|respond|wait|sleep|calculat\w*|compute\w*|bash_?output|kill\w*|read|cat)$/;
/** Purposes of commands that another command depends on. */
export const PREPARES =
  /^(?:install:|environment:|container:|build:|packages:|vcs:git (?:init|fetch|pull|stash|rebase|config|submodule)|shell:(?:mkdir|chmod|chown|export|source|ln|kill|systemctl|service|createdb|nvm|corepack)$|file:remove$)/;
/** Errors about a place that is not there. */
const SAYS_MISSING =
  /no such|not found|does not exist|doesn't exist|can't open|can(?:not|'t) (?:find|access|open|stat|change)|not a (?:directory|git repository|valid editable)|missing|unable to (?:find|open|locate)/i;
/** Errors that a search for the part that matters helps with. */
const SAYS_TOO_LARGE = /exceeds? (?:the )?max|too (?:large|long|big)\b/i;
const EDIT = /^(?:edit|write|multiedit|create|str_replace\w*|file:write|file:edit)/;
const MOST_STEPS = 10;
const MIN_EXECUTIONS = 2;
const MOST_MATCHERS = 8;

interface Step {
  readonly id: string;
  readonly class: StepClass;
  readonly matcher: Matcher;
  readonly name: string;
}

/** Steps between the failure and the same action again: each alone, and look-ups of one kind together. */
export function stepHypotheses(sample: Sample): Hypothesis[] {
  const steps = new Map<string, Step>();
  const seen = sample.firings.flatMap((firing) => {
    const own = stepsOf(firing);
    for (const step of own) steps.set(step.id, step);
    return own.map(({ id }) => JSON.stringify([firing.execution.id, id]));
  });
  const ids = mostFrequent([...new Set(seen)].map((one) => (JSON.parse(one) as [string, string])[1]))
    .filter(([, n]) => n >= MIN_EXECUTIONS)
    .map(([id]) => id);
  const frequent = ids.flatMap((id) => steps.get(id) ?? []);
  const classes = (['locate', 'tables', 'columns', 'look-up'] as const).map((kind) =>
    frequent.filter((step) => step.class === kind),
  );
  return [
    ...classes.filter((group) => group.length > 1).map((group) => stepHypothesis(sample, group)),
    ...frequent.slice(0, MOST_STEPS).map((step) => stepHypothesis(sample, [step])),
  ];
}

/** The steps before the same action was tried again, which did not fail. */
function stepsOf({ failed, later }: Firing): Step[] {
  const next = later.findLastIndex((call) => call.goal === failed.goal && call.ok !== undefined);
  return later.slice(0, Math.max(0, next)).flatMap((call) => (call.ok === false ? [] : (stepOf(call, failed) ?? [])));
}

/** What a call between a failure and its recovery teaches; undefined if it is no step of a lesson. */
export function stepOf(call: RecordedCall, failed: RecordedCall): Step | undefined {
  if (call.goal === failed.goal) return undefined;
  const isShell = call.tool === 'shell';
  if (isShell ? PLACE_GOAL.test(call.goal) : PLACE_TOOL.test(call.tool))
    return SAYS_MISSING.test(failed.error) || SAYS_TOO_LARGE.test(failed.error) ? step(call, 'locate') : undefined;
  if (isShell ? LOCATES.test(call.goal) : LOCATING_TOOL.test(call.tool))
    return SAYS_TOO_LARGE.test(failed.error) ? step(call, 'locate') : undefined;
  if (SCHEMA.test(call.goal)) return step(call, LISTS.test(call.goal) ? 'tables' : 'columns');
  if (call.tool === 'shell') return PREPARES.test(call.goal) ? step(call, 'other') : undefined;
  if (EDIT.test(call.tool)) return editStep(call);
  if (ROUTINE.test(call.tool)) return undefined;
  return step(call, LOOK_UP_TOOL.test(call.tool) ? 'look-up' : 'other');
}

function step(call: RecordedCall, kind: StepClass): Step | undefined {
  const [main = ''] = call.actions;
  if (call.tool !== 'shell' && !call.goal.startsWith('sql '))
    return {
      id: `tool ${call.tool}`,
      class: kind,
      matcher: { tool: call.tool.replace(/[^\w.:-]/g, '.') },
      name: call.tool,
    };
  return main === '' ? undefined : { id: `action ${main}`, class: kind, matcher: { action: main }, name: main };
}

const SOURCE =
  /\[file:\.(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|go|rs|java|kt|c|h|cc|cpp|hpp|rb|php|cs|swift|ex|exs|sh|sql|ipynb)\]/;
/** Settings teach; the code that failed does not. */
function editStep({ actions }: RecordedCall): Step | undefined {
  const fine = [...actions].find((action) => /\[file:\.\w{1,8}\]/.test(action));
  if (fine === undefined || SOURCE.test(fine)) return undefined;
  return { id: `edit ${fine}`, class: 'other', matcher: { action: fine }, name: fine };
}

function stepHypothesis({ when, first: firings }: Sample, steps: readonly Step[]): Hypothesis {
  const matchers = steps.slice(0, MOST_MATCHERS).map(({ matcher }) => matcher);
  const [goal = ''] = mostFrequent(firings.map(({ failed }) => failed.goal))[0] ?? [];
  const names = steps.slice(0, MOST_MATCHERS).map(({ name }) => name);
  const isLookUp = steps.every((one) => one.class !== 'other');
  const action = startAction(when, goal);
  const [first] = steps;
  const teaching = first && steps.every((one) => one.class === first.class) ? TEACHINGS[first.class] : undefined;
  return {
    kind: 'step',
    how: 'prepare',
    action: names[0] ?? '',
    taught: names,
    avoided: [],
    predicate: {
      when: [...when],
      follow: matchers,
      attempt: IS_SAME,
      against: IS_SAME,
      ...(teaching !== undefined && action ? { start: { action, prior: matchers } } : {}),
    },
    context: isLookUp ? '' : goal,
    ...(teaching === undefined ? {} : { teaching }),
  };
}

/** The action whose first call is compared: an SQL statement by its verb, a tool by its name. */
function startAction(when: readonly Matcher[], goal: string): Matcher | undefined {
  if (goal.startsWith('sql ')) return { action: goal };
  const tool = when[0]?.tool;
  return tool === undefined || tool === 'shell' || tool.includes('|') ? undefined : { tool };
}
