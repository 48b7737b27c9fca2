import { changedSources } from '../../untrusted/danger/changed-sources.js';
import { runsCheck, selectsChecks } from '../../untrusted/danger/check-commands.js';
import { dangersInCommand } from '../../untrusted/danger/dangers-in-command.js';
import type { Call } from '../calls/call.js';
import { errorTokens, MISSING, NO_MATCH, namedIn, WITHHELD_OUTPUT } from '../calls/error-tokens.js';
import { programOf, SETS_UP } from '../calls/shell-line.js';
import { EMPTY, isFlag, isKeyword, isNumber, lineOfTokens } from '../calls/tokens.js';
import { hunksOf } from './alignment.js';
import type { Case, Step, Try } from './case.js';
import { isAboutItself } from './change.js';
import { areForms, commandsOf, onlyLooks } from './goal.js';

/** A failure, and the try that overcame it. */
export interface Recovery {
  readonly one: Case;
  readonly taken: Try;
}

export const SKIPS_CHECK = 'skips a check or turns a protection off';
/** What several runs did may be proposed at a high risk: a person decides. */
export const FOREIGN_SOURCE = 'takes code from another source';
/** The run corrected what it was working on. */
export const CODE_CHANGED = 'code was changed in between';

/** Why a feature that recoveries share is no remedy. */
export type RefusedRemedy =
  | 'names nothing to do'
  | 'is another value'
  | 'only looks'
  | 'leaves out what the error does not name'
  | typeof SKIPS_CHECK
  | typeof FOREIGN_SOURCE
  | 'follows an output that is not kept'
  | typeof CODE_CHANGED
  | 'takes more rights';

/** Tokens of a command that names nothing: `npm run`. */
const BARE = 2;
/** Settings of a tool that lift its limits: `dangerouslyDisableSandbox=true`. */
const LIFTS_LIMITS = / # .*(?:danger|disable|bypass|unsafe)/i;
/** A check says whether the work is right; only with such an option does it change something. */
const CORRECTS = /(?:^|\s)(?:--(?:fix|write|apply|update)\S{0,40}|-[aAuw]|format|fmt|install)(?=\s|$)/;
/** Files that hold secrets; `.env.example` is none. */
const SECRETS =
  /(?:^|[\s=/"'])(?:\.env|\.netrc|\.pgpass|id_(?:rsa|dsa|ecdsa|ed25519)|[\w.-]{1,60}\.(?:pem|p12|pfx|keystore))(?=[\s"']|$)/;
/** Another agent or person works on it: what gets around that is a decision of people. */
const HELD_BY_OTHER = /\b(?:claimed|locked|held|reserved|checked out|assigned) (?:by|to)\b/i;
/** What an output said that is not kept may be an order: that several runs obeyed it is no reason. */
const UNEXPLAINED = errorTokens(WITHHELD_OUTPUT, false).join(' ');
/** It ends well although nothing was there: that only silences the error. */
const IGNORES_MISSING = /^\+(?:-[a-zA-Z]{0,6}f[a-zA-Z]{0,6}|--(?:force|ignore-missing|if-exists))$/;
const MORE_RIGHTS = /(?:^|\s)(?:sudo|doas|su)\s/;

export const isStep = (feature: string): boolean => feature.startsWith('step ');

/**
 * Why a feature of recoveries is no remedy; undefined if it may be one. `change`: all features of the call itself that
 * the recoveries share. One run cannot tell a look that helped from one that did not; several can: `isShared`.
 */
export function refusedRemedy(
  feature: string,
  change: readonly string[],
  recoveries: readonly Recovery[],
  isShared = recoveries.length > 1,
): RefusedRemedy | undefined {
  const [first] = recoveries;
  if (first === undefined) return 'names nothing to do';
  const shown = isStep(feature) ? refusedStep(feature, first, isShared) : refusedChange(change, recoveries);
  if (shown === undefined && !isShared && !isStep(feature) && asksForSibling(first)) return 'is another value';
  return shown ?? refusedDanger(feature, recoveries);
}

function refusedStep(
  feature: string,
  { one: { failed }, taken }: Recovery,
  isShared: boolean,
): RefusedRemedy | undefined {
  const words = taken.steps.get(feature)?.tokens ?? [];
  // What a program says of itself prepares nothing, however many runs asked.
  if (isAboutItself(words)) return 'only looks';
  const step = words.join(' ');
  const isMeant = isNamedAfter(words, failed);
  const server = serverOf(words[0]);
  const isOfServer = isShared && server !== undefined && server === serverOf(failed.tokens[0]);
  const isRelated = isMeant || isOfServer || /⟨[fe]⟩/.test(feature);
  const error = failed.error.join(' ');
  // The text of an edit may be another one: what another tool showed helped only if the error asks for it.
  if (failed.isEdit && words[1]?.endsWith('=') && !isMeant && !NO_MATCH.test(error)) return 'only looks';
  // Of two calls of one tool, one run cannot tell whether the first was needed: another issue was created before.
  // What a tool does not find is there later: nor can it tell what made it.
  const isLook =
    (!isShared && failed.tool !== 'shell' && (words[0] === failed.tokens[0] || MISSING.test(error))) ||
    onlyLooks(step) ||
    (runsCheck(words) && !CORRECTS.test(step));
  if (isLook) return isShared && isRelated ? undefined : 'only looks';
  // A call of a tool that is no shell may be any other work, unless it is about the same thing.
  const isOfShell = failed.tool === 'shell' && /^[a-z0-9_./-]+$/.test(words[0] ?? '');
  return isOfShell || isRelated ? undefined : 'only looks';
}

/**
 * True if a word of the name of a tool stands in the error: `load_index` and "the index is not loaded". A call for another
 * file than the failed one is not meant.
 */
export function isNamedAfter([tool = '', ...values]: readonly string[], { error, tokens }: Call): boolean {
  const said = new Set(error.flatMap(wordsOfName));
  const files = new Set(tokens.filter(isFile).map(baseName));
  const own = values.filter(isFile).map(baseName);
  const isOther = files.size > 0 && own.length > 0 && !own.some((one) => files.has(one));
  return !isOther && wordsOfName(tool).some((word) => said.has(word));
}

/** Tools of one MCP server are about the same thing: `mcp__tracker__list_states` before `mcp__tracker__move`. */
const serverOf = (tool = ''): string | undefined => /^mcp__(.{1,60}?)__/.exec(tool)?.[1];

const isFile = (token: string): boolean => /^[^\s=]*\.[A-Za-z]\w{0,5}$/.test(token);
const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const wordsOfName = (name: string): string[] =>
  name
    .replace(/([a-z])(?=[A-Z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length >= 4)
    .map((word) => word.replace(/s$/, ''));

/** Runs or shows the file that it is given: of a file of tests, that runs no test. */
const TAKES_FILE = /^(?:python[\d.]*|node|ruby|perl|php|sed|cat|head|tail|less)$/;

/**
 * True if the later call leaves out a command that checks the work, runs only a part of its checks, or only loads or
 * shows their file.
 */
function skipsChecks(failed: Call, call: Call): boolean {
  if (call.tool !== 'shell') return false;
  const commands = commandsOf(call);
  const kept = new Set(commands.map((words) => words.join(' ')));
  const checks = commandsOf(failed).filter(runsCheck);
  if (checks.length > 0 && !commands.some(runsCheck) && TAKES_FILE.test(commands.at(-1)?.[0] ?? '')) return true;
  const added = call.tokens.filter((token) => isFlag(token) && !failed.tokens.includes(token));
  const isLeftOut = failed.starts.length > call.starts.length && checks.some((words) => !kept.has(words.join(' ')));
  return isLeftOut || added.some((option) => commands.some((words) => selectsChecks(words, option)));
}

/** `ls -la` hardly can fail: that it worked says nothing about the call that did not. */
const isBareLook = ({ taken: { call } }: Recovery): boolean =>
  commandsOf(call).every((words) => onlyLooks(words.join(' ')) && words.slice(1).every(isFlag));

/** The very path that the error calls missing, with another program or the same `cd`: that it is there now helped. */
function keepsMissing({ one: { failed }, taken: { call } }: Recovery): boolean {
  const isNamed = namedIn(failed.error);
  const isSame =
    !SETS_UP.test(failed.program) && commandsOf(call).some(([word = '']) => programOf(word) === failed.program);
  const isNew = !isSame && call.starts.length <= failed.starts.length && MISSING.test(failed.error.join(' '));
  return (
    isNew && failed.tokens.some((one, at) => !failed.starts.includes(at) && call.tokens.includes(one) && isNamed(one))
  );
}

function refusedChange(change: readonly string[], recoveries: readonly Recovery[]): RefusedRemedy | undefined {
  if (recoveries.every(isBareLook)) return 'only looks';
  if (recoveries.every(keepsMissing)) return 'names nothing to do';
  const added = change.filter((one) => one.startsWith('+'));
  const isMissing = recoveries.every(({ one }) => MISSING.test(one.failed.error.join(' ')));
  if (isMissing && added.some((one) => IGNORES_MISSING.test(one))) return 'names nothing to do';
  // A part of a word stayed: `"4"` became `4`, `teachers` became `teacher`.
  const isPart = change.some((one) => one.startsWith('-') && one.includes('⟨a⟩'));
  if (!isPart && added.length > 0 && added.every((one) => one === '+⟨n⟩' || isNumber(one.slice(1))))
    return 'is another value';
  if (isPart || added.some((one) => /^\+.*[A-Za-z]/.test(one.replace('⟨n⟩', '')))) return undefined;
  const dropped = change.filter((one) => one.startsWith('-') && !one.includes('⟨'));
  if (dropped.length === 0) return 'names nothing to do';
  const onlyDrops = ({ one, taken }: Recovery): boolean =>
    taken.call.tokens.every((token) => isFlag(token) || one.failed.tokens.includes(token));
  // The bare command says what there is; the run then put something else in the place of what it left out.
  const isReplaced = ({ one, taken }: Recovery): boolean =>
    taken.call.tokens.length <= BARE &&
    one.tries.some(
      ({ call, worked, features }) =>
        call.at > taken.call.at && worked === true && [...features].some((feature) => /^\+[^-]/.test(feature)),
    );
  if (2 * recoveries.filter(isReplaced).length > recoveries.length) return 'only looks';
  const isNamed = dropped.some(
    (one) => one.slice(1) === EMPTY || recoveries.every(({ one: { failed } }) => namedIn(failed.error)(one.slice(1))),
  );
  return recoveries.every(onlyDrops) && isNamed ? undefined : 'leaves out what the error does not name';
}

/**
 * The later statement asks for less: it has no form of a name of the failed one. A new name may take the place of one
 * that the error names.
 */
const dropsNames = ({ failed }: Case, { call }: Try): boolean => {
  const isNamed = namedIn(failed.error);
  const isName = (one: string): boolean => /^[a-z]\w/.test(one) && !isKeyword(one);
  const isOther = call.tokens.slice(2).some((one) => isName(one) && !failed.tokens.includes(one));
  return failed.tokens
    .slice(2)
    .some(
      (one) =>
        isName(one) &&
        (isNamed(one) ? !isOther : one.length >= 3) &&
        !call.tokens.some((other) => areForms(one, other)),
    );
};

/**
 * One run went on with another of the same kind, `prepare-cli` after `prepare-core`, which its error does not offer.
 * That it exists says nothing about the first one.
 */
function asksForSibling({ one, taken }: Recovery): boolean {
  const { failed } = one;
  const isNamed = namedIn(failed.error);
  // A wrong name of a table has its right one.
  if (failed.program.includes(' ')) return dropsNames(one, taken);
  const isOtherFile = (from: string, to: string): boolean =>
    !isNamed(from) && [from, to].every(isFile) && baseName(from) !== baseName(to);
  return hunksOf(failed.tokens, taken.call.tokens).some(({ removed, added }) =>
    removed.some(
      (from) => !isFlag(from) && added.some((to) => !isNamed(to) && (areSiblings(from, to) || isOtherFile(from, to))),
    ),
  );
}

/** Names that differ in one part, which is no form of the other and no version. */
function areSiblings(one: string, other: string): boolean {
  const [hunk, ...more] = hunksOf(one.split(/[-_]/), other.split(/[-_]/));
  const [from = '', to = ''] = [hunk?.removed, hunk?.added].map((parts) => parts?.join('-'));
  if (more.length > 0 || from === one || areForms(from, to)) return false;
  return [from, to].every((text) => /^[A-Za-z]{3}[^-]*$/.test(text));
}

/** Every feature of a change asks for the same call. */
const judged = new WeakMap<Try, RefusedRemedy | 'none'>();

function refusedDanger(feature: string, recoveries: readonly Recovery[]): RefusedRemedy | undefined {
  for (const { one, taken } of recoveries) {
    const step = taken.steps.get(feature);
    const refused = (step ? undefined : judged.get(taken)) ?? dangerOf(one.failed, taken, step);
    if (!step) judged.set(taken, refused);
    if (refused !== 'none') return refused;
  }
  return undefined;
}

function dangerOf(one: Call, { call }: Try, step: Step | undefined): RefusedRemedy | 'none' {
  const [failed, error] = [lineOfTokens(one.tokens), one.error.join(' ')];
  const known = new Set(dangersInCommand(failed).map(({ form }) => form));
  const lines = [call, ...(step ? [step] : [])].map(({ tokens }) => lineOfTokens(tokens));
  const dangers = [
    ...lines.flatMap((line) => dangersInCommand(line).filter(({ form }) => !known.has(form))),
    ...changedSources(failed, lines.toReversed().join('\n')),
  ];
  const isSkipped = skipsChecks(one, call) || lines.some((line) => LIFTS_LIMITS.test(line));
  if (isSkipped || dangers.some((danger) => danger.class !== 'source')) return SKIPS_CHECK;
  if (dangers.length > 0)
    return ` ${error}`.endsWith(` ${UNEXPLAINED}`) ? 'follows an output that is not kept' : FOREIGN_SOURCE;
  const isMore = (form: RegExp, line = ''): boolean => form.test(line) && !form.test(failed);
  // To edit a file of secrets first, as a step, is what a missing setting asks for.
  const takesMore = lines.some((line) => isMore(MORE_RIGHTS, line)) || isMore(SECRETS, lines[0]);
  return takesMore || HELD_BY_OTHER.test(error) ? 'takes more rights' : 'none';
}
