import { readCallWords } from '../../evidence/calls/call-role.js';
import type { Matcher } from '../../evidence/predicate/predicate.schema.js';
import type { RecordedCall } from '../evidence/recorded-execution.js';
import { type Firing, mostFrequent } from './firing.js';
import { type Hypothesis, IS_SAME, type Sample } from './hypothesis.js';

const MIN_EXECUTIONS = 2;
const MOST = 4;
/** The failing actions that tries are compared with. */
const MOST_FAILING = 4;
/** Purposes of commands that look at a file, move it, or only load it, whatever failed with it. */
const HANDLES =
  /^(?:list$|file:|run:|vcs:|version:|web:|lint:|shell:(?:cd|echo|printf|pwd|ls|mv|cp|mkdir|chmod|rm|touch|wc|sort|diff|stat|head|tail|awk|xargs)?$)/;

/** Another program, run on the same files, in place of the one that failed. */
export function actionHypotheses({ firings, when }: Sample): Hypothesis[] {
  const failing = mostFrequent(firings.flatMap(({ failed }) => failed.failure?.action ?? [])).slice(0, MOST_FAILING);
  const against: Matcher[] = failing.length === 0 ? [IS_SAME] : failing.map(([action]) => ({ action }));
  const found = new Set(
    firings.flatMap((firing) => othersOn(firing).map((action) => JSON.stringify([firing.execution.id, action]))),
  );
  return mostFrequent([...found].map((one) => (JSON.parse(one) as [string, string])[1]))
    .filter(([action, n]) => n >= MIN_EXECUTIONS && !failing.some(([known]) => known === action))
    .slice(0, MOST)
    .map(([action]) => ({
      kind: 'action',
      how: 'replace',
      action,
      context: '',
      taught: [action],
      avoided: [],
      predicate: { when: [...when], follow: { action }, against },
    }));
}

/** The main actions of later commands that worked on a file of the failed one. */
function othersOn({ failed, later }: Firing): string[] {
  if (failed.tool !== 'shell') return [];
  const files = new Set(filesOf(failed));
  return later.flatMap((call) => {
    const [main = ''] = call.actions;
    const isOther = call.ok === true && call.tool === 'shell' && call.goal !== failed.goal && !HANDLES.test(call.goal);
    return isOther && filesOf(call).some((file) => files.has(file)) ? [main] : [];
  });
}

const filesOf = ({ text }: RecordedCall): string[] =>
  readCallWords(text).flatMap(({ role, text: word }) =>
    role === 'operand' && word.length >= 5 && /[\w-]\/[\w.-]|\w\.\w/.test(word) ? [word] : [],
  );
