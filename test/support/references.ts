import type { INestApplicationContext } from '@nestjs/common';
import { IdentifierReferences } from '../../src/platform/database/identifier-references.service.js';

/** The reference under which this server stores an identifier. */
export const referenceOf = (
  { app }: { readonly app: Pick<INestApplicationContext, 'get'> },
  identifier: string,
): string => app.get(IdentifierReferences).of(identifier);
