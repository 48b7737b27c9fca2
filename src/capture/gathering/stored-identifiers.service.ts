import { Injectable } from '@nestjs/common';
import { canonicalJson } from '../../platform/base/canonical-json.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import type { FragmentIdentifiers } from '../importers/fragment-format.js';

/** The identifiers of fragments that are stored until their execution is assembled: keyed hashes and references. */
@Injectable()
export class StoredIdentifiers implements FragmentIdentifiers {
  constructor(private readonly references: IdentifierReferences) {}

  // Bound, because the readers take the functions apart.
  readonly keyOf = (...identifiers: readonly string[]): string => this.references.keyOf(canonicalJson(identifiers));
  readonly sessionOf = (session: string): string => this.references.of(session);
}
