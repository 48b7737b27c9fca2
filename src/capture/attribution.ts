import { errorClass } from './error-class.js';

export type Attribution = 'procedure' | 'environment' | 'permission' | 'capability' | 'underspecified' | 'unknown';

export interface AttributableError {
  readonly message?: string | undefined;
  readonly category?: string | undefined;
  readonly tool?: string | undefined;
  readonly action?: string | undefined;
  readonly missingCapability?: string | undefined;
}

/** Classes of errors that are nobody's procedure: tomorrow, elsewhere or with another account they are gone. */
const BY_CLASS: ReadonlyMap<string, Attribution> = new Map([
  ...classes(
    'environment',
    `http-429 http-500 http-502 http-503 http-504 http-529 ECONNREFUSED ECONNRESET ENOTFOUND ETIMEDOUT EAI_AGAIN EPIPE ENOSPC
     EMFILE timeout disk-full out-of-memory docker-daemon-down ConnectionError ConnectionRefusedError ConnectionResetError
     ConnectTimeout ReadTimeout Timeout TimeoutError SSLError ProxyError RateLimitError OverloadedError APIConnectionError
     InternalServerError MemoryError rate_limit transient quota network outage overloaded`,
  ),
  ...classes(
    'permission',
    `http-401 http-403 E401 E403 EACCES EPERM permission-denied denied auth-failed PermissionError AuthenticationError
     PermissionDeniedError Unauthorized Forbidden NoCredentialsError auth authentication_failed`,
  ),
  ...classes('capability', 'unknown-tool'),
  ...classes(
    'procedure',
    'InputValidationError edit-no-match edit-ambiguous file-not-read file-changed bad-option shell-syntax',
  ),
  ...classes('underspecified', 'interrupted underspecified needs_clarification ambiguous_task'),
]);

function classes(attribution: Attribution, names: string): [string, Attribution][] {
  return names.split(/\s+/).map((name) => [name, attribution]);
}

const ENVIRONMENT =
  /\b(?:rate.?limit(?:ed|s)?|too many requests|overloaded|service unavailable|bad gateway|gateway time-?out|temporarily unavailable|connection (?:refused|reset|aborted|timed out)|network is unreachable|could not resolve host|name resolution|no space left|registry .{0,40}(?:down|unavailable)|ECONN(?:REFUSED|RESET)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENOSPC)\b/i;
const PERMISSION =
  /\b(?:unauthori[sz]ed|forbidden|permission denied|access denied|authentication (?:failed|required)|invalid (?:api )?(?:key|token|credentials?)|missing (?:api )?(?:key|token|credentials?)|could not read Username|not logged in|no credentials|EACCES|EPERM)\b/i;
const UNDERSPECIFIED =
  /\b(?:please (?:clarify|specify)|task is (?:ambiguous|underspecified)|missing (?:requirements|acceptance criteria))\b/i;

/**
 * Whose failure it was, by rules, before any model is asked (spec L3). Only `procedure` and `unknown` may teach, so that
 * one outage never becomes "avoid tool X". A failing program or test is `procedure` when its class is a known one.
 */
export function attribute(error: AttributableError): Attribution {
  if ((error.missingCapability ?? '').trim() !== '') return 'capability';
  const message = (error.message ?? '').slice(0, 20_000);
  const category = (error.category ?? '').trim();
  // classed without the reporter's category, which would hide whether the text itself was understood
  const own = message === '' ? 'unknown' : errorClass(message).name;
  const understood = own !== 'unknown' && !/^exit-\d+$/.test(own);
  const name = understood || category === '' ? own : category;
  const known = BY_CLASS.get(name);
  if (known !== undefined) return known;
  if (name !== 'test-failure' && !hasOwnCause(name)) {
    if (ENVIRONMENT.test(message)) return 'environment';
    if (PERMISSION.test(message)) return 'permission';
    if (UNDERSPECIFIED.test(message)) return 'underspecified';
  }
  const byCategory = BY_CLASS.get(category);
  if (byCategory !== undefined && !hasOwnCause(name)) return byCategory;
  return understood ? 'procedure' : 'unknown';
}

/** A SyntaxError whose text happens to hold the word "forbidden" is still a SyntaxError. */
function hasOwnCause(name: string): boolean {
  return /^(?:SyntaxError|IndentationError|TabError|ImportError|ModuleNotFoundError|NameError|AttributeError|TypeError|KeyError|IndexError|AssertionError|no-such-directory|file-not-found|path-not-found|command-not-found)$/.test(
    name,
  );
}

/** Spec L3: the others are counted and shown, and mint nothing. */
export function teaches(attribution: Attribution): boolean {
  return attribution === 'procedure' || attribution === 'unknown';
}
