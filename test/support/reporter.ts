import type { Reporter } from '../../src/access/identity/reporter.js';

/** An agent that reports with its own credential, as `ReporterResolver` returns it. */
export const reporter = (id: string, name: string, owner: string | null = null): Reporter => ({
  kind: 'agent',
  id,
  name,
  source: { owner, reporterId: id, credentialId: id },
});
