import { formatSpan } from '../test/timed.mjs';

export class UnknownStep extends Error {}

/**
 * Selects steps: all, those from the step `from` on, or those in `only`. Returns them in order as `steps`, and as `leftOut`
 * those that need data when no folder is given. Throws `UnknownStep`, also for a step of `only` that lacks its data.
 */
export function planSteps(all, { from, only = [], data }) {
  const names = all.map(({ name }) => name);
  const unknown = [...only, ...(from === undefined ? [] : [from])].filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new UnknownStep(`There is no step ${unknown.join(', ')}; --list names them.`);
  const selected = all
    .slice(from === undefined ? 0 : names.indexOf(from))
    .filter(({ name }) => only.length === 0 || only.includes(name));
  const lacks = (step) => step.data === true && data === undefined;
  const leftOut = selected.filter(lacks).map(({ name }) => name);
  if (only.length > 0 && leftOut.length > 0) throw new UnknownStep(`${leftOut.join(', ')}: needs --data <folder>.`);
  return { steps: selected.filter((step) => !lacks(step)), leftOut };
}

/** Returns the arguments of npm for a step. */
export function commandOf({ run, data: takesData }, data) {
  const [script, ...args] = run.split(' ');
  const all = [...args, ...(takesData ? ['--data', data] : [])];
  return ['run', '--silent', script, ...(all.length > 0 ? ['--', ...all] : [])];
}

/** Returns the command that continues with a step, and the arguments that it needs again. */
export function resumeCommand(name, { only = [], data }) {
  const rest = [...(only.length === 0 ? [] : ['--only', ...only]), ...(data === undefined ? [] : ['--data', data])];
  return ['npm run verify -- --from', name, ...rest].join(' ');
}

/** "3 passed, 1 failed (crash), 2 left out without --data (transcripts, bench-fidelity), 12 min 5 s" */
export function formatTotal({ passed, failed, leftOut, seconds }) {
  const parts = [
    `${passed.length} passed`,
    ...(failed === undefined ? [] : [`1 failed (${failed})`]),
    ...(leftOut.length === 0 ? [] : [`${leftOut.length} left out without --data (${leftOut.join(', ')})`]),
    formatSpan(seconds * 1000),
  ];
  return parts.join(', ');
}
