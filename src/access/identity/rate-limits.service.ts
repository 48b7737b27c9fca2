import { isIPv6 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { hasShare } from '../../platform/background/round-robin.js';
import { ServerProcesses } from '../../platform/background/server-processes.service.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import type { Caller } from './caller.js';

type Payer = Pick<Caller, 'id' | 'kind' | 'owner'>;

const BYTES_PER_POINT = 1_024;

/**
 * Limits the number of requests and the bytes of their bodies. Each process counts in memory and admits its share of each
 * limit, which is divided by the number of live processes: together they admit no more than one process would.
 */
@Injectable()
export class RateLimits {
  private readonly principals: RateLimiterMemory;
  private readonly owners: RateLimiterMemory;
  private readonly principalBytes: RateLimiterMemory;
  private readonly ownerBytes: RateLimiterMemory;
  private readonly rejections: RateLimiterMemory;
  private readonly anonymous: RateLimiterMemory;
  /** Each limiter with its limit for all processes. */
  private readonly limits: (readonly [RateLimiterMemory, number])[] = [];
  private sharers = 1;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly processes: ServerProcesses,
  ) {
    const limiter = (points: number) => {
      const made = new RateLimiterMemory({ points, duration: config.rateLimitSeconds });
      this.limits.push([made, points]);
      return made;
    };
    this.principals = limiter(config.rateLimitPrincipal);
    this.owners = limiter(config.rateLimitPrincipal * config.rateLimitOwnerFactor);
    const bytes = (config.rateLimitPrincipal * config.rateLimitRequestBytes) / BYTES_PER_POINT;
    this.principalBytes = limiter(bytes);
    this.ownerBytes = limiter(bytes * config.rateLimitOwnerFactor);
    this.rejections = limiter(config.rateLimitRefused);
    this.anonymous = limiter(config.rateLimitPublic);
  }

  /**
   * Throws `rate_limited` if the caller, or all agents and services of its owner together, exceed their limit. Of the
   * owner's limit each has its share, so that one that uses all of its share leaves the others theirs.
   */
  async admit({ id, kind, owner }: Payer): Promise<void> {
    this.share();
    const used = await take(this.principals, id, 'You send requests too often');
    if (kind !== 'person' && owner !== null)
      await take(this.owners, owner, `The agents of the owner "${owner}" send requests too often`, used - 1);
  }

  /** The same for the bytes of a body. One body is admitted even if it exceeds what is left of the limit. */
  async admitBytes({ id, kind, owner }: Payer, bytes: number): Promise<void> {
    const points = Math.ceil(bytes / BYTES_PER_POINT);
    if (points === 0) return;
    this.share();
    const used = await takeBytes(this.principalBytes, id, points, 'You send');
    if (kind !== 'person' && owner !== null)
      await takeBytes(this.ownerBytes, owner, points, `The agents of the owner "${owner}" send`, used);
  }

  /** Counts bytes that were read already. Beyond the limit, the next body is refused. */
  chargeBytes({ id, kind, owner }: Payer, bytes: number): void {
    const points = Math.ceil(bytes / BYTES_PER_POINT);
    void this.principalBytes.penalty(id, points);
    if (kind !== 'person' && owner !== null) void this.ownerBytes.penalty(owner, points);
  }

  /** Throws `rate_limited` if an address exceeds the limit for requests without a credential. */
  async admitAnonymous(address: string): Promise<void> {
    this.share();
    await take(this.anonymous, network(address), 'Your address sends requests too often');
  }

  /**
   * Runs `attempt`. Counts rejected credentials for the address; beyond the limit the error is `rate_limited`. Valid
   * credentials from the same address are not affected.
   */
  async limitRejections<T>(address: string, attempt: () => Promise<T>): Promise<T> {
    this.share();
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated')
        await take(this.rejections, network(address), 'Your address sends invalid credentials too often');
      throw error;
    }
  }

  /** A process that started or ended is noticed with the next heartbeat. */
  private share(): void {
    const { live } = this.processes;
    if (live === this.sharers) return;
    this.sharers = live;
    for (const [limiter, points] of this.limits) limiter.points = Math.max(1, Math.floor(points / live));
  }
}

/** `own`: what the caller used before of a limit that it shares. Returns what is used now. */
async function take(limiter: RateLimiterMemory, key: string, subject: string, own = 0): Promise<number> {
  const used = await limiter.get(key);
  if (used !== null && !hasShare(own, used.consumedPoints, limiter.points)) throw rateLimited(used, subject);
  try {
    return (await limiter.consume(key)).consumedPoints;
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    throw rateLimited(error, subject);
  }
}

/**
 * Refuses a body only if the limit was exceeded before, so that one body is never above the limit by itself. Returns what
 * was used before.
 */
async function takeBytes(
  limiter: RateLimiterMemory,
  key: string,
  points: number,
  subject: string,
  own = 0,
): Promise<number> {
  const used = await limiter.get(key);
  if (used !== null && !hasShare(own, used.consumedPoints, limiter.points))
    throw rateLimited(used, `${subject} more bytes than ${limiter.points * BYTES_PER_POINT} in this time`);
  await limiter.penalty(key, points);
  return used?.consumedPoints ?? 0;
}

function rateLimited({ msBeforeNext }: RateLimiterRes, problem: string): DomainError {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return new DomainError('rate_limited', 'request.rate_limited', `${problem}. Try again in ${seconds} s.`, [], seconds);
}

/** Returns the /64 network of an IPv6 address: a subscriber has 2^64 addresses, which count as one. */
function network(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = tail === undefined ? [] : tail.split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length;
  return [...groups, ...Array<string>(zeros).fill('0'), ...rest].slice(0, 4).join(':');
}
