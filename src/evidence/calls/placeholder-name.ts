import type { CallWord } from './call-role.js';

/** What the operand of a program is, by program and subcommand. */
const OPERANDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:cd|pushd|ls|mkdir|rmdir|find|fd) /, 'folder'],
  [/^(?:cat|head|tail|less|more|wc|stat|file|touch|rm|cp|mv|diff|chmod|source|\.) /, 'file'],
  [/^(?:grep|egrep|fgrep|rg|ag|sed|awk|jq) /, 'pattern'],
  [/^git (?:checkout|switch|merge|rebase|push|pull|fetch|branch)/, 'branch'],
  [/^git (?:show|revert|cherry-pick|reset|diff|log)/, 'commit'],
  [/^(?:git clone|curl|wget|http) ?/, 'url'],
  [
    /^(?:pip\d?|npm|pnpm|yarn|apt|apt-get|brew|gem|cargo|go|conda|apk|dnf|yum|poetry|uv|python\d? -m pip) .{0,80}(?:install|add|get|update|remove)/,
    'package',
  ],
  [/^(?:docker|podman) compose |^(?:docker|podman)-compose /, 'service'],
  [/^(?:docker|podman) (?:pull|push|run|rmi|tag)/, 'image'],
  [/^(?:docker|podman) (?:exec|logs|stop|start|rm|inspect)/, 'container'],
  [/^(?:pytest|py\.test|python\d? pytest|jest|vitest|mocha|rspec|phpunit) ?/, 'test'],
  [/^(?:npm|pnpm|yarn|bun) run/, 'script'],
  [/^(?:make|gmake|ninja|rake|just) /, 'target'],
  [/^(?:kill) /, 'process id'],
  [/^(?:ssh|scp|rsync|ping) /, 'host'],
  [/^(?:nvm|pyenv|rustup|rbenv) /, 'version'],
];
/** What the value of a short flag is. */
const SHORT_FLAGS: readonly (readonly [RegExp, string])[] = [
  [/^(?:docker|podman) .{0,80}-t$/, 'image tag'],
  [/^(?:git|hg|svn) .{0,80}-m$/, 'message'],
  [/^(?:psql|mysql|mongo|redis-cli|ssh) .{0,80}-h$/, 'host'],
  [/^psql .{0,80}-d$/, 'database'],
  [/^psql .{0,80}-U$/, 'user'],
  [/ -p$/, 'port'],
  [/ -k$/, 'expression'],
  [/ -f$/, 'file'],
  [/ -C$/, 'folder'],
  [/ -o$/, 'output'],
  [/ -[nj]$/, 'number'],
  [/ -c$/, 'code'],
  [/ -name$/, 'pattern'],
];

/** Returns a name in the alphabet of placeholders. */
function placeholderName(words: string): string {
  const name = words
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^a-z0-9]{1,200}/g, ' ')
    .replace(/^[\d ]{1,200}/, '')
    .trim()
    .slice(0, 30)
    .trim();
  return name === '' ? 'value' : name;
}

/** What goes in the place of a word: named by its flag, variable or program. */
export function nameOfPlace({ program, subcommand, flag, role, text }: CallWord): string {
  if (role === 'assignment') return placeholderName(text.slice(0, text.indexOf('=')).split('_').at(-1) ?? '');
  if (role === 'flag') return placeholderName(/^--([a-z][\w-]{0,40})=/i.exec(text)?.[1] ?? '');
  if (role === 'program') return 'script';
  if (flag.startsWith('--')) return placeholderName(flag);
  const place = `${program} ${subcommand} ${flag}`;
  const short = flag === '' ? undefined : SHORT_FLAGS.find(([pattern]) => pattern.test(place))?.[1];
  return short ?? OPERANDS.find(([pattern]) => pattern.test(`${program} ${subcommand}`))?.[1] ?? 'value';
}
