import { type Call, callOf } from '../../learning/calls/call.js';
import { runsCheck, selectsChecks } from '../../untrusted/danger/check-commands.js';
import { clip } from '../../untrusted/text/clip.js';
import { REPORT_LIMITS, type ToolCall, type Verification } from '../report/execution-report.schema.js';

/** What the agent's own checks say about its work. */
export interface ClosingChecks {
  readonly verification: Verification;
  /** 0 to 10: 8 if only a part of the tests was run, 9 for one whole check, 10 for several. */
  readonly qualityScore: number;
}

const BUILD = /^(?:build|compile)(?:[:_-].{0,60})?$/;

/**
 * The checks (tests, linters, builds) that passed after the last change of files. Undefined if nothing was changed, none
 * ran since, or the last run of one of them failed. A result behind a pipe or `||` says nothing. The agent chose what to
 * run, so its checks are no independent verification: they never count for a skill.
 */
export function closingChecks(calls: readonly ToolCall[]): ClosingChecks | undefined {
  let passed: Map<string, boolean> | undefined;
  for (const [at, { name, action, ok, ran, afterHole, resultLost, arguments: given }] of calls.entries()) {
    // a change after a check may have been lost
    if (afterHole === true) passed = passed && new Map();
    if (ran === false || resultLost === true) continue;
    const call = callOf({ tool: name, action, arguments: given, ok }, at);
    if (call.isEdit && call.ok !== false) passed = new Map();
    if (call.ok !== undefined) for (const check of checksIn(call)) passed?.set(check, call.ok);
  }
  if (passed === undefined || passed.size === 0 || [...passed.values()].includes(false)) return undefined;
  const checks = [...passed.keys()];
  const whole = checks.filter((check) => !check.split(' ').some((word) => selectsChecks(check.split(' '), word)));
  return {
    verification: {
      outcome: 'succeeded',
      source: 'self',
      checks: checks
        .slice(0, REPORT_LIMITS.checks)
        .map((check) => ({ name: clip(check, REPORT_LIMITS.check), ok: true })),
    },
    qualityScore: 8 + Math.min(whole.length, 2),
  };
}

/** The commands of a line that check the work, without variables in front of them. */
function checksIn({ tool, tokens, starts }: Call): string[] {
  if (tool !== 'shell') return [];
  return starts.flatMap((start, n) => {
    const end = starts[n + 1];
    const words = tokens.slice(start, end === undefined ? undefined : end - 1);
    while (/^[A-Za-z_]\w*=$/.test(words[0] ?? '')) words.splice(0, 2);
    const isCheck = runsCheck(words) || words.slice(1, 4).some((word) => BUILD.test(word));
    return isCheck ? [words.join(' ')] : [];
  });
}
