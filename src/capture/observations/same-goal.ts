import type { ActionShape } from '../actions/action-shape.js';
import type { SqlStatement } from '../actions/sql-statement.js';
import type { ToolArgument } from '../actions/tool-arguments.js';
import { compareArguments, differs } from './changed-arguments.js';
import { compareCommands } from './changed-words.js';
import { isLookUp } from './preparing-step.js';
import { isVariantName } from './tool-variant.js';
import { type FailedCall, isWrongPath, type ParsedCall, sharesSubject } from './trial.js';

/** Purposes that say what is done but not to what. For these the subject must be the same too. */
const GENERIC_PURPOSE = /^(?:shell:|file:|list$|tool:|mcp:|web:|version:)/;
const SEARCH = /^file:(?:search|find)$/;
const FILES = /^(?:file:|list$)/;
/** Targets of make with another goal than to build. */
const OTHER_TARGET = /^build:make (?:\S*clean|help|lint|docs?|format|fmt|dist|deploy|release|publish)$/;
/** Errors that say that the program has no such target. */
const NO_TARGET: ReadonlySet<string> = new Set(['npm-missing-script', 'make-no-rule']);

/**
 * True if the later call may reach the goal of the failed one: the same purpose on the same subject, another target of
 * the same program, the same tool with a value in common, or another tool for the same.
 */
export function sameGoal(failed: FailedCall, later: ParsedCall): boolean {
  const [before, after] = [failed.shape, later.shape];
  if (before.tool !== after.tool) return isOtherTool(failed, later);
  if (before.tool !== 'shell' && !FILES.test(before.purpose)) return isSameToolGoal(failed, later);
  if (before.purpose !== after.purpose) return isOtherTarget(failed, after);
  if (!GENERIC_PURPOSE.test(before.purpose) || continuesSearch(failed)) return true;
  return sharesSubject(before, after) || isSameCommand(before, after);
}

/**
 * True if the next search with the same tool counts as the same search elsewhere: search patterns are never stored, so
 * they cannot be compared.
 */
function continuesSearch(failed: FailedCall): boolean {
  return failed.shape.tool !== 'shell' && SEARCH.test(failed.shape.purpose) && isWrongPath(failed);
}

/** True for the same program with other flags, variables or set-up steps at most: `psql -h db2` after `psql -h db1`. */
function isSameCommand(failed: ActionShape, later: ActionShape): boolean {
  const isAddress = failed.purpose.startsWith('web:');
  if (failed.tool !== 'shell' || failed.coarse !== later.coarse) return false;
  if (!isAddress && !failed.purpose.startsWith('shell:')) return false;
  const { changes } = compareCommands(failed, later);
  // two requests without a difference may go to two addresses
  if (isAddress && changes.length === 0) return false;
  return changes.every(({ slot }) => slot !== 'operand' && slot !== 'subcommand');
}

/** True for `make all` after `make build`, and for `npm run build:web` after `npm run build`. */
function isOtherTarget({ shape: failed, errorClass }: FailedCall, later: ActionShape): boolean {
  if (failed.tool !== 'shell' || failed.program !== later.program || later.subcommand === undefined) return false;
  if (/^(?:build|install):make\b/.test(failed.purpose))
    return /^build:make\b/.test(later.purpose) && !OTHER_TARGET.test(later.purpose);
  if (NO_TARGET.has(errorClass)) return /^(?:build|test|check|run|packages|install):/.test(later.purpose);
  const script = (purpose: string): string | undefined => /^packages:\w{1,10} run ([^:\s]{1,60})/.exec(purpose)?.[1];
  return script(failed.purpose) !== undefined && script(failed.purpose) === script(later.purpose);
}

/** The same tool soon after the failure, with a value in common, or with none that could be compared. */
function isSameToolGoal(failed: FailedCall, later: ParsedCall): boolean {
  const [before, after] = [failed.shape, later.shape];
  if (before.sql && after.sql) return isSameStatement(failed, later);
  if (before.purpose !== after.purpose) return false;
  if (!GENERIC_PURPOSE.test(before.purpose)) return true;
  const comparable = before.arguments.filter(isTelling);
  if (comparable.length === 0 || !after.arguments.some(isTelling)) return true;
  const values = new Set(after.arguments.map(({ value }) => value));
  if (comparable.some(({ value }) => values.has(value))) return true;
  const now = new Map(after.arguments.map((argument) => [argument.key, argument]));
  return comparable.slice(0, RESPELLED.arguments).some((argument) => {
    const other = now.get(argument.key);
    return other !== undefined && (isRespelled(argument, other) || isCorrectedAtOnce(failed, later, other));
  });
}

/** A value that says what a call is about. */
function isTelling({ type, value }: ToolArgument): boolean {
  return value !== undefined && type !== 'boolean' && type !== 'null' && value.length >= 3 && !/^\[\w+\]$/.test(value);
}

/** How many arguments, and how much of each, are compared part by part. */
const RESPELLED = { arguments: 6, characters: 100 } as const;

/** True for the same value in another type or form: `"10"` and `10`, `05/20/2024` and `2024-05-20`, `ann` and `ann_1`. */
function isRespelled(old: ToolArgument, now: ToolArgument): boolean {
  const parts = ({ value = '' }: ToolArgument): string[] =>
    value
      .slice(0, RESPELLED.characters)
      .toLowerCase()
      .match(/[\p{L}\p{N}]{1,100}/gu) ?? [];
  const [before, after] = [parts(old), new Set(parts(now))];
  const shared = before.filter((part) => after.has(part)).length;
  return before.length > 0 && shared * 2 >= Math.max(before.length, after.size);
}

/** True for the next call with another word from a list, such as a unit. Another id is another target. */
function isCorrectedAtOnce(failed: FailedCall, later: ParsedCall, { key, value = '' }: ToolArgument): boolean {
  const isWord = /^[A-Za-z][A-Za-z_ -]{0,30}$/.test(value) && !/(?:^|_)(?:id|user|name|email)s?$/i.test(key);
  return later.index === failed.index + 1 && isWord;
}

/** The same verb soon after: with a name in common, as the next call, or with the schema looked up in between. */
function isSameStatement(failed: FailedCall, later: ParsedCall): boolean {
  const [before, after] = [failed.shape.sql, later.shape.sql];
  if (!before || !after || before.verb !== after.verb) return false;
  if (later.index === failed.index + 1) return true;
  const names = namesIn(after);
  return names.size === 0 || [...namesIn(before)].some((name) => names.has(name));
}

/** A statement is compared with several others. */
const NAMES = new WeakMap<SqlStatement, ReadonlySet<string>>();

/** The tables and columns of a statement, also without what stands before their last dot. */
function namesIn(statement: SqlStatement): ReadonlySet<string> {
  const known = NAMES.get(statement);
  if (known) return known;
  const names = new Set(
    [...statement.tables, ...statement.columns].flatMap((name) => [name, name.slice(name.lastIndexOf('.') + 1)]),
  );
  NAMES.set(statement, names);
  return names;
}

/** Another tool for the same: the same purpose on the same file, most of the values of the failed call, or a variant. */
function isOtherTool({ shape: failed }: FailedCall, { shape: later }: ParsedCall): boolean {
  if (FILES.test(failed.purpose) || failed.tool === 'shell' || later.tool === 'shell')
    return failed.purpose === later.purpose && FILES.test(failed.purpose) && sharesSubject(failed, later);
  if (FILES.test(later.purpose) || isLookUp(failed) !== isLookUp(later)) return false;
  if (isVariant(failed, later)) return true;
  const telling = failed.arguments.filter(isTelling);
  const values = new Set(later.arguments.map(({ value }) => value));
  const shared = telling.filter(({ value }) => values.has(value));
  return shared.length > 0 && shared.length * 2 >= telling.length;
}

/** True for a tool with a variant of the name and the same arguments, whose values the report may not hold. */
function isVariant(failed: ActionShape, later: ActionShape): boolean {
  if (failed.arguments.length === 0 || !isVariantName(failed.tool, later.tool)) return false;
  const now = new Map(later.arguments.map((argument) => [argument.key, argument]));
  return (
    now.size === failed.arguments.length &&
    failed.arguments.every((old) => {
      const other = now.get(old.key);
      return other !== undefined && !differs(old, other);
    })
  );
}

/** True if the later call of a tool is the failed one again, as far as the report holds its arguments. */
export function isUnchanged(failed: ActionShape, later: ActionShape): boolean {
  return failed.arguments.length === later.arguments.length && compareArguments(failed, later).changes.length === 0;
}

/**
 * True if the report does not say what differs: it holds only the names of the arguments, or their only difference is
 * another content, such as other code, which names nothing that another execution could do.
 */
export function isUnknown(failed: ActionShape, later: ActionShape): boolean {
  if (failed.tool !== later.tool || FILES.test(failed.purpose) || failed.tool === 'shell') return false;
  const known = new Map(later.arguments.map((argument) => [argument.key, argument]));
  const isSame = failed.arguments.length === known.size && failed.arguments.every(({ key }) => known.has(key));
  if (!isSame) return false;
  const unknown = failed.arguments.filter(
    ({ key, value }) => value === undefined || known.get(key)?.value === undefined,
  );
  return unknown.length > 0 && failed.arguments.every((old) => unknown.includes(old) || !isOther(old, known));
}

function isOther(old: ToolArgument, known: ReadonlyMap<string, ToolArgument>): boolean {
  const now = known.get(old.key);
  return now === undefined || differs(old, now);
}
