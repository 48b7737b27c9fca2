import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CodeHostKind } from '../../src/platform/config/git-remote.js';

interface HostedRequest {
  readonly number: number;
  readonly branch: string;
  title: string;
  body: string;
  state: 'open' | 'closed' | 'merged';
}

export type Merge = 'merge' | 'squash' | 'rebase';

const PROJECT = 'acme/skills';

/**
 * A git host on this machine: a bare repository whose main refuses pushes by a hook, and the API of GitHub or GitLab for
 * its pull requests, as their documentation describes it.
 */
export class TestCodeHost {
  readonly requests: HostedRequest[] = [];
  readonly token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  /** Refuses each call of the API, if set. */
  refusal: { readonly status: number; readonly body: unknown } | undefined;
  private readonly server = createServer((request, response) => void this.answer(request, response));

  private constructor(
    readonly kind: CodeHostKind,
    private readonly folder: string,
  ) {}

  static async start(kind: CodeHostKind): Promise<TestCodeHost> {
    const host = new TestCodeHost(kind, mkdtempSync(join(tmpdir(), 'guildbook-host-')));
    mkdirSync(host.bare, { recursive: true });
    host.git(host.bare, 'init', '-q', '--bare', '-b', 'main');
    host.git(host.folder, 'clone', '-q', host.bare, host.clone);
    host.git(host.clone, 'checkout', '-q', '-B', 'main');
    host.commitByHand('LICENSE', 'Ours\n');
    const hook = join(host.bare, 'hooks', 'pre-receive');
    writeFileSync(
      hook,
      `#!/bin/sh
while read -r _ _ name; do
  if [ "$name" = refs/heads/main ]; then echo "Changes must be made through a pull request." >&2; exit 1; fi
done
`,
    );
    chmodSync(hook, 0o755);
    await new Promise<void>((resolve) => host.server.listen(0, '127.0.0.1', resolve));
    return host;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    rmSync(this.folder, { recursive: true, force: true });
  }

  get bare(): string {
    return join(this.folder, PROJECT);
  }

  private get clone(): string {
    return join(this.folder, 'clone');
  }

  /** The settings of a server that pushes here. */
  settings(): Record<string, string> {
    // A server that listens on TCP has an AddressInfo.
    const { port } = this.server.address() as AddressInfo;
    return {
      GUILDBOOK_SKILLS_REMOTE: pathToFileURL(this.bare).href,
      GUILDBOOK_SKILLS_PULL_REQUESTS: this.kind,
      GUILDBOOK_SKILLS_PULL_REQUEST_TOKEN: this.token,
      GUILDBOOK_SKILLS_PULL_REQUEST_API: `http://127.0.0.1:${port}/api`,
    };
  }

  show(...args: string[]): string {
    return this.git(this.bare, ...args);
  }

  files(branch: string): string[] {
    return this.show('ls-tree', '-r', '--name-only', branch).split('\n');
  }

  /** A commit of a person on main. */
  commitByHand(path: string, text: string): void {
    writeFileSync(join(this.clone, path), text);
    this.git(this.clone, 'add', '--', path);
    this.git(this.clone, 'commit', '-q', '-m', `Add ${path}`);
    this.publishMain();
  }

  merge(number: number, how: Merge): void {
    const request = this.request(number);
    this.git(this.clone, 'fetch', '-q', 'origin', request.branch);
    const said = ['-m', `Merge #${number}`];
    if (how === 'merge') this.git(this.clone, 'merge', '-q', '--no-ff', ...said, 'FETCH_HEAD');
    if (how === 'squash') {
      this.git(this.clone, 'merge', '-q', '--squash', 'FETCH_HEAD');
      this.git(this.clone, 'commit', '-q', ...said);
    }
    if (how === 'rebase') this.git(this.clone, 'cherry-pick', 'main..FETCH_HEAD');
    request.state = 'merged';
    this.publishMain();
    this.show('branch', '-D', request.branch);
  }

  closeRequest(number: number): void {
    this.request(number).state = 'closed';
  }

  request(number: number): HostedRequest {
    const request = this.requests[number - 1];
    if (!request) throw new Error(`there is no pull request #${number}`);
    return request;
  }

  private publishMain(): void {
    this.git(this.bare, 'fetch', '-q', this.clone, '+main:main');
  }

  private git(folder: string, ...args: string[]): string {
    const own = ['-c', 'user.name=Bo Host', '-c', 'user.email=bo@example.org', '-c', 'protocol.file.allow=always'];
    const options = { encoding: 'utf8' as const, stdio: 'pipe' as const };
    return execFileSync('git', ['-C', folder, ...own, ...args], options).trim();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    const { status, body } = this.refusal ?? this.result(request, Buffer.concat(parts).toString('utf8'));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  private result({ url = '', method, headers }: IncomingMessage, text: string): { status: number; body: unknown } {
    if (headers.authorization !== `Bearer ${this.token}`) return { status: 401, body: { message: 'Bad credentials' } };
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    const all =
      this.kind === 'github'
        ? `/api/repos/${PROJECT}/pulls`
        : `/api/projects/${encodeURIComponent(PROJECT)}/merge_requests`;
    const number = Number(pathname.slice(all.length + 1));
    if (!pathname.startsWith(all)) return { status: 404, body: { message: 'Not Found' } };
    for (const one of this.requests.filter(({ state }) => state === 'open'))
      this.show('update-ref', this.referenceOf(one), this.show('rev-parse', `refs/heads/${one.branch}`));
    const given = text === '' ? {} : JSON.parse(text);
    if (method === 'POST') return this.opened(given);
    if (method === 'GET' && pathname === all) {
      const wanted = searchParams.get('state');
      const isWanted = (one: HostedRequest) =>
        wanted === 'all' || (one.state === 'open') === (wanted === 'open' || wanted === 'opened');
      return {
        status: 200,
        body: this.requests
          .filter(isWanted)
          .reverse()
          .map((one) => this.shown(one)),
      };
    }
    const one = this.request(number);
    if (method === 'PATCH' || method === 'PUT')
      Object.assign(one, { title: given.title, body: given.body ?? given.description });
    return { status: 200, body: this.shown(one) };
  }

  private opened(given: Record<string, string>): { status: number; body: unknown } {
    const branch = given['head'] ?? given['source_branch'] ?? '';
    if ((given['base'] ?? given['target_branch']) !== 'main') return { status: 422, body: { message: 'Wrong base' } };
    if (this.requests.some((one) => one.branch === branch && one.state === 'open'))
      return { status: 422, body: { message: 'Validation Failed', errors: [{ message: 'It already exists' }] } };
    const { title = '' } = given;
    const body = given['body'] ?? given['description'] ?? '';
    const one: HostedRequest = { number: this.requests.length + 1, branch, title, body, state: 'open' };
    this.requests.push(one);
    this.show('update-ref', this.referenceOf(one), this.show('rev-parse', `refs/heads/${branch}`));
    return { status: 201, body: this.shown(one) };
  }

  private referenceOf({ number }: HostedRequest): string {
    return this.kind === 'github' ? `refs/pull/${number}/head` : `refs/merge-requests/${number}/head`;
  }

  private shown({ number, branch, state }: HostedRequest): unknown {
    const address = `https://git.example.org/${PROJECT}/${number}`;
    if (this.kind === 'gitlab') {
      const shown = { iid: number, web_url: address, state: state === 'open' ? 'opened' : state };
      return { ...shown, source_branch: branch, source_project_id: 7, target_project_id: 7 };
    }
    const head = { ref: branch, repo: { full_name: PROJECT } };
    const merged = state === 'merged' ? '2026-11-30T12:00:00Z' : null;
    return { number, html_url: address, state: state === 'open' ? state : 'closed', merged_at: merged, head };
  }
}
