import { IdentifierReferences } from '../../src/platform/database/identifier-references.service.js';
import type { TestApplication } from './application.js';

/** The reference under which this server stores an identifier. */
export const referenceOf = ({ app }: Pick<TestApplication, 'app'>, identifier: string): string =>
  app.get(IdentifierReferences).of(identifier);
