import { CharacterRuns } from '../text/character-runs.js';
import { isRandomWithoutContext, looksRandom } from './entropy.js';
import { isIdForm } from './known-ids.js';

/** Words after which a random-looking token is a secret. */
const SECRET_CONTEXT =
  /(?<!public[_ -]?)key|token|secret|passw|pwd|cred|auth|bearer|webhook|login|crumb|(?<![a-z])access(?![a-z])/i;
/** Words that precede a plain identifier as often as a secret. */
const LOOSE_CONTEXT = /api|account|user|client/i;
/** Words that identify a long number as something else. */
const FINGERPRINT = /commit|revision|digest|checksum|sha-?\d|md5|hash|integrity|uuid|guid/i;
/** The last such word before a token; not `max_tokens`, which counts. */
const LAST_SECRET_WORD =
  /(?:(?<!public[_ -]?)key|(?<!max_)token(?!s)|secret|passw|pwd|cred|auth|bearer|webhook|login|crumb|access|private)[a-z]{0,10}([^\n]{0,32})$/i;
/** Words between a name and a token that make the token an identifier. */
const NAMES_AN_ID =
  /(?<![a-z])(?:ids?|request|response|run|call|job|task|session|trace|span|execution|thread|message|event|version|build|error|failed|in|at|by|after|during|step|revision|commit|digest|checksum|sha-?\d{0,3}|md5|hash|integrity|uuid|guid)(?![a-z])/i;
const UUID_OR_HEX = /^[0-9a-f-]+$/i;

const RUNS = new CharacterRuns('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_.~@$^&!*-');
const SHORTEST = 12;
const CONTEXT_LENGTH = 80;

/** A token that stands alone, between blanks, quotes or brackets: not part of a path or of a certificate. */
const ALONE = /^(?=.{20,60}$)[A-Za-z0-9_-]{1,60}(?:\.[A-Za-z0-9_-]{1,60}){0,3}$/;
const NEIGHBOUR = /[\s"'`=:,;|<>(){}[\]\0]/;

/**
 * Yields the positions of tokens for the rule `high-entropy`, which no pattern can express: tokens that look random
 * after a word such as "token" on the same line, and tokens that stand alone and are certainly random.
 */
export function* randomTokens(view: string): Generator<readonly [number, number]> {
  for (const [at, end] of RUNS.find(view, SHORTEST)) {
    const whole = view.slice(at, end);
    if (
      isRandomWithoutContext(whole) &&
      !isIdForm(whole) &&
      isAlone(view, whole, at) &&
      !FINGERPRINT.test(lineBefore(view, at))
    ) {
      yield [at, at + whole.length];
      continue;
    }
    let start = at;
    for (const piece of whole.split(/(?<=[/.=@&])/)) {
      const token = piece.replace(/[/.=&@!*$^]$/, '');
      if (looksRandom(token) && isAnnounced(token, whole, lineBefore(view, at))) yield [start, start + token.length];
      start += piece.length;
    }
  }
}

function isAlone(view: string, token: string, at: number): boolean {
  const after = at + token.length;
  const isEdge = (position: number): boolean => NEIGHBOUR.test(view.slice(position, position + 1));
  return ALONE.test(token) && (at === 0 || isEdge(at - 1)) && (after === view.length || isEdge(after));
}

function lineBefore(view: string, at: number): string {
  const before = view.slice(Math.max(0, at - CONTEXT_LENGTH), at);
  return before.slice(before.lastIndexOf('\n') + 1);
}

function isAnnounced(token: string, whole: string, before: string): boolean {
  if (isIdForm(token) || isIdForm(whole)) {
    const between = LAST_SECRET_WORD.exec(before)?.[1];
    return between !== undefined && !NAMES_AN_ID.test(between);
  }
  if (SECRET_CONTEXT.test(before)) return true;
  return LOOSE_CONTEXT.test(before) && !FINGERPRINT.test(before) && !UUID_OR_HEX.test(token);
}
