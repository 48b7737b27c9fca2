import { readApplicability } from '../../evolve/claims/applicability.js';
import type { ApprovedSkill } from './approved-skill.js';

/**
 * What a skill is about: its families of failures, and its action with its error. Two skills without a common key are
 * about different failures, so they are never compared.
 */
export function situationKeys({ fingerprints, applicability }: Pick<ApprovedSkill, 'fingerprints' | 'applicability'>) {
  const { text, parts } = readApplicability(applicability);
  const where = parts ? JSON.stringify([parts.tool, parts.action, parts.error]) : text;
  return [...new Set([...fingerprints, `applicability: ${where}`])];
}
