import { compilePattern } from '../../evidence/predicate/pattern.js';
import type { Matcher } from '../../evidence/predicate/predicate.schema.js';
import { type Firing, mostFrequent } from './firing.js';
import { type Hypothesis, IS_SAME, type Sample } from './hypothesis.js';

/** How errors name the right value. */
const RIGHT_VALUES = [
  `did you mean:?\\s+(?:to use\\s+)?['"\`‘]?([\\w.@/-]{2,60})`,
  `(?:use|try) ['"\`‘]([\\w.@/-]{2,60})['"\`’] instead`,
  `(?:renamed|replaced|changed) (?:to|by|with) ['"\`‘]?([\\w.@/-]{2,60})`,
];
const MIN_SHARE = 0.5;
const MIN_EXECUTIONS = 2;

/** The value that the error names as right is used. Not to use a wrong one again says nothing of what to use. */
export function valueHypotheses({ firings, first, when }: Sample): Hypothesis[] {
  const [goal = ''] = mostFrequent(first.map(({ failed }) => failed.goal))[0] ?? [];
  const right = RIGHT_VALUES.filter((pattern) =>
    capturing(pattern, first, (value, { failed }) => !hasWord(failed.text, value)),
  );
  const one = (follow: Matcher, against: Matcher, taught: string[], avoided: string[]): Hypothesis => ({
    kind: 'value',
    how: 'replace',
    action: mostFrequent(firings.flatMap(({ failed }) => failed.failure?.action ?? []))[0]?.[0] ?? '',
    taught,
    avoided,
    context: goal,
    predicate: { when: [...when], follow: { ...IS_SAME, ...follow }, against: { ...IS_SAME, ...against } },
  });
  return [
    ...right
      .slice(0, 1)
      .map((pattern) =>
        one({ errorValueInArgs: pattern }, { errorValueNotInArgs: pattern }, ['the value that the error suggests'], []),
      ),
  ];
}

function capturing(
  pattern: string,
  first: readonly Firing[],
  holds: (value: string, firing: Firing) => boolean,
): boolean {
  const expression = compilePattern(pattern);
  const found = first.filter((firing) => {
    const value = expression.firstGroup(firing.failed.error);
    return value !== undefined && holds(value, firing);
  });
  return found.length >= MIN_EXECUTIONS && found.length >= MIN_SHARE * first.length;
}

const hasWord = (text: string, value: string): boolean => text.toLowerCase().includes(value.toLowerCase());
