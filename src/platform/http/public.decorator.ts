import { SetMetadata } from '@nestjs/common';

export const PUBLIC_ROUTE = 'guildbook:public';

/** A route that needs no credential. Every other route is refused without one. */
export const Public = () => SetMetadata(PUBLIC_ROUTE, true);
