import { parseCommandLine, type SimpleCommand } from '../shell/command-line.js';
import { type Invocation, matchForm } from './command-options.js';
import type { Danger } from './danger.js';
import { ANY_PROGRAM, type CompiledForm, compileForms, compileVariables } from './danger-table.js';
import { DANGEROUS_FORMS } from './dangers.table.js';

const FORMS = compileForms(DANGEROUS_FORMS);
const VARIABLES = compileVariables(DANGEROUS_FORMS);

const LIMITS = { depth: 3, commands: 200, words: 400, dangers: 20 } as const;

/** Programs that run a program named in their arguments. */
const WRAPPERS: ReadonlySet<string> = new Set(
  `sudo doas env time timeout gtimeout nice ionice stdbuf xvfb-run nohup setsid exec builtin command caffeinate unbuffer
   xargs parallel watch find fd ssh su runuser chroot strace ltrace script flock chronic npx npm pnpm pnpx yarn bun bunx uv uvx pipx
   poetry pipenv pdm hatch conda mamba bundle bundler docker podman nerdctl docker-compose kubectl oc nix-shell nix make eval
   python python2 python3 py pypy3 bash sh zsh dash ksh ash fish busybox git direnv dotenv cross-env op doppler aws-vault systemd-run
   vagrant tmux screen expect start trap coverage nodemon concurrently wsl cmd powershell pwsh unshare nsenter bwrap firejail`.split(
    /\s+/,
  ),
);
/** Wrappers whose arguments may hold a whole command line as one word. */
const TAKES_COMMAND_LINE: ReadonlySet<string> = new Set(
  `bash sh zsh dash ksh ash fish busybox ssh su runuser eval watch script xargs parallel env docker podman nerdctl docker-compose kubectl oc
   sudo doas tmux screen nix-shell npx npm yarn pnpm concurrently trap find cmd wsl powershell pwsh flock timeout time git vagrant`.split(
    /\s+/,
  ),
);
const KEYWORDS: ReadonlySet<string> = new Set('if then else elif do while until ! { time function'.split(' '));
/** A variable with these values is as if it were not set. */
const OFF = /^(?:|0|false|no|off)$/i;
const ASSIGNMENT = /^(?:\$env:)?([A-Za-z_][A-Za-z0-9_]{0,60})\+?=([\s\S]{0,400})$/i;

/** Code in `python -c`, `node -e` and the like that turns the check of a certificate off, with its library. */
const CODE_FORMS: readonly (readonly [program: string, form: string, RegExp])[] = [
  // https://requests.readthedocs.io/en/latest/user/advanced/#ssl-cert-verification
  ['python', 'verify=False', /\bverify(?:_ssl|_certs?)?[ \t]{0,3}=[ \t]{0,3}False\b/],
  // https://docs.python.org/3/library/ssl.html
  ['python', 'ssl._create_unverified_context', /\b_create_unverified_context\b/],
  ['python', 'ssl.CERT_NONE', /\bCERT_NONE\b/],
  ['python', 'check_hostname = False', /\bcheck_hostname[ \t]{0,3}=[ \t]{0,3}False\b/],
  // https://nodejs.org/api/tls.html#tlsconnectoptions-callback
  ['node', 'rejectUnauthorized: false', /\brejectUnauthorized['"]?[ \t]{0,3}[:=][ \t]{0,3}(?:false|0)\b/],
  // https://pkg.go.dev/crypto/tls#Config
  ['go', 'InsecureSkipVerify: true', /\bInsecureSkipVerify[ \t]{0,3}[:=][ \t]{0,3}true\b/],
  // https://docs.ruby-lang.org/en/master/OpenSSL/SSL.html
  ['ruby', 'OpenSSL::SSL::VERIFY_NONE', /\bVERIFY_NONE\b/],
  // https://www.php.net/manual/en/function.curl-setopt.php
  [
    'php',
    'CURLOPT_SSL_VERIFYPEER, false',
    /\bCURLOPT_SSL_VERIFY(?:PEER|HOST)['"]?[ \t]{0,3}(?:,|=>?)[ \t]{0,3}(?:false|0)\b/i,
  ],
  // https://learn.microsoft.com/dotnet/api/system.net.servicepointmanager.servercertificatevalidationcallback
  ['powershell', 'ServerCertificateValidationCallback', /\bServerCertificateValidationCallback\b/i],
];

/** Returns the dangers of program code in a text. */
function dangersInCode(text: string): Danger[] {
  return CODE_FORMS.filter(([, , pattern]) => pattern.test(text)).map(([program, form]) => ({
    class: 'protection',
    program,
    form,
  }));
}

/** True for a program that the table or the list of wrappers names. */
export const isKnownProgram = (name: string): boolean => FORMS.has(name) || WRAPPERS.has(name);

/** Names of the programs in the table, without signs. */
export const PROGRAM_NAMES: readonly string[] = [...FORMS.keys()].filter((name) => /^[a-z]/.test(name));

/**
 * Variables that turn a protection off whatever the sentence around them says. One that holds settings of many kinds,
 * such as NODE_OPTIONS, turns none off by its name.
 */
export const PROTECTION_VARIABLES: readonly string[] = [...VARIABLES.named]
  .filter(
    ([name, variables]) =>
      name.length >= 12 &&
      name.includes('_') &&
      variables.some(({ class: kind, form }) => kind === 'protection' && !form.includes('=*')),
  )
  .map(([name]) => name);

/**
 * Returns the dangers of a shell command line, each once, in the order of their occurrence: in every command of a
 * sequence, in substitutions, behind wrappers such as sudo, npx, ssh and `bash -c`, and in assignments. Linear in the
 * length; never throws. `isProse`: the text may be a sentence about a command.
 */
export function dangersInCommand(command: string, isProse = false): Danger[] {
  const found = new Map<string, Danger>();
  const pending: { text: string; depth: number }[] = [{ text: command.normalize('NFKC'), depth: 0 }];
  for (const danger of dangersInCode(command)) note(found, danger);
  for (let next = pending.shift(); next && found.size < LIMITS.dangers; next = pending.shift()) {
    const commands = parseCommandLine(next.text).slice(0, LIMITS.commands);
    for (const danger of downloadsThatRun(commands)) note(found, danger);
    const runsInput = commands.some((command) => command.words.some(({ text }) => TAKES_COMMAND_LINE.has(text)));
    for (const simple of commands) {
      const inner = dangersOfOne(simple, runsInput, isProse, found);
      if (next.depth < LIMITS.depth) for (const text of inner) pending.push({ text, depth: next.depth + 1 });
    }
  }
  return [...found.values()].slice(0, LIMITS.dangers);
}

function note(found: Map<string, Danger>, danger: Danger): void {
  const key = JSON.stringify([danger.class, danger.program, danger.form]);
  if (!found.has(key)) found.set(key, danger);
}

/** Notes the dangers of one simple command and returns the command lines inside it. `runsInput`: a shell is on the line. */
function dangersOfOne(
  simple: SimpleCommand,
  runsInput: boolean,
  isProse: boolean,
  found: Map<string, Danger>,
): string[] {
  const words = simple.words.slice(0, LIMITS.words).map(({ text }) => text);
  for (const word of words) for (const danger of dangersOfAssignment(word)) note(found, danger);
  const { invocations, inner } = invocationsOf(words);
  const written = simple.redirects.filter(({ operator, target }) => operator.includes('>') && target !== '');
  const targets = written.map(({ target }) => ({ program: '>', words: [target] }));
  for (const invocation of [...invocations, ...targets])
    for (const danger of dangersOfInvocation(invocation, isProse)) note(found, danger);
  // A here-document is data, unless a shell may read it.
  const nested = simple.nested.filter(({ kind }) => kind === 'substitution' || runsInput);
  return [...inner, ...nested.map(({ text }) => text)];
}

function dangersOfInvocation(invocation: Invocation, isProse: boolean): Danger[] {
  const { program } = invocation;
  const matches = (forms: readonly CompiledForm[]): Danger[] =>
    forms.flatMap((form) => {
      const matched = matchForm(invocation, form, isProse);
      return matched === undefined ? [] : [{ class: form.class, program, form: matched }];
    });
  const own = matches(FORMS.get(program) ?? []);
  // The general switches say nothing new about a program with forms of the same class.
  const classes = new Set(own.map(({ class: kind }) => kind));
  return [...own, ...matches((FORMS.get(ANY_PROGRAM) ?? []).filter((form) => !classes.has(form.class)))];
}

function dangersOfAssignment(word: string): Danger[] {
  const match = ASSIGNMENT.exec(word);
  if (!match) return [];
  const [, name = '', value = ''] = match;
  const spelled = name.toUpperCase();
  const variables = [
    ...(VARIABLES.named.get(spelled) ?? []),
    ...VARIABLES.patterns.filter((one) => one.name.test(spelled)).map(({ variable }) => variable),
  ];
  const isRemoved = /^\[[A-Za-z]/.test(value);
  return variables
    .filter(({ value: dangerous }) => (dangerous ? dangerous.test(value) || isRemoved : !OFF.test(value)))
    .map((variable) => ({
      class: variable.class,
      program: 'environment',
      form: variable.value ? word.slice(0, 80) : name,
    }));
}

/**
 * The programs that one simple command runs: the first word that is none of assignments and keywords, and behind a
 * wrapper the next word that names a known program. `inner`: whole command lines among the words.
 */
function invocationsOf(words: readonly string[]): { invocations: Invocation[]; inner: string[] } {
  const invocations: Invocation[] = [];
  const inner: string[] = [];
  let at = words.findIndex((word) => !ASSIGNMENT.test(word) && !KEYWORDS.has(word));
  while (at >= 0 && at < words.length) {
    const program = programName(words[at] ?? '');
    const next = WRAPPERS.has(program) ? nextProgram(words, at, program) : -1;
    const end = next < 0 ? words.length : next;
    // with the word that names the next program: it may be a subcommand, as in `docker plugin install`
    const own = words.slice(at + 1, end + 1);
    invocations.push({ program, words: own });
    if (TAKES_COMMAND_LINE.has(program)) inner.push(...own.filter((word) => /\s/.test(word)));
    at = next;
  }
  return { invocations, inner };
}

/** Subcommands of wrappers that are also names of programs: `git add`, `docker service`. */
const OWN_SUBCOMMANDS = /^(?:git|kubectl|oc|nix)$/;

function nextProgram(words: readonly string[], from: number, wrapper: string): number {
  if (
    OWN_SUBCOMMANDS.test(wrapper) &&
    !words.slice(from).some((word) => word === 'exec' || word === 'run' || word === '--')
  )
    return -1;
  for (let at = from + 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word.startsWith('-') || word.includes('=') || /\s/.test(word)) continue;
    const name = programName(word);
    if (isKnownProgram(name) && !isSubcommand(wrapper, name)) return at;
  }
  return -1;
}

/** Subcommands and operands that are spelled like a program. */
const SUBCOMMANDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    npm: 'install link trust',
    pnpm: 'install link env',
    yarn: 'install link npm',
    bun: 'install link x',
    pip: 'install',
    uv: 'python',
    docker: 'service trust cp',
    podman: 'cp',
    conda: 'env install',
    poetry: 'install env',
    pipenv: 'install',
    bundle: 'install exec',
    bundler: 'install exec',
    kubectl: 'cp',
    nix: 'flake',
    make: 'install',
    dotnet: 'nuget',
  }).map(([wrapper, names]) => [wrapper, new Set(names.split(' '))]),
);

function isSubcommand(wrapper: string, name: string): boolean {
  return SUBCOMMANDS.get(wrapper)?.has(name) === true;
}

/** `python3.11` and `/usr/bin/python3` are `python3`; `git.exe` is `git`. */
function programName(word: string): string {
  const base = word
    .slice(word.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|ps1)$/, '');
  if (isKnownProgram(base)) return base;
  const plain = base.replace(/[\d.]{1,8}$/, '');
  const short = /^[a-z-]+\d/.exec(base)?.[0] ?? '';
  return [short, plain].find((name) => name.length > 1 && isKnownProgram(name)) ?? base;
}

const DOWNLOADERS: ReadonlySet<string> = new Set(
  'curl wget wget2 aria2c http https xh fetch iwr irm invoke-webrequest invoke-restmethod nc ncat scp'.split(' '),
);
/** Programs that run what they read. */
const RUNNERS: ReadonlySet<string> = new Set(
  'sh bash zsh dash ksh ash fish python python2 python3 node perl ruby php deno bun pwsh powershell iex eval source . osascript psql mysql'.split(
    ' ',
  ),
);
const SKIPPED: ReadonlySet<string> = new Set('sudo doas env command exec nohup time'.split(' '));

/**
 * Downloads that are run at once, however they are written: `curl … | sh`, `bash <(curl …)`, `sh -c "$(curl …)"`,
 * and `curl -o x.sh … && sh x.sh`. The manual of no program recommends it without a check of what was downloaded.
 */
function downloadsThatRun(commands: readonly SimpleCommand[]): Danger[] {
  const found: Danger[] = [];
  const downloaded = new Set<string>();
  let piped: string | undefined;
  commands.forEach((command, at) => {
    const { program, operands } = readWords(command);
    if (command.joiner !== '|') piped = undefined;
    if (piped !== undefined && RUNNERS.has(program)) add(found, piped, program);
    if (DOWNLOADERS.has(program)) {
      piped = program;
      for (const name of operands.map(baseName)) if (name !== '') downloaded.add(name);
    } else if (runsFile(command, downloaded)) add(found, 'download', program);
    if (!RUNNERS.has(program)) return;
    const inner = command.nested.map(({ text }) => text);
    const substituted = command.redirects.some(({ operator, target }) => operator === '<' && target === '');
    const next = commands[at + 1];
    if (inner.some((text) => isDownload(text)) || (substituted && next && DOWNLOADERS.has(readWords(next).program)))
      add(found, 'download', program);
  });
  return found;
}

function add(found: Danger[], from: string, into: string): void {
  found.push({ class: 'source', program: into, form: `${from} | ${into}` });
}

const isDownload = (text: string): boolean =>
  DOWNLOADERS.has(baseName(/^\s{0,20}([^\s]{1,200})/.exec(text)?.[1] ?? ''));

function runsFile(command: SimpleCommand, downloaded: ReadonlySet<string>): boolean {
  const { program, operands, word } = readWords(command);
  if (word.includes('/') && downloaded.has(program)) return true;
  return RUNNERS.has(program) && operands.slice(0, 1).some((operand) => downloaded.has(baseName(operand)));
}

function readWords({ words }: SimpleCommand): { program: string; operands: string[]; word: string } {
  const texts = words.slice(0, 100).map(({ text }) => text);
  const at = texts.findIndex((text) => !SKIPPED.has(text) && !text.startsWith('-') && !/^\w{1,60}=/.test(text));
  const word = texts[at] ?? '';
  return { program: baseName(word), operands: texts.slice(at + 1).filter((text) => !text.startsWith('-')), word };
}

function baseName(text: string): string {
  const plain = text.split(/[?#]/, 1)[0] ?? '';
  return plain.slice(plain.lastIndexOf('/') + 1);
}
