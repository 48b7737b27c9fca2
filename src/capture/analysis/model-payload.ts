import { mapStrings } from '../../untrusted/text/map-strings.js';
import { withoutPrivateValues } from '../../untrusted/text/private-values.js';
import type { AnalysisPayload } from './payload.schema.js';

/**
 * The payload as it may leave the machine, for a model: also without hosts that have no domain. A lesson by rules keeps
 * them, because it stays with its agent.
 */
export function modelPayload(payload: AnalysisPayload): AnalysisPayload {
  return mapStrings(payload, withoutHosts);
}

const withoutHosts = (text: string): string =>
  withoutPrivateValues(text)
    .replace(/\[(host|email|url)\]/g, '<$1>')
    .replaceAll('[path]', '<folder>');
