import { Inject, Injectable, Logger } from '@nestjs/common';
import { defineWorker } from '../../platform/background/worker.js';
import { Clock } from '../../platform/base/clock.js';
import { MINUTE_MS, SECOND_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { releaseLease, takeLease } from '../../platform/database/lease.js';
import { Readiness, type ReadinessProblem } from '../../platform/http/readiness.service.js';
import { CONFIG } from '../../platform/platform.module.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { GitRepository } from '../git/git.repository.js';
import type { PushTarget } from '../git/push.repository.js';
import { KnownHistory } from './known-history.service.js';
import { type ProposedState, PullRequests } from './pull-requests.service.js';
import type { RemoteState } from './remote.schema.js';
import { SkillsFolder } from './skills-folder.service.js';

const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 30 * MINUTE_MS;
const REASON_LENGTH = 300;
// Five minutes of attempts. A host that restarts is back before.
const FAILURES_OF_AN_OUTAGE = 6;
const LEASE = 'skills-push';
// Renewed every few seconds. After a killed process, another one waits this long.
const LEASE_MS = 15 * SECOND_MS;
// Longer than a push may take.
const PUSH_LEASE_MS = 2 * MINUTE_MS;
// Longer than two fetches of two calls, a push and four calls of the host's API.
const PROPOSE_LEASE_MS = 6 * MINUTE_MS;
// How soon a merge is noticed.
const REQUEST_PAUSE_MS = MINUTE_MS;

const PUSH_FAILED: ReadinessProblem = {
  code: 'skills.push_failed',
  message: 'Decisions do not reach the remote. `guildbook status` shows what the remote says.',
};

/**
 * Follows the history of main, and pushes what is known of it to a configured remote. One process at a time does. It
 * never delays a decision: a failed push is retried after a pause that doubles, and the last error is shown in the
 * repository's state.
 */
@Injectable()
export class RemotePusher extends defineWorker({ every: 5 * SECOND_MS }) {
  private readonly logger = new Logger(RemotePusher.name);
  private readonly holder: string;
  private failures = 0;
  private isStandby = false;
  /** The known commit of the last attempt. */
  private followed: string | undefined;
  private last: Omit<RemoteState, 'branch' | 'address'> = {
    state: 'waiting',
    request: null,
    commit: null,
    at: null,
    reason: null,
    nextAttempt: null,
  };

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    ids: Ids,
    private readonly git: GitRepository,
    private readonly folder: SkillsFolder,
    private readonly history: KnownHistory,
    private readonly requests: PullRequests,
    readiness: Readiness,
  ) {
    super();
    this.holder = ids.uuid();
    readiness.registerProblems(() => (this.isFailing() ? [PUSH_FAILED] : []));
  }

  /** State of the last push; null if no remote is configured. */
  state(): RemoteState | null {
    const { skillsRemote: remote, skillsRemoteBranch: branch } = this.config;
    if (remote === undefined) return null;
    const standby = this.isStandby ? { state: 'standby' as const } : {};
    return { branch, address: cloneAddress(remote), ...this.last, ...standby };
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await releaseLease(this.database.client, LEASE, this.holder);
  }

  /** A refusal needs a person at once, an outage only if it lasts. */
  private isFailing(): boolean {
    const { state } = this.last;
    if (this.isStandby) return false;
    return (
      state === 'rejected' || state === 'refused' || (state === 'unreachable' && this.failures >= FAILURES_OF_AN_OUTAGE)
    );
  }

  private isDue(known: string): boolean {
    // A further decision is added to an open pull request at once, and opens another one after a refused one.
    const isFollowing = this.last.state === 'requested' || this.last.state === 'refused';
    if (isFollowing && known !== this.followed) return true;
    return this.last.nextAttempt === null || Date.parse(this.last.nextAttempt) <= this.clock.now().getTime();
  }

  protected async step(): Promise<boolean> {
    const folder = await this.folder.publishing();
    // A process with another folder leaves the lease to one with the right folder.
    if (folder === undefined) await releaseLease(this.database.client, LEASE, this.holder);
    this.isStandby = folder === undefined || !(await this.hold(LEASE_MS));
    if (this.isStandby) await this.history.refresh();
    if (this.isStandby || folder === undefined) return false;
    const known = await this.history.follow(folder);
    const { skillsRemote: remote, skillsRemoteBranch: branch, skillsRemoteToken: token } = this.config;
    if (remote === undefined || known === undefined || known === this.last.commit || !this.isDue(known)) return false;
    if (!(await this.hold(this.requests.isOn ? PROPOSE_LEASE_MS : PUSH_LEASE_MS))) return false;
    const result = await this.send(known, { remote, branch, token });
    await this.hold(LEASE_MS);
    this.followed = known;
    this.note(known, result, this.clock.now());
    return false;
  }

  private async send(known: string, target: PushTarget): Promise<ProposedState> {
    if (this.requests.isOn) return this.requests.propose(known, target);
    const result = await this.git.push(known, target);
    return 'reason' in result ? { state: result.state, reason: result.reason } : { state: 'pushed' };
  }

  private note(known: string, result: ProposedState, now: Date): void {
    if (!('reason' in result)) {
      this.failures = 0;
      const at = now.toISOString();
      if (result.state === 'pushed') {
        this.last = { state: 'pushed', request: null, commit: known, at, reason: null, nextAttempt: null };
        return;
      }
      const { state, request } = result;
      const nextAttempt = new Date(now.getTime() + REQUEST_PAUSE_MS).toISOString();
      this.last = { state, request, commit: this.last.commit, at, reason: null, nextAttempt };
      return;
    }
    this.failures += 1;
    const wait = Math.min(FIRST_WAIT_MS * 2 ** (this.failures - 1), LONGEST_WAIT_MS);
    // Messages of git contain the address too.
    const reason = clip(generalise(redact(result.reason).text), REASON_LENGTH);
    this.logger.warn({ event: 'skills.push_failed', state: result.state, reason, failures: this.failures });
    const nextAttempt = new Date(now.getTime() + wait).toISOString();
    this.last = { ...this.last, state: result.state, reason, nextAttempt };
  }

  private hold(milliseconds: number): Promise<boolean> {
    return takeLease(this.database.client, LEASE, this.holder, this.clock.now(), milliseconds);
  }
}

/**
 * The address from which people clone the remote, without what could be a credential: no password, query or fragment,
 * and no user name of https:. The account of ssh: stays, because a host refuses every other one. Null for a folder,
 * which lies on the server's machine, and for an address in which a secret is found.
 */
export function cloneAddress(remote: string): string | null {
  if (!URL.canParse(remote)) return null;
  const { protocol, username, host, pathname } = new URL(remote);
  if (protocol !== 'https:' && protocol !== 'ssh:') return null;
  const account = protocol === 'ssh:' && username !== '' ? `${username}@` : '';
  const address = `${protocol}//${account}${host}${pathname}`;
  return redact(address).redactions.length === 0 ? address : null;
}
