/**
 * Keys of git's configuration that name a program, a path or an address, with `<name>` for a part that is free.
 *
 * Source: `git help --config` of 2.39.5, and Documentation/config/*.adoc and gitattributes of git's repository up to
 * 2.53 for keys that are newer (`hook.<name>.command`, `gc.recentObjectsHook`, bundle addresses) or that the list of
 * `git help` lacks (`filter.<name>.process`, `trailer.<name>.command`, `tar.<name>.command`). A spec fails if the
 * installed git knows a key of such a name that is not here.
 */
export const PROGRAM_SETTINGS = [
  ...['alias.<name>', 'browser.<name>.cmd', 'browser.<name>.path', 'core.alternateRefsCommand', 'core.askPass'],
  ...['core.editor', 'core.fsmonitor', 'core.gitProxy', 'core.hooksPath', 'core.pager', 'core.sshCommand'],
  ...['credential.helper', 'credential.<url>.helper', 'diff.external', 'diff.<name>.command', 'diff.<name>.textconv'],
  ...['diff.guitool', 'diff.tool', 'difftool.<name>.cmd', 'difftool.<name>.path', 'filter.<name>.clean'],
  ...['filter.<name>.process', 'filter.<name>.smudge', 'gc.recentObjectsHook', 'gpg.program', 'gpg.<name>.program'],
  ...['gpg.openpgp.program', 'gpg.ssh.defaultKeyCommand', 'gpg.ssh.program', 'gpg.x509.program', 'guitool.<name>.cmd'],
  ...['help.browser', 'hook.<name>.command', 'imap.tunnel', 'instaweb.browser', 'instaweb.httpd'],
  ...['interactive.diffFilter', 'maintenance.<name>.command', 'man.<name>.cmd', 'man.<name>.path', 'man.viewer'],
  ...['merge.guitool', 'merge.tool', 'merge.<name>.driver', 'mergetool.<name>.cmd', 'mergetool.<name>.path'],
  ...['pager.<name>', 'remote.<name>.receivepack', 'remote.<name>.uploadpack', 'remote.<name>.vcs', 'sequence.editor'],
  ...['sendemail.ccCmd', 'sendemail.headerCmd', 'sendemail.sendmailCmd', 'sendemail.smtpServer', 'sendemail.tocmd'],
  ...['sendemail.<name>.tocmd', 'submodule.<name>.update', 'tar.<name>.command', 'trailer.<name>.cmd'],
  ...['trailer.<name>.command', 'uploadpack.packObjectsHook', 'web.browser'],
] as const;

export const ADDRESS_SETTINGS = [
  ...['branch.<name>.pushRemote', 'branch.<name>.remote', 'bundle.<name>.uri', 'extensions.partialClone'],
  ...['fetch.bundleURI', 'gitcvs.dbName', 'gitweb.url', 'http.curloptResolve', 'http.proxy', 'http.<url>.proxy'],
  ...['imap.host', 'protocol.allow', 'protocol.<name>.allow', 'remote.pushDefault', 'remote.<name>.proxy'],
  ...['remote.<name>.promisor', 'remote.<name>.pushurl', 'remote.<name>.url', 'remotes.<name>', 'submodule.<name>.url'],
  ...['transfer.bundleURI', 'transfer.credentialsInUrl', 'url.<url>.insteadOf', 'url.<url>.pushInsteadOf'],
] as const;

export const PATH_SETTINGS = [
  ...['attr.tree', 'blame.ignoreRevsFile', 'commit.template', 'core.attributesFile', 'core.excludesFile'],
  ...['core.worktree', 'diff.orderFile', 'fetch.fsck.skipList', 'format.outputDirectory', 'format.signatureFile'],
  ...['fsck.skipList', 'fsmonitor.socketDir', 'gitcvs.dbDriver', 'gitcvs.logFile', 'gpg.ssh.allowedSignersFile'],
  ...['gpg.ssh.revocationFile', 'gui.newBranchTemplate', 'help.htmlPath', 'http.cookieFile', 'http.proxySSLCAInfo'],
  ...['http.proxySSLCert', 'http.proxySSLKey', 'http.sslCAInfo', 'http.sslCAPath', 'http.sslCert', 'http.sslKey'],
  ...['include.path', 'includeIf.<condition>.path', 'init.templateDir', 'instaweb.modulePath', 'mailmap.blob'],
  ...['mailmap.file', 'receive.fsck.skipList', 'safe.directory', 'sendemail.aliasesFile', 'sendemail.smtpsslcertpath'],
  ...['trace2.eventTarget', 'trace2.normalTarget', 'trace2.perfTarget', 'user.signingKey', 'core.sparseCheckout'],
  ...['core.splitIndex', 'core.commitGraph', 'core.multiPackIndex', 'core.useReplaceRefs', 'extensions.worktreeConfig'],
] as const;

export const RISKY_SETTINGS: readonly string[] = [...PROGRAM_SETTINGS, ...ADDRESS_SETTINGS, ...PATH_SETTINGS];

/** Names of keys that may run or reach something, to find those that a newer git adds. */
export const RISKY_NAME =
  /(?:command|cmd|program|path|helper|hook|editor|pager|browser|viewer|tool|proxy|uri|url|file|dir|directory|template|driver|textconv|clean|smudge|process|external|askpass|fsmonitor|target|worktree|httpd|tunnel|server|host|vcs|uploadpack|receivepack|skiplist|sslcert|sslkey|cainfo|resolve|partialclone|promisor|insteadof)$/i;

/** Keys with such a name that hold a switch, a name or a number. */
export const HARMLESS_SETTINGS: ReadonlySet<string> = new Set([
  ...['advice.addIgnoredFile', 'advice.ignoredHook', 'advice.updateSparsePath', 'color.branch.worktree', 'color.pager'],
  ...['color.grep.filename', 'format.from', 'http.emptyAuth', 'fsck.gitmodulesPath', 'fsck.gitmodulesUrl'],
  ...['receive.fsck.gitmodulesPath', 'receive.fsck.gitmodulesUrl', 'fetch.fsck.gitmodulesPath'],
  ...['fetch.fsck.gitmodulesUrl', 'fsck.fullPathname', 'core.quotePath', 'rebase.instructionFormat'],
  ...[
    'column.clean',
    'credential.useHttpPath',
    'http.schannelUseSSLCAInfo',
    'fsck.badFilemode',
    'core.fileMode',
    'advice.graftFileDeprecated',
    'advice.waitingForEditor',
  ],
]);

/** Every hook of githooks(5). */
export const HOOKS = [
  ...['applypatch-msg', 'pre-applypatch', 'post-applypatch', 'pre-commit', 'pre-merge-commit', 'prepare-commit-msg'],
  ...['commit-msg', 'post-commit', 'pre-rebase', 'post-checkout', 'post-merge', 'pre-push', 'pre-receive', 'update'],
  ...['proc-receive', 'post-receive', 'post-update', 'reference-transaction', 'push-to-checkout', 'pre-auto-gc'],
  ...['post-rewrite', 'sendemail-validate', 'fsmonitor-watchman', 'p4-changelist', 'p4-prepare-changelist'],
  ...['p4-post-changelist', 'p4-pre-submit', 'post-index-change'],
] as const;

/** Variables of git(1) that name a program, a path or an address, for the server's own environment. */
export const GIT_VARIABLES = [
  ...['GIT_SSH_COMMAND', 'GIT_SSH', 'GIT_EXTERNAL_DIFF', 'GIT_PROXY_COMMAND', 'GIT_EDITOR', 'GIT_SEQUENCE_EDITOR'],
  ...['GIT_PAGER', 'GIT_ASKPASS', 'SSH_ASKPASS', 'GIT_EXEC_PATH', 'GIT_TEMPLATE_DIR', 'GIT_DIR', 'GIT_WORK_TREE'],
  ...['GIT_COMMON_DIR', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES'],
  ...['GIT_CONFIG', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_PARAMETERS', 'GIT_ATTR_SOURCE'],
  ...['GIT_NAMESPACE', 'GIT_GRAFT_FILE', 'GIT_SHALLOW_FILE', 'GIT_REPLACE_REF_BASE', 'GIT_TRACE2', 'GIT_TRACE'],
  ...['GIT_TRACE2_EVENT', 'GIT_TRACE_SETUP', 'GIT_REDIRECT_STDERR', 'EDITOR', 'VISUAL', 'PAGER', 'BROWSER'],
] as const;

/**
 * The key with the free parts set, and its value: the program for a key that names one, the address for one that names
 * an address, the path of the program for others.
 */
export function hostileSetting(key: string, program: string, address: string): readonly [key: string, value: string] {
  const real = key.replaceAll('<name>', 'canary').replaceAll('<url>', address).replaceAll('<condition>', 'gitdir:**');
  const isAddress = (ADDRESS_SETTINGS as readonly string[]).includes(key);
  if (key.startsWith('url.')) return [real, 'file://'];
  if (/\.allow$/.test(key)) return [real, 'always'];
  if (/promisor$|^core\.(?:sparseCheckout|splitIndex|commitGraph|multiPackIndex|useReplaceRefs)$|Config$/.test(key))
    return [real, 'true'];
  if (/pushRemote$|\.remote$|pushDefault$|partialClone$|^remotes\./.test(key)) return [real, 'canary'];
  if (isAddress) return [real, address];
  if (key === 'alias.<name>' || key.endsWith('.update')) return [real, `!${program}`];
  return [real, program];
}

/** The setting as text of a configuration file. Git itself would open the files that some settings name. */
export function configurationText([key, value]: readonly [key: string, value: string]): string {
  const section = key.slice(0, key.indexOf('.'));
  const name = key.slice(key.lastIndexOf('.') + 1);
  const free = key.slice(section.length + 1, -(name.length + 1));
  return `[${section}${free === '' ? '' : ` "${free}"`}]\n\t${name} = "${value}"\n`;
}
