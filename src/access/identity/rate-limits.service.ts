import { isIPv6 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import type { Caller } from './caller.js';

/** How many requests are answered: counted in memory, by each process for itself. */
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

  /** Throws `rate_limited` when the caller, or all agents and services of its owner together, ask too often. */
  async admit({ id, kind, owner }: Pick<Caller, 'id' | 'kind' | 'owner'>): Promise<void> {
    await take(this.principals, id, 'You ask');
    if (kind !== 'person' && owner !== null) await take(this.owners, owner, `The agents of the owner "${owner}" ask`);
  }

  /** Throws `rate_limited` when an address asks too often for what needs no credential. */
  async admitAnonymous(address: string): Promise<void> {
    await take(this.anonymous, network(address), 'Your address asks');
  }

  /**
   * What `attempt` gives. Its refusals of a credential count for the address, and beyond the limit they are
   * `rate_limited`; whoever has a credential is not held up by others at the same address.
   */
  async limitRejections<T>(address: string, attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated')
        await take(this.rejections, network(address), 'Your address sends credentials that are not accepted');
      throw error;
    }
  }
}

async function take(limiter: RateLimiterMemory, key: string, who: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1_000));
    throw new DomainError(
      'rate_limited',
      'request.rate_limited',
      `${who} too often. Try again in ${seconds} s.`,
      [],
      seconds,
    );
  }
}

/** An IPv6 subscriber has 2^64 addresses, which count as one. */
function network(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = tail === undefined ? [] : tail.split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length;
  return [...groups, ...Array<string>(zeros).fill('0'), ...rest].slice(0, 4).join(':');
}
