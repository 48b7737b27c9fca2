import { HOOK_PRODUCTS } from '../../capture/hook-events/products.js';
import { formatOfExecution, holdsSubAgents } from '../../capture/report/session-twin.js';
import type { Guildbook } from '../../client/guildbook.js';
import { ALREADY_REPORTED, OutgoingReports, OutgoingUses, type ReportOutcome } from '../server/outgoing-reports.js';
import type { ConnectionOptions } from '../server/session.js';
import { readSession } from '../server/session-file.js';
import { sessionReporter } from '../server/session-settings.js';
import type { DerivedFile } from '../server/transcripts.js';
import { CliError, EXIT, invalidArgument } from '../terminal/cli-error.js';
import { formatCount, print, printJson } from '../terminal/terminal.js';

/** Nine tries of a request, with waits that double from 0.6 seconds: about two and a half minutes. */
const TRIES = 9;

interface SessionImport {
  product: string;
  /** Executions that the server has now and had not before: the session, and those of its sub-agents. */
  new: number;
  /** Executions that it had, from an earlier import or from the hooks of the session. */
  known: number;
  skillUses: number;
}

interface SessionOptions {
  readonly product?: string;
  readonly agent?: string;
  readonly dryRun?: boolean;
  readonly format?: string | undefined;
}

/**
 * Reports the session in one file, as its product's hooks start it at the end of a session: with the token that the
 * product was connected with, quietly, and with patience for a server that does not respond.
 */
export async function importSession(
  connection: ConnectionOptions,
  path: string,
  others: readonly string[],
  options: SessionOptions,
): Promise<void> {
  if (others.length > 0) throw invalidArgument('--session takes one file, and no other paths.');
  if (options.dryRun === true || (options.format ?? 'auto') !== 'auto')
    throw invalidArgument('--session goes with --product and --agent only.');
  const session = await readSession(path, options.product);
  const product = productOf(options.product ?? session.main.format, path);
  const reporter = await sessionReporter(product, connection);
  const nameOf = (agent: string): string => options.agent ?? (reporter.isAgent ? '' : agent);
  const summary: SessionImport = { product, new: 0, known: 0, skillUses: 0 };
  const twins = await send(reporter.client, session.main, nameOf, summary);
  // The hooks of a session report the calls of its sub-agents as well.
  if (![...twins.values()].some((id) => holdsSubAgents(formatOfExecution(id))))
    for (const subAgent of await session.readSubAgents())
      await send(reporter.client, withParents(subAgent, twins), nameOf, summary);
  if (connection.json) return printJson(summary);
  if (connection.quiet !== true) print(described(summary));
}

function productOf(format: string | undefined, path: string): string {
  if (HOOK_PRODUCTS.some((product) => product === format)) return String(format);
  throw new CliError(
    EXIT.usage,
    'import.no_session',
    `${path} is no session of ${HOOK_PRODUCTS.join(', ')}.`,
    'Import it with: guildbook import <path>',
  );
}

/** Names the execution that the server has of a session as the parent of its sub-agents. */
function withParents(derived: DerivedFile, twins: ReadonlyMap<string, string>): DerivedFile {
  const reports = derived.reports.map(({ agent, report }) => {
    const parent = twins.get(report.parentExecutionId ?? '');
    return { agent, report: parent === undefined ? report : { ...report, parentExecutionId: parent } };
  });
  return { ...derived, reports };
}

/**
 * Sends the reports of a file. Returns, by the id of a report, the execution that the server has of its session from
 * another record.
 */
async function send(
  client: Guildbook,
  derived: DerivedFile,
  nameOf: (agent: string) => string,
  summary: SessionImport,
): Promise<Map<string, string>> {
  const twins = new Map<string, string>();
  const outgoing = new OutgoingReports(
    client,
    ({ report }, outcome) => {
      count(summary, outcome);
      if (typeof outcome !== 'string' && 'twinOf' in outcome) twins.set(report.executionId, outcome.executionId);
    },
    () => undefined,
    TRIES,
  );
  for (const { agent, report } of derived.reports) await outgoing.add({ agent: nameOf(agent), report });
  const uses = new OutgoingUses(client, {
    isOwn: ({ use }) => !twins.has(use.executionId),
    flush: () => outgoing.flush(),
    onWait: () => undefined,
  });
  await uses.add(derived.uses.map((use) => ({ ...use, agent: nameOf(use.agent) })));
  const sent = await uses.send();
  summary.skillUses += sent.new;
  return twins;
}

function count(summary: SessionImport, outcome: ReportOutcome): void {
  if (outcome === 'new') summary.new += 1;
  else if (typeof outcome === 'string' || 'twinOf' in outcome || outcome.refused === ALREADY_REPORTED)
    summary.known += 1;
  else throw new CliError(EXIT.failed, 'import.refused', `The server refused the session: ${outcome.refused}.`);
}

function described({ product, new: added, known, skillUses }: SessionImport): string {
  if (added + known === 0) return `The session of ${product} holds nothing to report.`;
  const uses = skillUses === 0 ? '' : ` Reported ${formatCount(skillUses, 'skill use')}.`;
  return `Reported ${formatCount(added, 'new execution')} of ${product}; ${known} known already.${uses}`;
}
