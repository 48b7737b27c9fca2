import { SetMetadata } from '@nestjs/common';

export const PUBLIC_ROUTE = 'guildbook:public';

/**
 * What limits the requests to a route without a credential, by their address.
 * - `anonymous`: the guard counts each request.
 * - `refusals`: the route counts requests with a refused credential, so that no flood keeps people from signing in.
 * - `optional`: the route counts requests without a credential as `anonymous`, others as those of their caller.
 * - `none`: only for a health check from memory. A refusal would cost as much, and would end a healthy process.
 */
export type PublicLimit = 'anonymous' | 'refusals' | 'optional' | 'none';

/** Marks a route that needs no credential. Every other route requires one. */
export const Public = (limit: PublicLimit) => SetMetadata(PUBLIC_ROUTE, limit);
