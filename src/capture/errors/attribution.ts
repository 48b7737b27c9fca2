import { classifyError, type ReadError, readError } from './error-class.js';

export type Attribution = 'procedure' | 'environment' | 'permission' | 'capability' | 'underspecified' | 'unknown';

export interface AttributableError {
  readonly message?: string | undefined;
  /** The parsed message, if it was parsed before. */
  readonly read?: ReadError | undefined;
  readonly category?: string | undefined;
  readonly tool?: string | undefined;
  readonly action?: string | undefined;
  readonly missingCapability?: string | undefined;
  /** How the execution ended, if the error is that of the whole execution. */
  readonly ended?: { readonly reason: string; readonly retriesUsedUp: boolean } | undefined;
}

/**
 * Attribution by error class. Environment and permission errors are not caused by the procedure: they disappear at
 * another time, place or account.
 */
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
    'InputValidationError edit-no-match edit-ambiguous file-not-read file-changed bad-option shell-syntax script-syntax prose',
  ),
  ...classes('underspecified', 'interrupted underspecified needs_clarification ambiguous_task'),
]);

function classes(attribution: Attribution, names: string): [string, Attribution][] {
  return names.split(/\s+/).map((name) => [name, attribution]);
}

const ENVIRONMENT =
  /\b(?:max retries exceeded|failed to resolve|nodename nor servname|sold out|out of stock|rate.?limit(?:ed|s)?|too many requests|overloaded|service unavailable|bad gateway|gateway time-?out|temporarily unavailable|connection (?:refused|reset|aborted|timed out)|network is unreachable|could not resolve host|name resolution|no space left|registry .{0,40}(?:down|unavailable)|ECONN(?:REFUSED|RESET)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENOSPC)\b/i;
const PERMISSION =
  /\b(?:unauthori[sz]ed|forbidden|permission denied|access denied|authentication (?:failed|required)|invalid (?:api )?(?:key|token|credentials?)|missing (?:api )?(?:key|token|credentials?)|could not read Username|not logged in|no credentials|EACCES|EPERM)\b/i;
/** Messages of databases, parsers, validators and tools about an invalid call. */
const INVALID_CALL = new RegExp(
  [
    String.raw`\berror in your SQL syntax|\bsyntax error at or near|\bunknown (?:column|table|database|function)\b|\bno such (?:table|column|function)\b`,
    String.raw`\b(?:table|column|relation|function) \S{1,120} (?:in .{1,40} is ambiguous|does(?:n't| not) exist)|\bis ambiguous\b`,
    String.raw`\b(?:invalid|incorrect|wrong|missing|unexpected|unsupported|too many|too few) (?:required )?(?:number of )?(?:type|value|syntax|argument|parameter|function|operand|operator|option|field|format|AST type)`,
    String.raw`\bvalidation errors? for\b|\bfield required\b|\brequired property\b|\bmust be (?:a|an|one of)\b|\bfailed to (?:decode|parse|compile)\b|\bmalformed\b|\bunbalanced parenthes|\brunaway regular expression`,
    String.raw`\bcould not find a matching\b|\bno connection adapters were found|\binvalid path\b|\bname '\w{1,80}' is not defined|\bobject is not callable|\bNotImplementedError\b`,
    String.raw`\b(?:don't|do not|cannot|can't) (?:understand|parse|recogni[sz]e) your (?:input|request|answer)|\b(?:cannot|can't) be used to\b|\bdoes not add up\b`,
    String.raw`\bnot enough balance\b|\bbalance is not enough\b|^Error: [\w -]{1,80} not found$`,
  ].join('|'),
  'im',
);
const ENVIRONMENT_NAME =
  /^\w{0,60}(?:Timeout|TimedOut|Connection|Network|RateLimit|Throttl|TooManyRequests|Unavailable|Overloaded|Unreachable|NameResolution|Gateway)\w{0,30}(?:Error|Exception|Expired)$/;
const PERMISSION_NAME =
  /^\w{0,60}(?:AccessDenied|PermissionDenied|NotAuthorized|Unauthori[sz]ed|Forbidden|Credentials?|Authentication|TokenExpired)\w{0,30}(?:Error|Exception)$/;
/** The HTTP status in a message, also if the sentence names the expected status first. */
const STATUS = /\bstatus(?: code)?[^\n\d]{0,20}(?:200[^\n\d]{0,10}got[^\n\d]{0,5})?([45]\d\d)\b/i;
/** Marks of a deadline that a harness sets for the agent's code: code that does not end is a fault of the procedure. */
const OWN_DEADLINE = /\bsignal_handler\b|\btime_limit\b|\bSIGALRM\b/;
/** End reasons that are not caused by the procedure. */
const ENDED_BY_ENVIRONMENT = /rate.?limit|overload|network|outage|api.?error|unavailable|connection|quota/i;
const ENDED_BY_PERSON = /interrupt|cancel|user.?abort|aborted.?by.?user/i;
const UNDERSPECIFIED =
  /\b(?:please (?:clarify|specify)|task is (?:ambiguous|underspecified)|missing (?:requirements|acceptance criteria))\b/i;

/**
 * Attributes a failure by rules, before any model call. Only `procedure` and `unknown` are learnable, so that an outage
 * never becomes "avoid tool X". A failing program or test is `procedure` if its class is known.
 */
export function attribute(error: AttributableError): Attribution {
  if ((error.missingCapability ?? '').trim() !== '') return 'capability';
  const message = (error.message ?? '').slice(0, 20_000);
  const category = (error.category ?? '').trim();
  // classified without the reporter's category, which would hide whether the text itself was understood
  const textClass = message === '' ? 'unknown' : classifyError(error.read ?? readError(message)).name;
  const understood = textClass !== 'unknown' && !/^exit-\d+$/.test(textClass);
  const name = understood || category === '' ? textClass : category;
  if (name === 'TimeoutError' && OWN_DEADLINE.test(message)) return 'procedure';
  const known = BY_CLASS.get(name) ?? attributeByName(name) ?? attributeByStatus(message);
  if (known !== undefined) return known;
  if (name !== 'test-failure' && !namesItsCause(name)) {
    if (ENVIRONMENT.test(message)) return 'environment';
    if (PERMISSION.test(message)) return 'permission';
    if (UNDERSPECIFIED.test(message)) return 'underspecified';
  }
  const byCategory = BY_CLASS.get(category);
  if (byCategory !== undefined && !namesItsCause(name)) return byCategory;
  if (understood || INVALID_CALL.test(message)) return 'procedure';
  return attributeByEnd(error.ended);
}

/**
 * Attribution by the name of an exception: libraries name the same problems differently, but in a recognisable form.
 */
function attributeByName(name: string): Attribution | undefined {
  if (ENVIRONMENT_NAME.test(name)) return 'environment';
  return PERMISSION_NAME.test(name) ? 'permission' : undefined;
}

function attributeByStatus(message: string): Attribution | undefined {
  const status = Number(STATUS.exec(message)?.[1] ?? 0);
  if (status === 429 || status >= 500) return 'environment';
  if (status === 401 || status === 403 || status === 407) return 'permission';
  return status >= 400 ? 'procedure' : undefined;
}

/**
 * Attribution by the end of the execution, if the text says nothing. An agent that used up all retries expected the
 * problem to be temporary.
 */
function attributeByEnd(ended: AttributableError['ended']): Attribution {
  if (ended === undefined) return 'unknown';
  if (ENDED_BY_ENVIRONMENT.test(ended.reason) || ended.retriesUsedUp) return 'environment';
  return ENDED_BY_PERSON.test(ended.reason) ? 'underspecified' : 'unknown';
}

/** True for classes that name their cause: a SyntaxError whose text contains "forbidden" is still a SyntaxError. */
function namesItsCause(name: string): boolean {
  return /^(?:SyntaxError|IndentationError|TabError|ImportError|ModuleNotFoundError|NameError|AttributeError|TypeError|KeyError|IndexError|AssertionError|no-such-directory|file-not-found|path-not-found|command-not-found)$/.test(
    name,
  );
}

/** Failures with another attribution are counted and shown, but produce no lesson. */
export function isLearnable(attribution: Attribution): boolean {
  return attribution === 'procedure' || attribution === 'unknown';
}
