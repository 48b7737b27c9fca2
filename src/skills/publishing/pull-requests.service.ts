import { Inject, Injectable, Logger } from '@nestjs/common';
import { messageOf } from '../../platform/base/error-text.js';
import type { Config } from '../../platform/config/config.js';
import { codeHost } from '../../platform/config/git-remote.js';
import { Database } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { visibleLine } from '../document/frontmatter.js';
import { APPROVAL_TRAILER } from '../git/commit-message.js';
import { GitRepository } from '../git/git.repository.js';
import { COMMITTER } from '../git/planned-commit.js';
import type { PushTarget } from '../git/push.repository.js';
import {
  CodeHostApi,
  CodeHostProblem,
  ownBranch,
  type PullRequest,
  type PullRequestText,
} from './code-host.strategy.js';
import { DecisionCache } from './decision-cache.service.js';
import { type Publication, PublicationRepository } from './publication.repository.js';
import type { PullRequestState } from './remote.schema.js';
import { commitMessageOf } from './skill-change.service.js';

/** Decisions that a pull request and its commit name one by one. */
const MAX_NAMED = 100;
const MAX_AUTHOR = 100;

/** Where the known history stands at the remote. */
export type ProposedState =
  /** The branch of the remote has all files of the known history. */
  | { readonly state: 'pushed' }
  /** A pull request with them is open, or was closed without a merge. */
  | { readonly state: 'requested' | 'refused'; readonly request: PullRequestState }
  | Refusal;

interface Refusal {
  readonly state: 'rejected' | 'unreachable';
  readonly reason: string;
}

/** What a pull request changes: files, and the decisions that they come from. */
interface Proposed {
  readonly files: Awaited<ReturnType<GitRepository['missingFiles']>>;
  readonly decisions: readonly Publication[];
  /** All of them, also those that are not named. */
  readonly total: number;
}

/**
 * Proposes the known history to a protected branch of the remote. Files are compared, and not commits: a merge, a
 * squash and a rebase have the same files. Everything is found again from the remote and its host, so that a killed
 * process, or another folder, goes on with the same pull request.
 */
@Injectable()
export class PullRequests {
  private readonly logger = new Logger(PullRequests.name);
  private readonly host: CodeHostApi | undefined;
  /** The one that this process saw last. */
  private number: number | undefined;
  /** Its text lacks decisions that its branch has. */
  private isTextOld = false;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly git: GitRepository,
    private readonly decisions: DecisionCache,
    private readonly publications: PublicationRepository,
  ) {
    const { skillsPullRequests: kind, skillsRemote: remote, skillsPullRequestApi: api } = config;
    const host = kind === 'off' || remote === undefined ? undefined : codeHost(kind, remote, api);
    const token = config.skillsPullRequestToken ?? config.skillsRemoteToken;
    this.host = host && token !== undefined ? new CodeHostApi(host, token) : undefined;
  }

  /** False if decisions are pushed to the branch itself. */
  get isOn(): boolean {
    return this.host !== undefined;
  }

  /** Compares the remote with the known history, and opens or extends a pull request if it lacks something. */
  async propose(known: string, target: PushTarget): Promise<ProposedState> {
    if (this.host === undefined) return { state: 'rejected', reason: 'pull requests are off' };
    try {
      return await this.proposeAt(this.host, known, target);
    } catch (error) {
      // It may be gone. Then the next attempt looks for another one.
      this.number = undefined;
      if (error instanceof CodeHostProblem) return { state: error.state, reason: error.message };
      // A damaged object, or a database that is away: shown like every other reason, and tried again.
      return { state: 'unreachable', reason: messageOf(error) };
    }
  }

  private async proposeAt(host: CodeHostApi, known: string, target: PushTarget): Promise<ProposedState> {
    const decided = await this.decidedNames();
    const isIn = async (commit: string) => (await this.git.missingFiles(known, commit, decided)).skills.length === 0;
    const main = { name: `refs/heads/${target.branch}`, keptAs: 'main' } as const;
    const before = await this.git.fetch([main], target);
    if ('reason' in before) return before;
    const [tip] = before.commits;
    if (tip === undefined) {
      const reason = `The remote has no branch ${target.branch}: make its first commit there.`;
      return { state: 'rejected', reason };
    }
    if (await isIn(tip)) return this.merged();
    const last = this.number === undefined ? await host.newest(target.branch) : await host.find(this.number);
    this.number = last?.number;
    const name = last?.state === 'open' ? `refs/heads/${last.branch}` : last?.reference;
    // The branch again, because it may have been merged since.
    const after = await this.git.fetch(name === undefined ? [main] : [main, { name, keptAs: 'request' }], target);
    if ('reason' in after) return after;
    const [base = tip, head] = after.commits;
    if (await isIn(base)) return this.merged();
    if (last === undefined || last.state === 'merged') return this.open(host, known, base, target);
    if (head === undefined) {
      const reason = `The host has no commit of pull request #${last.number}.`;
      return { state: 'rejected', reason };
    }
    if (last.state === 'closed')
      return (await isIn(head)) ? { state: 'refused', request: stateOf(last) } : this.open(host, known, base, target);
    if (!(await isIn(head))) {
      const refused = await this.push(await this.proposed(known, head), head, last.branch, target);
      if ('reason' in refused) return refused;
      this.isTextOld = true;
    }
    if (this.isTextOld) await host.change(last.number, this.textOf(await this.proposed(known, base)));
    this.isTextOld = false;
    return { state: 'requested', request: stateOf(last) };
  }

  private merged(): ProposedState {
    this.number = undefined;
    this.isTextOld = false;
    return { state: 'pushed' };
  }

  private async open(host: CodeHostApi, known: string, base: string, target: PushTarget): Promise<ProposedState> {
    const proposed = await this.proposed(known, base);
    const pushed = await this.push(proposed, base, undefined, target);
    if ('reason' in pushed) return pushed;
    // A host may know the branch from an attempt whose answer was lost. Then it refuses, and the next attempt finds it.
    this.number = undefined;
    const request = await host.open(this.textOf(proposed), pushed.branch, target.branch);
    this.number = request.number;
    this.isTextOld = false;
    this.logger.log({ event: 'skills.pull_request_opened', number: request.number, decisions: proposed.total });
    return { state: 'requested', request: stateOf(request) };
  }

  /** Pushes a commit on top of `base`; to a new branch if none is given. */
  private async push(
    proposed: Proposed,
    base: string,
    branch: string | undefined,
    target: PushTarget,
  ): Promise<{ readonly branch: string } | Refusal> {
    const { message, author, when } = commitOf(proposed);
    const commit = await this.git.commitFiles(base, proposed.files, { message, author, when });
    const own = branch ?? ownBranch(commit);
    const result = await this.git.push(commit, { ...target, branch: own });
    return 'reason' in result ? { state: result.state, reason: result.reason } : { branch: own };
  }

  /** What `base` lacks, with the last decision about each of these skills. */
  private async proposed(known: string, base: string): Promise<Proposed> {
    const files = await this.git.missingFiles(known, base, await this.decidedNames());
    const last = new Map<string, string>();
    for (const { name, proposalId, commit } of (await this.decisions.current()).decisions)
      if (commit !== undefined) last.set(name, proposalId);
    const ids = [...new Set(files.skills.flatMap((name) => last.get(name) ?? []))];
    const found = await this.publications.findByProposals(this.database.client, ids.slice(0, MAX_NAMED));
    const decisions = found.sort(
      (a, b) => a.decidedAt.getTime() - b.decidedAt.getTime() || a.journal.seq - b.journal.seq,
    );
    return { files, decisions, total: ids.length };
  }

  /** The names of skills that published decisions were about. */
  private async decidedNames(): Promise<ReadonlySet<string>> {
    const { decisions } = await this.decisions.current();
    return new Set(decisions.flatMap(({ name, commit }) => (commit === undefined ? [] : [name])));
  }

  private textOf({ decisions, total }: Proposed): PullRequestText {
    const { publicUrl } = this.config;
    const lines = decisions.map((decision) => {
      const { proposalId, authorName } = decision;
      const link = publicUrl === undefined ? '' : `, [review](${new URL(`/review/${proposalId}`, publicUrl).href})`;
      return `- ${codeSpan(subjectOf(decision))}, approved by ${codeSpan(authorName)}${link}`;
    });
    if (total > decisions.length) lines.push(`- and ${total - decisions.length} more`);
    const body = `Approved in Guildbook. The files are those that the reviewers approved; Guildbook proposes them again if they are changed here.\n\n${lines.join('\n')}\n`;
    return { title: titleOf(decisions, total), body };
  }
}

const stateOf = ({ number, address }: PullRequest): PullRequestState => ({ number, address });

const subjectOf = (decision: Publication): string => commitMessageOf(decision).toString().split('\n', 1)[0] ?? '';

/** Only checked names, versions and numbers. */
function titleOf(decisions: readonly Publication[], total: number): string {
  const [only] = decisions;
  return only !== undefined && total === 1 ? subjectOf(only) : `Publish ${total} decisions about skills`;
}

/** One decision keeps its own message and author; several are listed. The newest one gives the date, so that a repeat gives the same commit. */
function commitOf({ decisions, total }: Proposed) {
  const newest = decisions.at(-1);
  if (newest === undefined) throw new Error('no decision explains the files that the remote lacks');
  const when = newest.decidedAt.toISOString();
  if (total === 1) {
    const author = { name: newest.authorName, email: newest.authorEmail };
    return { message: commitMessageOf(newest).toString(), author, when };
  }
  const trailers = decisions.map(({ proposalId }) => `${APPROVAL_TRAILER}: ${proposalId}`);
  const subjects = decisions.map((decision) => `- ${subjectOf(decision)}`);
  const message = `${titleOf(decisions, total)}\n\n${subjects.join('\n')}\n\n${trailers.join('\n')}\n`;
  return { message, author: COMMITTER, when };
}

/**
 * A text from outside in Markdown. In a code span hosts make no mentions, references or links, and only a backtick ends
 * it.
 */
function codeSpan(text: string): string {
  const line = clip(visibleLine(redact(text).text).replaceAll('`', "'"), MAX_AUTHOR);
  return `\`${line === '' ? '?' : line}\``;
}
