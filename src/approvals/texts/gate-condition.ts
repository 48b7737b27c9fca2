import { callGateOf } from '../../evidence/predicate/call-gate.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { DomainError } from '../../platform/base/domain.errors.js';

/** Throws `invalid` if the predicate does not say which calls a gate refuses. */
export function requireGateCondition(predicate: Predicate | undefined): void {
  if (predicate && callGateOf(predicate)) return;
  throw new DomainError(
    'invalid',
    'proposal.gate_without_condition',
    'gate: the predicate says nothing about a call before it runs, such as its tool or a word in it, so that no call can be refused.',
  );
}
