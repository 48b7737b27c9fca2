import { FifoCache } from '../../platform/background/fifo-cache.js';
import { parseCommandLine, type SimpleCommand } from '../../untrusted/shell/command-line.js';
import { type ActionShape, fileKindOf } from './action-shape.js';
import { type Step, stepOf } from './command-step.js';
import { normaliseCommand, unwrapShells } from './normalised-command.js';
import { isVersionProbe, purposeOf } from './purpose.js';

/** Set-up and noise: the action only if the line has no other step. */
const SETUP: ReadonlySet<string> = new Set(
  `cd pushd popd export source . set unset sleep echo printf true false : pwd wait alias ulimit umask shopt trap exit
   clear date return local read test [ [[ nvm deactivate`.split(/\s+/),
);
const GRAMMAR: ReadonlySet<string> = new Set('for case select function done fi esac } then else do'.split(' '));
const INSPECTION: ReadonlySet<string> = new Set(
  `ls cat head tail wc sort uniq tee cut tr xargs rm mkdir cp mv touch chmod chown find fd grep egrep fgrep rg sed awk jq
   diff file stat du df yes which type command whereis kill ps lsof basename dirname realpath less more tree env column`.split(
    /\s+/,
  ),
);

/** The simple commands of a normalised command line, and the parsed step of each. */
export interface CommandSteps {
  readonly commands: readonly SimpleCommand[];
  readonly steps: readonly Step[];
  /** The shape of the main step; undefined if there is none. */
  readonly shape?: ActionShape;
}

/** In real sessions, half of the commands were run recently before. An entry takes a few kilobytes. */
const PARSED_COMMANDS = new FifoCache<CommandSteps>(1_000);

/** Parses every simple command of a normalised or raw command line. `bash -lc 'cd x && pytest'` is its inner commands. */
export function parseSteps(command: string): CommandSteps {
  return PARSED_COMMANDS.getOrCreate(command, () => {
    const commands = unwrapShells(parseCommandLine(normaliseCommand(command)));
    const steps = commands.map(stepOf);
    const primary = primaryStep(commands, steps);
    return { commands, steps, ...(primary ? { shape: shapeOfStep(commands, steps, primary) } : {}) };
  });
}

/** -1 for grammar, 0 for set-up, 1 for inspection, 2 for a main action. */
function weightOf(step: Step): number {
  if (GRAMMAR.has(step.program)) return -1;
  if (SETUP.has(step.program) || step.program === '') return 0;
  if (step.program === 'conda' && step.subcommand[0] === 'activate') return 0;
  return INSPECTION.has(step.program) || isVersionProbe(step) ? 1 : 2;
}

/**
 * The main step of a command line: the one with the highest weight. Of several pipelines the last one, because earlier
 * ones prepare; inside a pipeline the first one, because later ones filter. A step after `||` is a fallback.
 */
function primaryStep(commands: readonly SimpleCommand[], steps: readonly Step[]): Step | undefined {
  let best: Step | undefined;
  let bestWeight = -2;
  for (const step of steps) {
    const joiner = commands[step.position]?.joiner;
    const weight = weightOf(step);
    if (weight > bestWeight || (weight === bestWeight && joiner !== '|' && joiner !== '||')) {
      best = step;
      bestWeight = weight;
    }
  }
  return best;
}

function masksExit(commands: readonly SimpleCommand[], position: number): boolean {
  const pipefail = commands.some(({ words }) => words.some(({ text }) => text === 'pipefail'));
  return commands.slice(position).some(({ joiner, after }, offset, rest) => {
    if (after === '&') return true;
    if (offset === 0) return false;
    if (joiner === '||' || joiner === ';') return true;
    return joiner === '|' && !pipefail && rest.slice(1, offset).every((command) => command.joiner === '|');
  });
}

/** Steps before the main one that are kept. */
const MOST_EARLIER = 8;

export function shapeOfStep(commands: readonly SimpleCommand[], steps: readonly Step[], step: Step): ActionShape {
  const coarse = coarseNameOf(step);
  const fileKinds = new Set(step.operands.flatMap((word) => fileKindOf(word) ?? []));
  return {
    tool: 'shell',
    program: step.displayName,
    ...(step.subcommand.length > 0 ? { subcommand: step.subcommand.join(' ') } : {}),
    coarse,
    purpose: writesFile(step) ? 'file:write' : purposeOf(step),
    fileKinds: [...fileKinds].slice(0, MOST_FILE_KINDS),
    masksExit: masksExit(commands, step.position),
    earlier: earlierNames(steps, step),
  };
}

const MOST_FILE_KINDS = 5;

const coarseNameOf = (step: Step): string => [step.displayName, ...step.subcommand].join(' ');

/** The steps that an error may blame, or that decide which program runs. A folder of git's own can be wrong as well. */
function earlierNames(steps: readonly Step[], step: Step): string[] {
  const earlier = steps.slice(0, step.position).filter((one) => weightOf(one) > 0 || changesSurroundings(one));
  const ofFolder = step.program === 'git' && step.flags.includes('-C') ? ['git -C'] : [];
  return [...earlier.slice(-MOST_EARLIER).map(coarseNameOf), ...ofFolder];
}

/** True for a set-up step that decides where or how a program runs: a folder, a virtual environment, a version. */
function changesSurroundings(step: Step): boolean {
  return /^(?:cd|pushd|source|\.|nvm|conda|deactivate)$/.test(step.program);
}

/** True for `cat > conf.py <<E` and `echo x > f`: they write a file. */
function writesFile(step: Step): boolean {
  return step.writesTo !== undefined && /^(?:cat|echo|printf)$/.test(step.program);
}
