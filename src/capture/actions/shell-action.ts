import { FifoCache } from '../../platform/background/fifo-cache.js';
import type { SimpleCommand } from '../../untrusted/shell/command-line.js';
import type { ActionShape, StepShape } from './action-shape.js';
import { type Step, stepOf } from './command-step.js';
import { withKeptValues } from './kept-values.js';
import { normaliseFirstPass, normaliseFully } from './normalised-command.js';
import { operandShape } from './operand-shape.js';
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

/** Parses every simple command of a normalised or raw command line. */
export function parseSteps(command: string): CommandSteps {
  const first = normaliseFirstPass(command);
  return PARSED_COMMANDS.getOrCreate(first, () => {
    const { commands: forms, text } = normaliseFully(first);
    const commands = withKeptValues(forms, text);
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

function discardsExit(steps: readonly Step[], commands: readonly SimpleCommand[], position: number): boolean {
  return steps.slice(position + 1).some((step) => {
    const joiner = commands[step.position]?.joiner;
    if (joiner === '||' && /^(?:true|:|echo|printf|exit)$/.test(step.program)) return step.operands[0] !== '1';
    return (
      joiner === ';' && (/^(?:true|:)$/.test(step.program) || (step.program === 'exit' && step.operands[0] === '0'))
    );
  });
}

/** Steps before the main one that are kept. */
const MOST_EARLIER = 8;

export function shapeOfStep(commands: readonly SimpleCommand[], steps: readonly Step[], step: Step): ActionShape {
  const earlier = steps.slice(0, step.position);
  return {
    tool: 'shell',
    ...stepShape(step),
    masksExit: masksExit(commands, step.position),
    discardsExit: discardsExit(steps, commands, step.position),
    before: setupBefore(steps, step),
    earlier: earlier
      .filter((one) => weightOf(one) > 0 || changesEnvironment(one))
      .slice(-MOST_EARLIER)
      .map(stepShape),
  };
}

function stepShape(step: Step): StepShape {
  const flags = [...new Set(step.flags)].sort();
  const operands = [...new Set(step.operands.map(operandShape))].slice(0, 5);
  const coarse = [step.displayName, ...step.subcommand].join(' ');
  return {
    program: step.displayName,
    ...(step.subcommand.length > 0 ? { subcommand: step.subcommand.join(' ') } : {}),
    flags,
    operands,
    coarse,
    fine: [coarse, ...flags, ...operands].join(' '),
    purpose: writesFile(step) ? 'file:write' : purposeOf(step),
  };
}

/** True for a set-up step that decides which program runs: a virtual environment, another version. */
function changesEnvironment(step: Step): boolean {
  return /^(?:source|\.|nvm|conda|deactivate)$/.test(step.program);
}

/** True for `cat > conf.py <<E` and `echo x > f`: they write a file. */
function writesFile(step: Step): boolean {
  return step.writesTo !== undefined && /^(?:cat|echo|printf)$/.test(step.program);
}

/** The set-up steps before a step on the same line: `cd [word]`, `PYTHONPATH=`, `sudo`. */
function setupBefore(steps: readonly Step[], step: Step): string[] {
  const earlier = steps.slice(0, step.position).flatMap((one) => {
    if (one.program === 'export') return one.operands.flatMap((word) => /^\w{1,60}=/.exec(word)?.slice(0, 1) ?? []);
    if (/^(?:cd|pushd|source|\.|conda)$/.test(one.program) && weightOf(one) === 0) {
      return [[one.displayName, ...one.subcommand, ...one.operands.map(operandShape)].join(' ')];
    }
    return [];
  });
  return [...earlier, ...step.before];
}
