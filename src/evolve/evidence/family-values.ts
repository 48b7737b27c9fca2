import { familyFingerprint } from '../../capture/observations/fingerprint.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { Ledger } from '../support/ledger.js';
import { PatternEvidence } from '../support/pattern-evidence.js';
import type { Family } from './candidate.js';
import type { RecordedCall, RecordedExecution } from './recorded-execution.js';

/**
 * A value is split off if it occurs in so many `executions` of a family, in less than this `share` of its failures.
 * `values`: at most so many of one family, the most frequent ones. `longest`: of a value, and of the error line that is
 * read.
 */
export const VALUE_SETTINGS = { executions: 6, share: 0.95, values: 5, longest: 80, line: 300 } as const;

/** The part of a family whose error line names one value: a module, a table, a command, a path. */
export interface ValueFamily {
  readonly value: string;
  isMember(call: RecordedCall): boolean;
}

/** Where an error line names its subject without quotes, before the first quoted text. */
const NAMED: readonly RegExp[] = [
  /\bNo module named:? ['"]?([\w.-]{1,80})/i,
  /\bno such file or directory: ['"]?([^\s'"]{1,80})/i,
  /\b(?:path|file|directory) does not exist: ['"]?([^\s'"]{1,80})/i,
  /(?:^|: )([^\s:'"]{1,80}): (?:command not found|not found$|No such file or directory)/i,
  /^(?:\w{1,60}: )?(\w{1,60}) failed due to\b/,
];
const QUOTED = /['"`‘“]([^'"`‘’“”\n]{1,80})['"`’”]/;
/** A masked value, or one that the line gives for any value. */
const NO_VALUE = /^\W{0,3}$|^[[<{].{0,20}[\]>}]$/;

/** The recurring values of a family, the most frequent first. The result does not depend on the order of the executions. */
export function valueFamilies(family: Family, executions: readonly RecordedExecution[]): ValueFamily[] {
  const prints = new Set(family.fingerprints);
  const belongs = ({ failure }: RecordedCall): boolean => failure !== undefined && prints.has(failure.fingerprint);
  const seen = new Map<string, { executions: Set<string>; failures: number }>();
  let failures = 0;
  for (const { id, calls } of executions)
    for (const call of calls) {
      if (!belongs(call)) continue;
      failures += 1;
      const value = namedValue(call.error);
      if (value === undefined) continue;
      const known = seen.get(value) ?? { executions: new Set(), failures: 0 };
      known.executions.add(id);
      known.failures += 1;
      seen.set(value, known);
    }
  return [...seen]
    .filter(
      ([, one]) => one.executions.size >= VALUE_SETTINGS.executions && one.failures < VALUE_SETTINGS.share * failures,
    )
    .sort((a, b) => b[1].executions.size - a[1].executions.size || compareText(a[0], b[0]))
    .slice(0, VALUE_SETTINGS.values)
    .map(([value]) => ({ value, isMember: (call) => belongs(call) && namedValue(call.error) === value }));
}

/** The failures of one execution in a part of a family. */
export interface MemberShare {
  readonly id: string;
  readonly model: string | undefined;
  readonly failures: number;
}

/** The evidence of a part, from those of its executions that are in the ledger. */
export function evidenceOfPart(shares: readonly MemberShare[], ledger: Ledger): PatternEvidence {
  const evidence = new PatternEvidence(ledger);
  for (const { id, model, failures } of shares) {
    const number = ledger.numberOf(id);
    if (number !== undefined) evidence.addExecution({ execution: number, model, failures });
  }
  return evidence;
}

/** The executions of a part, with their failures. */
export function sharesOfPart(
  isMember: ValueFamily['isMember'],
  executions: readonly RecordedExecution[],
): MemberShare[] {
  return executions.flatMap(({ id, calls, source }) => {
    const failures = calls.filter(isMember).length;
    return failures === 0 ? [] : [{ id, model: source.observed.model, failures }];
  });
}

/** The part of a family as a family of its own, with the evidence of these executions. */
export function familyOfValue(
  family: Family,
  part: ValueFamily,
  executions: readonly RecordedExecution[],
  ledger: Ledger,
): Family {
  const { value, isMember } = part;
  const evidence = evidenceOfPart(sharesOfPart(isMember, executions), ledger);
  const members = executions.flatMap((execution) => {
    const calls = execution.calls.filter(isMember);
    return calls.length === 0 ? [] : [{ execution, calls }];
  });
  const failures = members.flatMap(({ calls }) => calls.flatMap(({ failure }) => failure ?? []));
  const templates = new Set(failures.map(({ template }) => template));
  const of = (all: readonly string[], found: readonly string[]): string[] => {
    const names = new Set(found);
    return all.filter((one) => names.has(one));
  };
  const projects = new Set(
    members.map(({ execution: { environment } }) => environment.repository ?? environment.project),
  );
  const [project] = projects.size === 1 ? projects : [];
  return {
    fingerprint: familyFingerprint(family.fingerprint, value),
    signature: mostFrequentOf(failures.map(({ template }) => template)) ?? family.signature,
    templates,
    fingerprints: [...new Set(failures.map(({ fingerprint }) => fingerprint))].sort(),
    tools: of(
      family.tools,
      members.flatMap(({ calls }) => calls.map(({ tool }) => tool)),
    ),
    actions: of(
      family.actions,
      failures.map(({ action }) => action),
    ),
    errorClasses: of(
      family.errorClasses,
      failures.map(({ errorClass }) => errorClass),
    ),
    value,
    ...(project === undefined ? {} : { project }),
    evidence,
  };
}

/** The first value that an error line names, or quotes. */
export function namedValue(error: string): string | undefined {
  const line = error.slice(0, VALUE_SETTINGS.line);
  const named = NAMED.flatMap((pattern) => pattern.exec(line)?.[1] ?? []);
  const value = (named[0] ?? QUOTED.exec(line)?.[1])?.trim();
  return value === undefined || NO_VALUE.test(value) ? undefined : value;
}

function mostFrequentOf(names: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]))[0]?.[0];
}
