import { z } from 'zod';
import { SECOND_MS } from '../../platform/base/durations.js';
import { parseJson } from '../../platform/base/parse-json.js';
import type { CodeHost } from '../../platform/config/git-remote.js';
import { visibleLine } from '../document/frontmatter.js';

/** A pull request of this server, or at GitLab a merge request. */
export interface PullRequest {
  readonly number: number;
  /** Where people open it; null if the host gave no usable address. */
  readonly address: string | null;
  readonly state: 'open' | 'merged' | 'closed';
  readonly branch: string;
  /** The reference under which the host keeps its newest commit, also after the branch is deleted. */
  readonly reference: string;
}

export interface PullRequestText {
  readonly title: string;
  /** Markdown. */
  readonly body: string;
}

/** The host did not do it. The message is one line of the host or of the network, not redacted yet. */
export class CodeHostProblem extends Error {
  constructor(
    readonly state: 'rejected' | 'unreachable',
    message: string,
  ) {
    super(message);
  }
}

/** Our own branches. Others may open pull requests from branches of their own. */
const OWN_BRANCH = /^guildbook\/[0-9a-f]{12}$/;
export const ownBranch = (commit: string): string => `guildbook/${commit.slice(0, 12)}`;

const TIMEOUT_MS = 10 * SECOND_MS;
const MAX_ANSWER = 8 * 1024 * 1024;
// A page of one request. More than this many newer ones of others hide ours after a restart.
const PAGE = 50;
const SHOWN_ADDRESS = /^https?:\/\/[!-~]{1,500}$/;

const Count = z.number().int().positive();
const GitHubRequest = z.object({
  number: Count,
  html_url: z.string(),
  state: z.enum(['open', 'closed']),
  merged_at: z.string().nullable(),
  head: z.object({ ref: z.string(), repo: z.object({ full_name: z.string() }).nullable() }),
});
const GitLabRequest = z.object({
  iid: Count,
  web_url: z.string(),
  state: z.enum(['opened', 'closed', 'merged', 'locked']),
  source_branch: z.string(),
  source_project_id: z.number().nullable(),
  target_project_id: z.number(),
});

/** How a host names what is asked of it. */
interface Dialect {
  readonly list: (project: string, base: string, isOpen: boolean) => string;
  readonly one: (project: string, number: number) => string;
  readonly all: (project: string) => string;
  readonly opened: (text: PullRequestText, branch: string, base: string) => object;
  readonly changed: (text: PullRequestText) => { readonly method: string; readonly body: object };
  /** Undefined for a request from another repository, whose branches others name. Throws for an unknown form. */
  readonly read: (value: unknown, project: string) => PullRequest | undefined;
}

const DIALECTS: Readonly<Record<CodeHost['kind'], Dialect>> = {
  github: {
    list: (project, base, isOpen) =>
      `/repos/${project}/pulls?state=${isOpen ? 'open' : 'closed'}&base=${encodeURIComponent(base)}&sort=created&direction=desc&per_page=${PAGE}`,
    one: (project, number) => `/repos/${project}/pulls/${number}`,
    all: (project) => `/repos/${project}/pulls`,
    opened: (text, branch, base) => ({ ...text, head: branch, base }),
    changed: (text) => ({ method: 'PATCH', body: text }),
    read: (value, project) => {
      const { number, html_url: address, state, merged_at: merged, head } = GitHubRequest.parse(value);
      if (head.repo !== null && head.repo.full_name.toLowerCase() !== project.toLowerCase()) return undefined;
      const ended = merged === null ? 'closed' : 'merged';
      const reference = `refs/pull/${number}/head`;
      return { number, address, state: state === 'open' ? state : ended, branch: head.ref, reference };
    },
  },
  gitlab: {
    list: (project, base, isOpen) =>
      `/projects/${encodeURIComponent(project)}/merge_requests?state=${isOpen ? 'opened' : 'all'}&target_branch=${encodeURIComponent(base)}&order_by=created_at&sort=desc&per_page=${PAGE}`,
    one: (project, number) => `/projects/${encodeURIComponent(project)}/merge_requests/${number}`,
    all: (project) => `/projects/${encodeURIComponent(project)}/merge_requests`,
    opened: ({ title, body }, branch, base) => ({
      title,
      description: body,
      source_branch: branch,
      target_branch: base,
    }),
    changed: ({ title, body }) => ({ method: 'PUT', body: { title, description: body } }),
    read: (value) => {
      const request = GitLabRequest.parse(value);
      if (request.source_project_id !== request.target_project_id) return undefined;
      const { iid: number, web_url: address, state, source_branch: branch } = request;
      const reference = `refs/merge-requests/${number}/head`;
      // A locked one is being merged.
      return { number, address, state: state === 'opened' || state === 'locked' ? 'open' : state, branch, reference };
    },
  },
};

/**
 * Opens and reads pull requests over the API of GitHub or GitLab. Its address and token are settings of the operator,
 * so it may be in a private network. No redirect is followed, which would take the token along.
 */
export class CodeHostApi {
  private readonly dialect: Dialect;

  constructor(
    private readonly host: CodeHost,
    private readonly token: string,
  ) {
    this.dialect = DIALECTS[host.kind];
  }

  /** The newest one that this server opened to the branch `base`, before others one that is open. Throws CodeHostProblem. */
  async newest(base: string): Promise<PullRequest | undefined> {
    for (const isOpen of [true, false]) {
      const listed = await this.call('GET', this.dialect.list(this.host.project, base, isOpen));
      for (const value of Array.isArray(listed) ? listed : []) {
        const request = this.read(value);
        if (request !== undefined) return request;
      }
    }
    return undefined;
  }

  /** Throws CodeHostProblem. */
  async find(number: number): Promise<PullRequest | undefined> {
    return this.read(await this.call('GET', this.dialect.one(this.host.project, number)));
  }

  /** Opens one. Throws CodeHostProblem. */
  async open(text: PullRequestText, branch: string, base: string): Promise<PullRequest> {
    const body = this.dialect.opened(text, branch, base);
    const request = this.read(await this.call('POST', this.dialect.all(this.host.project), body));
    if (request === undefined) throw new CodeHostProblem('rejected', 'the host opened it for another repository');
    return request;
  }

  /** Changes its title and text. Throws CodeHostProblem. */
  async change(number: number, text: PullRequestText): Promise<void> {
    const { method, body } = this.dialect.changed(text);
    await this.call(method, this.dialect.one(this.host.project, number), body);
  }

  private read(value: unknown): PullRequest | undefined {
    try {
      const request = this.dialect.read(value, this.host.project);
      // Its branch becomes a reference of git.
      if (request === undefined || !OWN_BRANCH.test(request.branch)) return undefined;
      const isShown = request.address && SHOWN_ADDRESS.test(request.address) && URL.canParse(request.address);
      return { ...request, address: isShown ? request.address : null };
    } catch {
      throw new CodeHostProblem('rejected', 'the host answered in an unknown form');
    }
  }

  private async call(method: string, path: string, body?: object): Promise<unknown> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    let status: number;
    let text: string | undefined;
    try {
      const response = await fetch(`${this.host.api}${path}`, {
        method,
        redirect: 'manual',
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${this.token}`,
          'user-agent': 'Guildbook',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal,
      });
      status = response.status;
      text = await readBounded(response);
    } catch {
      // The error may contain the address or the token, so it is dropped.
      throw new CodeHostProblem(
        'unreachable',
        `the host's API: ${signal.aborted ? 'no response in time' : 'no connection'}`,
      );
    }
    const value = text === undefined ? undefined : parseJson(text);
    if (status >= 200 && status < 300 && value !== undefined) return value;
    const isOutage = status === 429 || status >= 500;
    const words = visibleLine(wordsOf(value).replaceAll(this.token, '[token]'));
    throw new CodeHostProblem(
      isOutage ? 'unreachable' : 'rejected',
      `the host's API answered ${status}${words && `: ${words}`}`,
    );
  }
}

const Refusal = z.object({
  message: z.unknown().optional(),
  error: z.unknown().optional(),
  error_description: z.unknown().optional(),
  errors: z.array(z.unknown()).optional(),
});

/** The sentences of a refusal: GitHub has `message` and `errors`, GitLab a `message` of any form, or `error`. */
function wordsOf(value: unknown): string {
  const parsed = Refusal.safeParse(value);
  if (!parsed.success) return '';
  const { message, error, error_description: description, errors = [] } = parsed.data;
  const inner = errors
    .slice(0, 5)
    .map((one) => (typeof one === 'object' && one !== null && 'message' in one ? one.message : one));
  return [message, error, description, ...inner]
    .filter((part) => part !== undefined && part !== null)
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)).slice(0, 2_000))
    .join(' ');
}

/** The body as text; undefined if it is too long. */
async function readBounded(response: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MAX_ANSWER) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
