import { Inject, Injectable, Logger } from '@nestjs/common';
import { BackgroundWorker } from '../../platform/background/worker.js';
import { Clock } from '../../platform/base/clock.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { GitRepository } from '../git/git.repository.js';
import type { RemoteState } from './remote.schema.js';

const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 30 * MINUTE_MS;

/**
 * Pushes main to a configured remote. It never delays a decision: a failed push is retried after a pause that doubles,
 * and the last error is shown in the repository's state.
 */
@Injectable()
export class RemotePusher extends BackgroundWorker {
  private readonly logger = new Logger(RemotePusher.name);
  private failures = 0;
  private last: Omit<RemoteState, 'branch'> = {
    state: 'waiting',
    commit: null,
    at: null,
    reason: null,
    nextAttempt: null,
  };

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly git: GitRepository,
  ) {
    super();
  }

  /** Call when main may have moved. Returns at once; does nothing without a remote or before the pause is over. */
  override wake(): void {
    if (this.config.skillsRemote === undefined || !this.isDue()) return;
    super.wake();
  }

  /** State of the last push; null if no remote is configured. The address is not part of it. */
  state(): RemoteState | null {
    return this.config.skillsRemote === undefined ? null : { branch: this.config.skillsRemoteBranch, ...this.last };
  }

  private isDue(): boolean {
    return this.last.nextAttempt === null || Date.parse(this.last.nextAttempt) <= this.clock.now().getTime();
  }

  protected async step(): Promise<boolean> {
    const { skillsRemote: remote, skillsRemoteBranch: branch, skillsRemoteToken: token } = this.config;
    if (remote === undefined || (await this.git.head()) === this.last.commit) return false;
    const result = await this.git.push({ remote, branch, token });
    const now = this.clock.now();
    if (!('reason' in result)) {
      this.failures = 0;
      const commit = result.commit ?? null;
      this.last = { state: 'pushed', commit, at: now.toISOString(), reason: null, nextAttempt: null };
      return false;
    }
    this.failures += 1;
    const wait = Math.min(FIRST_WAIT_MS * 2 ** (this.failures - 1), LONGEST_WAIT_MS);
    // Messages of git contain the address too.
    const reason = clip(generalise(redact(result.reason).text), 300);
    this.logger.warn({ event: 'skills.push_failed', state: result.state, reason, failures: this.failures });
    this.last = {
      ...this.last,
      state: result.state,
      reason,
      nextAttempt: new Date(now.getTime() + wait).toISOString(),
    };
    return false;
  }
}
