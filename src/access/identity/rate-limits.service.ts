import { isIPv6 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import type { Caller } from './caller.js';

/** Limits the number of requests. Each process counts for itself, in memory. */
@Injectable()
export class RateLimits {
  private readonly principals: RateLimiterMemory;
  private readonly owners: RateLimiterMemory;
  private readonly rejections: RateLimiterMemory;
  private readonly anonymous: RateLimiterMemory;

  constructor(@Inject(CONFIG) config: Config) {
    const limiter = (points: number) => new RateLimiterMemory({ points, duration: config.rateLimitSeconds });
    this.principals = limiter(config.rateLimitPrincipal);
    this.owners = limiter(config.rateLimitPrincipal * config.rateLimitOwnerFactor);
    this.rejections = limiter(config.rateLimitRefused);
    this.anonymous = limiter(config.rateLimitPublic);
  }

  /** Throws `rate_limited` if the caller, or all agents and services of its owner together, exceed their limit. */
  async admit({ id, kind, owner }: Pick<Caller, 'id' | 'kind' | 'owner'>): Promise<void> {
    await take(this.principals, id, 'You send requests');
    if (kind !== 'person' && owner !== null)
      await take(this.owners, owner, `The agents of the owner "${owner}" send requests`);
  }

  /** Throws `rate_limited` if an address exceeds the limit for requests without a credential. */
  async admitAnonymous(address: string): Promise<void> {
    await take(this.anonymous, network(address), 'Your address sends requests');
  }

  /**
   * Runs `attempt`. Counts rejected credentials for the address; beyond the limit the error is `rate_limited`. Valid
   * credentials from the same address are not affected.
   */
  async limitRejections<T>(address: string, attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated')
        await take(this.rejections, network(address), 'Your address sends invalid credentials');
      throw error;
    }
  }
}

async function take(limiter: RateLimiterMemory, key: string, subject: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1_000));
    throw new DomainError(
      'rate_limited',
      'request.rate_limited',
      `${subject} too often. Try again in ${seconds} s.`,
      [],
      seconds,
    );
  }
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
