import type { SeededChoices } from './seeded-choices.js';

/**
 * The system calls that change the disk. A kill between two of them has the same effect as a kill before the second
 * one, so they are all the moments to test. The question mark makes strace ignore calls that the machine does not have.
 */
export const CHANGING_CALLS = [
  ...['write', 'pwrite64', 'pwritev', 'writev', 'ftruncate', 'fsync', 'fdatasync', 'rename', 'renameat', 'renameat2'],
  ...['link', 'linkat', 'unlink', 'unlinkat', 'mkdir', 'mkdirat', 'rmdir'],
]
  .map((name) => `?${name}`)
  .join(',');

/** The approximate number of calls that one thread of the server makes in a round. */
const SERVER_CALLS = { rename: 6, mkdir: 3, rmdir: 2, unlink: 3, fsync: 5, pwrite64: 4, write: 40 } as const;
type ServerCall = keyof typeof SERVER_CALLS;
const CALLS: readonly ServerCall[] = ['rename', 'mkdir', 'rmdir', 'unlink', 'fsync', 'pwrite64', 'write'];
const LONGEST_MS = 600;

/** The git commands of the publisher, with the approximate number of changing calls of each. */
const GIT_CALLS = { 'update-ref': 6, 'update-index': 6, 'read-tree': 6, repack: 24 } as const;
type GitVerb = keyof typeof GIT_CALLS;
// Mostly commands that every publication runs.
const OFTEN: readonly GitVerb[] = ['update-ref', 'update-ref', 'update-ref', 'update-index', 'read-tree'];
const VERBS: readonly GitVerb[] = [...OFTEN, ...OFTEN, 'repack'];

export type KillPlan =
  /** After some milliseconds: only the server, or with its children as when a container stops. */
  | { readonly kind: 'time'; readonly afterMs: number; readonly withChildren: boolean }
  /** Before or after the publisher runs this git command. */
  | { readonly kind: 'point'; readonly verb: GitVerb; readonly when: 'before' | 'after' }
  /** Git before its n-th changing call, alone or with the server. */
  | { readonly kind: 'git'; readonly verb: GitVerb; readonly nth: number; readonly alone: boolean }
  /** The server before the n-th such call of one of its threads. */
  | { readonly kind: 'server'; readonly call: ServerCall; readonly nth: number };

/** The next plan; without strace only `time` and `point`. */
export function nextPlan(choices: SeededChoices, hasStrace: boolean): KillPlan {
  const roll = choices.below(hasStrace ? 10 : 5);
  const verb = choices.of(VERBS);
  if (roll < 3) return { kind: 'time', afterMs: choices.below(LONGEST_MS), withChildren: choices.below(2) === 0 };
  if (roll < 5) return { kind: 'point', verb, when: choices.of(['before', 'after'] as const) };
  if (roll < 8) return { kind: 'git', verb, nth: 1 + choices.below(GIT_CALLS[verb]), alone: choices.below(2) === 0 };
  const call = choices.of(CALLS);
  return { kind: 'server', call, nth: 1 + choices.below(SERVER_CALLS[call]) };
}

/**
 * A wrapper of git that executes the plan in the file `plan` once, when it is called with the planned command. Its
 * folder is first in the search path; the wrapper removes it from the path to find the real git.
 */
export function killingGit(folder: string): string {
  return `#!/bin/sh
PATH="\${PATH#*:}"
plan='${folder}/plan'
if [ -e "$plan" ]; then
  read -r verb how nth < "$plan"
  case " $* " in *" $verb "*)
    if mv "$plan" "$plan.taken" 2>/dev/null; then
      [ "$how" = before ] && kill -9 $PPID && exit 137
      if [ "$how" = after ]; then git "$@"
      else strace -f -qq -o '${folder}/strace' -e 'trace=${CHANGING_CALLS}' -e "inject=${CHANGING_CALLS}:signal=SIGKILL:when=$nth" git "$@"
      fi
      status=$?
      [ "$how" != alone ] && kill -9 $PPID
      exit $status
    fi;;
  esac
fi
exec git "$@"
`;
}

/** The line of the file `plan`; undefined if git does not execute the plan. */
export function planLine(plan: KillPlan): string | undefined {
  if (plan.kind === 'point') return `${plan.verb} ${plan.when} 0\n`;
  return plan.kind === 'git' ? `${plan.verb} ${plan.alone ? 'alone' : 'both'} ${plan.nth}\n` : undefined;
}
