import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import type { Caller } from '../identity/caller.js';
import { isSameOrigin, type RequestOrigin, serverOrigin } from './same-origin.js';

/** Rejects requests that pages of other sites make with a browser's cookies (CSRF). */
@Injectable()
export class CrossOriginProtection {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly journal: Journal,
  ) {}

  /**
   * Throws unless the request comes from a page of this server. Journals a rejected request that would have changed
   * something.
   */
  async rejectCrossOrigin(request: FastifyRequest, caller?: Caller): Promise<void> {
    const provenance = requestOriginOf(request);
    if (isSameOrigin(provenance, serverOrigin(this.config, request))) return;
    const { method, origin, site } = provenance;
    if (caller && method !== 'GET' && method !== 'HEAD')
      await this.database.transaction((tx) =>
        this.journal.append(tx, jobActor('sign-in'), {
          action: 'access.cross_origin_refused',
          subject: { type: 'principal', id: caller.id },
          data: {
            method,
            route: request.routeOptions.url ?? '',
            origin: origin?.slice(0, 200) ?? null,
            site: site?.slice(0, 20) ?? null,
          },
        }),
      );
    throw new DomainError('forbidden', 'access.cross_origin', 'This request does not come from a Guildbook page.');
  }
}

function requestOriginOf({ method, headers }: FastifyRequest): RequestOrigin {
  const text = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { method, site: text('sec-fetch-site'), mode: text('sec-fetch-mode'), origin: text('origin') };
}
