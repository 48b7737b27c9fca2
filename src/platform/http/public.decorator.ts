import { SetMetadata } from '@nestjs/common';

export const PUBLIC_ROUTE = 'guildbook:public';

/** Marks a route that needs no credential. Every other route requires one. */
export const Public = () => SetMetadata(PUBLIC_ROUTE, true);
