import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { findProgram, freePort, runProgram } from './programs.js';

const EXAMPLES = join(PROJECT_ROOT, 'deploy', 'proxy');
const START_MS = 30_000;

/** The name in the examples. */
export const PROXIED_NAME = 'guildbook.example.org';
export const PROXIES = ['nginx', 'caddy'] as const;
export type ProxyKind = (typeof PROXIES)[number];

interface Ports {
  readonly server: number;
  readonly http: number;
  readonly https: number;
}

export interface Ask {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** The host that the client names. */
  readonly host?: string;
}

/** An example of deploy/proxy with other ports and a certificate of its test, and nothing else changed. */
export class RunningProxy {
  private constructor(
    private readonly child: ChildProcess,
    private readonly port: number,
    private readonly certificate: string,
  ) {}

  static async start(kind: ProxyKind, folder: string, serverPort: number): Promise<RunningProxy> {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    const ports = { server: serverPort, http: await freePort(), https: await freePort() };
    const files = { certificate: join(folder, 'fullchain.pem'), key: join(folder, 'key.pem') };
    makeCertificate(files);
    const program = findProgram(kind);
    if (program === undefined) throw new Error(`${kind} is not installed`);
    const configuration = join(folder, 'configuration');
    writeFileSync(configuration, CONFIGURATIONS[kind](folder, ports, files));
    const [check, start] = COMMANDS[kind](configuration, folder);
    const environment = { HOME: folder, PATH: '/usr/sbin:/usr/bin:/bin' };
    runProgram(program, check, { environment });
    const child = spawn(program, start, { env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    for (const deadline = performance.now() + START_MS; !(await answers(ports.https)); await sleep(50))
      if (child.exitCode !== null || performance.now() > deadline) throw new Error(`${kind} does not start:\n${log}`);
    return new RunningProxy(child, ports.https, readFileSync(files.certificate, 'utf8'));
  }

  /** Asks over TLS, with the certificate checked. */
  ask(path: string, { headers = {}, body, host = PROXIED_NAME }: Ask = {}) {
    return new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
      const asked = request(
        {
          host: '127.0.0.1',
          port: this.port,
          servername: PROXIED_NAME,
          ca: this.certificate,
          path,
          method: body === undefined ? 'GET' : 'POST',
          headers: { host, ...(body === undefined ? {} : { 'content-length': body.length }), ...headers },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
          );
        },
      );
      // A refusal may come before the body has been sent, which then fails.
      asked.on('error', (error) => setTimeout(() => reject(error), 1_000));
      asked.end(body);
    });
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }
}

interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

function makeCertificate({ certificate, key }: CertificateFiles): void {
  const subject = ['-subj', `/CN=${PROXIED_NAME}`, '-addext', `subjectAltName=DNS:${PROXIED_NAME}`];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-days', '2'];
  runProgram('openssl', ['req', '-x509', '-nodes', ...kind, ...subject, '-keyout', key, '-out', certificate]);
}

const CONFIGURATIONS: Record<ProxyKind, (folder: string, ports: Ports, files: CertificateFiles) => string> = {
  nginx(folder, ports, { certificate, key }) {
    const site = replaceEach(readFileSync(join(EXAMPLES, 'nginx.conf'), 'utf8'), [
      [/ {4}listen \[::\]:\d+.*;\n/, ''],
      [/listen 80;/, `listen 127.0.0.1:${ports.http};`],
      [/listen 443 /, `listen 127.0.0.1:${ports.https} `],
      [/server 127\.0\.0\.1:4747;/, `server 127.0.0.1:${ports.server};`],
      [/\/etc\/ssl\/guildbook\/fullchain\.pem/, certificate],
      [/\/etc\/ssl\/guildbook\/key\.pem/, key],
    ]);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${join(folder, name)};`)
      .join('\n');
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const main = `${user}\ndaemon off;\npid ${join(folder, 'pid')};\nerror_log stderr;\nevents {}\n`;
    return `${main}http {\naccess_log off;\n${temporary}\n${site}\n}\n`;
  },
  caddy(_folder, ports, { certificate, key }) {
    const site = replaceEach(readFileSync(join(EXAMPLES, 'Caddyfile'), 'utf8'), [
      [
        /^guildbook\.example\.org \{$/,
        `https://${PROXIED_NAME}:${ports.https} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
      ],
      [/reverse_proxy 127\.0\.0\.1:4747/, `reverse_proxy 127.0.0.1:${ports.server}`],
    ]);
    return `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`;
  },
};

const COMMANDS: Record<ProxyKind, (configuration: string, folder: string) => readonly [string[], string[]]> = {
  nginx: (file, folder) => [
    ['-t', '-c', file, '-p', folder],
    ['-c', file, '-p', folder],
  ],
  caddy: (file) => [
    ['validate', '--config', file, '--adapter', 'caddyfile'],
    ['run', '--config', file, '--adapter', 'caddyfile'],
  ],
};

/** Replaces every match of each pattern. Throws if there is none: the example has changed. */
function replaceEach(text: string, replacements: readonly (readonly [RegExp, string])[]): string {
  return replacements.reduce((result, [pattern, replacement]) => {
    if (!new RegExp(pattern, 'm').test(result)) throw new Error(`the example has no ${String(pattern)}`);
    return result.replace(new RegExp(pattern, 'gm'), replacement);
  }, text);
}

/** True if something accepts connections at the port. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
