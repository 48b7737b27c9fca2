import { nearName } from '../../platform/config/nearest-name.js';
import { CliError, EXIT } from '../terminal/cli-error.js';
import { oneLine } from '../terminal/terminal.js';

/** What a command can be given by its name or by the beginning of its id. */
export interface Candidate {
  readonly id: string;
  /** Texts that name it whole: the name and the e-mail address of a person. */
  readonly names: readonly string[];
  /** What tells it apart from another one with the same name. */
  readonly details: readonly string[];
  /** Disabled or replaced: a live one with the same name comes first. */
  readonly isEnded?: boolean;
}

export interface Noun {
  readonly one: string;
  readonly many: string;
  /** The command that lists them. */
  readonly list: string;
}

/** As git does. */
const MIN_PREFIX = 4;
const MAX_LISTED = 5;

/**
 * The candidate that `given` means: the live one with this name, or else the one whose id begins so, or a disabled one
 * with this name. Undefined if there is none. Throws a `CliError` that lists the candidates if there are several.
 */
export function matchName(noun: Noun, given: string, candidates: readonly Candidate[]): Candidate | undefined {
  const known = [...new Map(candidates.map((one) => [one.id, one])).values()];
  const named = known.filter(({ names }) => names.some((name) => isSameName(name, given)));
  const live = named.filter(({ isEnded }) => !isEnded);
  const found = live.length > 0 ? live : known.filter((one) => named.includes(one) || isIdOf(one, given));
  if (found.length > 1) throw ambiguous(noun, given, found);
  return found[0];
}

/** The error for a name that no candidate has, with the nearest one. */
export function unknownName(noun: Noun, given: string, candidates: readonly Candidate[] = []): CliError {
  const near = nearName(
    given,
    candidates.filter(({ isEnded }) => !isEnded).flatMap(({ names }) => names),
  );
  const hint = near === undefined ? '' : ` Did you mean "${oneLine(near)}"?`;
  const short = given.length < MIN_PREFIX && /^[0-9a-f]+$/i.test(given);
  return new CliError(
    EXIT.notFound,
    'name.unknown',
    `There is no ${noun.one} "${oneLine(given)}".${hint}${short ? ` Enter at least the first ${MIN_PREFIX} characters of an id.` : ''} To list them: ${noun.list}`,
  );
}

function ambiguous({ one, many }: Noun, given: string, found: readonly Candidate[]): CliError {
  const rows = found.slice(0, MAX_LISTED).map(({ id, names, details }) => {
    const [name] = names;
    return `  ${[id, ...(name === undefined ? [] : [name]), ...details].map(oneLine).join('  ')}`;
  });
  const more = found.length - rows.length;
  return new CliError(
    EXIT.usage,
    'name.ambiguous',
    [
      `"${oneLine(given)}" means ${found.length} ${many}. Enter the id of one ${one}:`,
      ...rows,
      ...(more > 0 ? [`  … and ${more} more`] : []),
    ].join('\n'),
  );
}

const isIdOf = ({ id }: Candidate, given: string): boolean =>
  given.length >= MIN_PREFIX && id.startsWith(given.toLowerCase());

/** E-mail addresses match in either case, in ASCII only: beyond it, a different address could match. */
function isSameName(name: string, given: string): boolean {
  if (name === given) return true;
  return isAddress(name) && isAddress(given) && name.toLowerCase() === given.toLowerCase();
}

const isAddress = (text: string): boolean => text.includes('@') && /^[\x21-\x7e]+$/.test(text);
