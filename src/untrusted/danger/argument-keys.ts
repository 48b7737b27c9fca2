import type { Danger, DangerClass } from './danger.js';

/**
 * Names of arguments of tools that are no shell, in lower case without `_` and `-`, by what makes them dangerous.
 * Sources: the `verify` of https://requests.readthedocs.io, `rejectUnauthorized` of https://nodejs.org/api/tls.html,
 * `InsecureSkipVerify` of https://pkg.go.dev/crypto/tls, `ignoreHTTPSErrors` of https://playwright.dev, `validate_certs`
 * of https://docs.ansible.com, `dangerouslyDisableSandbox` of https://code.claude.com/docs, `force` of no one: it means
 * too much.
 */
const WHEN_OFF: ReadonlyMap<string, DangerClass> = keys(
  [
    'protection',
    'verify verifyssl sslverify verifytls tlsverify verifycert verifycerts verifycertificate verifycertificates checkcertificate checkhostname rejectunauthorized strictssl validatecerts validatecertificate stricthostkeychecking hostkeychecking usessl usetls enablessl enabletls requireapproval requireconfirmation sandbox sandboxed',
  ],
  ['check', 'runtests runhooks runchecks verifyhooks validate strict'],
);
const WHEN_ON: ReadonlyMap<string, DangerClass> = keys(
  [
    'protection',
    'insecure insecureskipverify insecureskiptlsverify skipverify skiptlsverify skipsslverify skipsslvalidation nocheckcertificate nosslverify noverifyssl ignoresslerrors ignorehttpserrors ignorecertificateerrors acceptinvalidcerts acceptinsecurecerts allowinsecure allowunauthenticated allowuntrusted trustall trustallcertificates disablessl disabletls disablesandbox nosandbox bypasspermissions skippermissions bypassapprovals bypasssandbox autoapprove autoapproved yolo privileged withescalatedpermissions forcepush',
  ],
  ['check', 'noverify skiptests skiptest skiphooks skipchecks skipvalidation skipci passwithnotests'],
);
const WHEN_SET: ReadonlyMap<string, DangerClass> = keys([
  'source',
  'registry registryurl indexurl extraindexurl repositoryurl findlinks endpointurl kubeconfig proxyurl',
]);

const OFF = /^(?:false|0|no|off|never|none|disabled?)$/i;
const ON = /^(?:true|1|yes|on|always|enabled?)$/i;
const MAX_VALUES = 2_000;

function keys(...lists: readonly (readonly [DangerClass, string])[]): ReadonlyMap<string, DangerClass> {
  return new Map(lists.flatMap(([kind, names]) => names.split(' ').map((name): [string, DangerClass] => [name, kind])));
}

/**
 * Returns the dangers in the arguments of a tool call, however deep they lie: `{"verify": false}`. A value that was
 * removed counts as dangerous for names that are rare otherwise.
 */
export function dangersInArguments(tool: string, value: unknown): Danger[] {
  const found = new Map<string, Danger>();
  const pending: unknown[] = [value];
  for (let read = 0; pending.length > 0 && read < MAX_VALUES; read += 1) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, inner] of Object.entries(next).slice(0, MAX_VALUES)) {
      pending.push(inner);
      const kind = Array.isArray(next) ? undefined : classOf(key, inner);
      if (kind)
        found.set(key, { class: kind, program: tool.slice(0, 80), form: `"${key.slice(0, 60)}": ${shown(inner)}` });
    }
  }
  return [...found.values()];
}

function classOf(key: string, value: unknown): DangerClass | undefined {
  const name = key.replace(/[_\s-]/g, '').toLowerCase();
  const text =
    typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' ? String(value) : '';
  const isRemoved = typeof value === 'string' && (value === '' || /^\[[A-Za-z]/.test(value));
  if (WHEN_OFF.has(name) && OFF.test(text)) return WHEN_OFF.get(name);
  if (ON.test(text) || isRemoved) {
    if (name.startsWith('dangerously') || name.startsWith('unsafely')) return 'protection';
    if (WHEN_ON.has(name)) return WHEN_ON.get(name);
  }
  return text !== '' && !OFF.test(text) ? WHEN_SET.get(name) : undefined;
}

const shown = (value: unknown): string =>
  typeof value === 'boolean' || typeof value === 'number' ? String(value) : '…';
