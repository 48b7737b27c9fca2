export type Rule = readonly [pattern: RegExp, name: string];

/** Messages of the shell or of the agent's tools. They take precedence over the output of a program. */
export const TOOL_MESSAGES: readonly Rule[] = [
  [
    /^.{0,60}\bcd:(?:\d{1,4}:)? .{0,300}(?:no such file|not a directory|can't cd)|^.{0,60}\bcd: no such file/i,
    'no-such-directory',
  ],
  [/InputValidationError/, 'InputValidationError'],
  [
    /No such tool available|unknown tool\b|\btool ["'`]?[\w.-]{1,80}["'`]? (?:was not found|not found|is not available|does not exist)/i,
    'unknown-tool',
  ],
  [
    /doesn't want to (?:proceed|take this action)|was rejected by|permission to use .{0,80}(?:denied|not granted)|haven't granted it|requires? approval|contains multiple operations|denied by/i,
    'denied',
  ],
  [/Request interrupted by user|interrupted by the user/i, 'interrupted'],
  [/String to replace not found|old_string .{0,40}not found/i, 'edit-no-match'],
  [/Found (?:\d+|\[n\]) matches of the string/i, 'edit-ambiguous'],
  [/File has not been read yet/i, 'file-not-read'],
  [/File has been (?:modified|unexpectedly modified)/i, 'file-changed'],
  [/exceeds? (?:the )?maximum allowed (?:tokens|size)|content \(.{1,40}\) exceeds/i, 'too-large'],
  [/^File does not exist/i, 'file-not-found'],
  [/^Path does not exist/i, 'path-not-found'],
  [/^Directory does not exist/i, 'no-such-directory'],
  [/^Command timed out|Command timed out after/i, 'timeout'],
];

/** Messages of known programs, from specific to general. For git's `fatal:` the template says more. */
export const PROGRAM_MESSAGES: readonly Rule[] = [
  [
    /command not found|: not found$|is not recognized as an internal or external command|executable file not found|^[\w.+-]{1,40} not found$/i,
    'command-not-found',
  ],
  [
    /syntax error near unexpected token|parse error near|unexpected EOF while looking for matching|^(?:[\w./()-]{1,30}:(?:\d{1,4}:)? ?)?unmatched ["'`]/i,
    'shell-syntax',
  ],
  [/^.{0,40}no matches found: /i, 'no-glob-match'],
  [/not a valid editable requirement|Invalid requirement/i, 'pip-invalid-requirement'],
  [/No matching distribution found|Could not find a version that satisfies/i, 'pip-no-distribution'],
  [/requires a different Python|Requires-Python/i, 'pip-python-version'],
  [/externally-managed-environment/i, 'pip-externally-managed'],
  [/subprocess-exited-with-error|Failed building wheel|metadata-generation-failed/i, 'pip-build-failed'],
  [/Missing script:/i, 'npm-missing-script'],
  [/\*\*\* No rule to make target/, 'make-no-rule'],
  [/Cannot connect to the Docker daemon/i, 'docker-daemon-down'],
  [/ERR_MODULE_NOT_FOUND|Cannot find module/i, 'MODULE_NOT_FOUND'],
  [/^fatal: /, 'exit-128 fatal'],
  [/^error: pathspec .{1,300} did not match/, 'git-pathspec'],
  [/^INTERNALERROR>/, 'test-runner-error'],
  [/^ImportError while loading conftest/, 'ImportError'],
  [/^ERROR: not found: |^no tests ran\b/, 'no-tests'],
  [/\bERROR collecting /, 'collection-error'],
  [/No module named/i, 'ModuleNotFoundError'],
  [
    /unrecognized arguments?|unrecognized option|unknown (?:option|flag|argument)|(?:invalid|illegal) option|unexpected argument|no such option|bad option/i,
    'bad-option',
  ],
  [
    /(?:file (?:or directory )?not found|no such file or directory|cannot find the (?:file|path)|cannot access)/i,
    'file-not-found',
  ],
  [/^.{1,300}:\d{1,6}:(?:\d{1,6}:)? [A-Z]{1,3}\d{3,4}\b|has been rated at|✖ \d{1,6} problems?/, 'lint-findings'],
  [/\bcollected 0 items/, 'no-tests'],
  [/permission denied|operation not permitted|access (?:is )?denied/i, 'permission-denied'],
  [/authentication failed|could not read Username|invalid credentials|not logged in/i, 'auth-failed'],
  [/no space left on device|disk quota exceeded/i, 'disk-full'],
  [/out of memory|^Killed$|heap limit/i, 'out-of-memory'],
  [/segmentation fault/i, 'segfault'],
  [/address already in use/i, 'EADDRINUSE'],
  [/rate limit|too many requests/i, 'http-429'],
  [/overloaded/i, 'http-529'],
  [/connection refused/i, 'ECONNREFUSED'],
  [/connection reset|broken pipe/i, 'ECONNRESET'],
  [/could not resolve host|name or service not known|temporary failure in name resolution|getaddrinfo/i, 'ENOTFOUND'],
  [/timed? ?out|deadline exceeded/i, 'timeout'],
];

export const ERRNO =
  /\b(ENOENT|EACCES|EPERM|EADDRINUSE|ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|ENOSPC|EEXIST|EISDIR|ENOTDIR|EMFILE|ENOTEMPTY|EPIPE|ERESOLVE|E401|E403|E404|ETARGET|EBADENGINE|EUSAGE)\b/;
export const NUMBERED: readonly (readonly [RegExp, string])[] = [
  [/\berror (TS\d{3,5})\b/, ''],
  [/\berror\[(E\d{4})\]/, 'rustc-'],
  [/\bError: (P[1-6]\d{3})\b/, 'prisma-'],
  [
    /\b(?:HTTP(?:\/[\d.]{1,3})?|status(?: code)?:?|returned error:|API Error:|HTTP Error|HTTPError:?) ?(\d{3})\b/i,
    'http-',
  ],
  [/\b(429|50[0234]|529|401|403) (?=[A-Z][a-z]|\{)/, 'http-'],
];
export const TEST_FAILURE =
  /^=+ FAILURES =+$|^=+ .{0,80}\b[1-9]\d{0,6} failed|^FAILED .{1,300}::|^.{1,300}::.{1,200} FAILED\b|^Tests:? .{0,40}\b[1-9]\d{0,6} failed|^test result: FAILED|^--- FAIL:|^FAILED \((?:failures|errors)=|\b[1-9]\d{0,6} failed(?:,| in )/;
export const EXCEPTION =
  /^(?:E {1,10}|Uncaught |\s{0,8})?((?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,60}(?:Error|Exception|Exit|Interrupt|Fault|Warning|Timeout|NotFound))(?::|$| \[)/;
export const TRACEBACK = /^\s{0,8}Traceback \(most recent call last\)/;
export const RAISED = /^((?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,60}): /;
