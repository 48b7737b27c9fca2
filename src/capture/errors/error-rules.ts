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

/** Words with which a sentence begins, and no program's name. */
const FIRST_WORD =
  'The|This|That|These|Those|There|Here|It|Its|I|We|You|They|My|Our|Your|In|On|At|To|For|From|With|As|An?|And|But|Or|If|When|While|Because|However|First|Second|Next|Then|Now|Finally|Also|Please|Sorry|Thank|Thanks|Note|Yes|No|Okay|Sure|What|Why|How|Which|Since|So|Thought|Observation|Explanation|Output|Answer';
/** Words with which SQL goes on: a server that stops there has not met a sentence. */
const SQL_WORDS =
  'select from where order group having limit offset join inner outer left right full cross natural union intersect except and or on as set values into insert update delete create drop alter desc asc like between in is not null case when then else end with by show describe use using exists count sum avg max min distinct all any over partition table call replace'.split(
    ' ',
  );
const SQL_OPENING = SQL_WORDS.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`).join('|');
const SQL_CLAUSE = 'select|from|where|join|on|group|order|having|limit|union|left|right|inner|set|values';
/** Text that was sent instead of a command or after a statement. */
const PROSE = new RegExp(
  String.raw`^(?:[^:\n]{0,60}: (?:line )?\d{1,6}: )?(?:${FIRST_WORD}): (?:command )?not found$` +
    String.raw`|\bsyntax\b.{0,160}? near ['"](?!(?:${SQL_OPENING})\b)(?=[A-Z]{1,5}[a-z])\w{1,40}(?: (?!(?:${SQL_CLAUSE})\b)[A-Za-z][a-z]{1,30}){2}(?=[\s:.,;'"])`,
);

/**
 * A script or an expression in the arguments of a program is wrong: the program gives a position in it, or the fault of
 * an expression. A fault in the command line itself is the shell's.
 */
const SCRIPT_SYNTAX = new RegExp(
  [
    String.raw`^[gmn]?awk: (?:cmd\. ?line:\d{1,6}:|(?:line )?\d{1,6}:|run time error|syntax error)`,
    String.raw`^g?sed: (?:-e expression #\d|file .{1,200} line \d|\d{1,6}: )`,
    String.raw`^find: (?:paths must precede expression|missing argument to .-(?:exec|ok)(?:dir)?\b|invalid expression|.{0,60}\bexpected\b|.{0,60}\boperator\b|empty inner expression)`,
    String.raw`^jq: (?:error: (?:syntax error|.{1,80} is not defined at)|\d{1,4} compile error)`,
    String.raw`\bat -e line \d{1,6}\b|^\(standard_in\) \d{1,6}: |^expr: (?:syntax error|non-integer argument)|^regex parse error`,
    `^(?:.{0,60}: )?printf: .{0,200}(?:invalid (?:number|format|conversion|directive)|expected a numeric value|missing hex)`,
    `^[efz]?grep: (?:unmatched|unbalanced|invalid (?:regular expression|preceding|range|back|character class|content)|trailing backslash|repetition)`,
  ].join('|'),
  'i',
);

/** Messages of known programs, from specific to general. For git's `fatal:` the template says more. */
export const PROGRAM_MESSAGES: readonly Rule[] = [
  [PROSE, 'prose'],
  [
    /command not found|: not found$|is not recognized as an internal or external command|executable file not found|^[\w.+-]{1,40} not found$/i,
    'command-not-found',
  ],
  [
    /syntax error near unexpected token|syntax error: unexpected end of file|\bsh: \d{1,6}: syntax error|parse error near|unexpected EOF while looking for matching|^(?:[\w./()-]{1,30}:(?:\d{1,4}:)? ?)?unmatched ["'`]/i,
    'shell-syntax',
  ],
  [SCRIPT_SYNTAX, 'script-syntax'],
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
    /unrecognized arguments?|unrecognized option|unknown (?:option|flag|argument|predicate)|(?:invalid|illegal) option|unexpected argument|no such option|bad option/i,
    'bad-option',
  ],
  // the ways of GNU programs to refuse their arguments
  [
    /^[\w.+-]{1,40}: (?:option requires an argument|(?:missing|extra) operand|too many arguments|invalid [\w ]{1,30}[`'"‘]|you (?:may not|must) specify )|^(?:[\w.+-]{1,40}: )?Try [`'"‘][^`'"’\n]{1,100} --?h(?:elp)?\b/i,
    'bad-option',
  ],
  // `-f` in place of `-F`: the separator is read as the name of a script
  [/^[gmn]?awk: (?:fatal: )?(?:can't|cannot) open (?:source file |[^\p{L}\p{N}*?]{0,20}\(No such file)/u, 'bad-option'],
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
/** A test runner that stopped a test; its other lines say what came of that. */
export const TEST_TIMEOUT =
  /\btest timed out (?:after|in) \d|\bexceeded timeout of \d{1,9} ?ms\b|\btest timeout of \d{1,9} ?ms exceeded/i;
export const EXCEPTION =
  /^(?:E {1,10}|Uncaught |\s{0,8})?((?:[A-Za-z_]\w{0,60}(?:\.|::)){0,8}[A-Z]\w{0,60}(?:Error|Exception|Exit|Interrupt|Fault|Warning|Timeout|NotFound))(?::|$| \[)/;
export const TRACEBACK = /^\s{0,8}Traceback \(most recent call last\)/;
export const RAISED =
  /^((?:[A-Za-z_]\w{0,60}\.){0,8}_?[A-Z]\w{0,60}|(?:[A-Za-z_]\w{0,60}\.){1,8}(?:\w{0,10}error|timeout)): /;
