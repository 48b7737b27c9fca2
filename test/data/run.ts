import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printFormats } from '../../src/cli/commands/import-summary.js';
import type { AgentPer } from '../../src/cli/server/transcripts.js';
import { table } from '../../src/cli/terminal/terminal.js';
import { hasLeaks } from './leaks.js';
import { type ImportMeasurement, measure } from './measure.js';
import { transcriptsOf } from './trajectories.js';

const { values } = parseArgs({
  options: { data: { type: 'string' }, 'agent-per': { type: 'string', default: 'file' } },
});
const data = values.data ?? '';
const agentPer: AgentPer = values['agent-per'] === 'project' ? 'project' : 'file';

interface DataSet {
  readonly name: string;
  readonly description: string;
  run(): Promise<ImportMeasurement>;
}

/** Measures parsed sessions, written to one temporary folder per agent. */
async function measureTrajectories(file: string): Promise<ImportMeasurement> {
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-trajectories-'));
  try {
    for (const { agent, session, text } of transcriptsOf(readFileSync(file, 'utf8'))) {
      mkdirSync(join(folder, agent), { recursive: true });
      writeFileSync(join(folder, agent, `${session}.jsonl`), text);
    }
    return await measure([folder], 'project');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The set whose counts stand first in the last line. */
const EVERYTHING = 'everything';
const at = (...path: string[]): string => join(data, ...path);
const SETS: readonly (DataSet & { file: string })[] = [
  {
    name: 'raw',
    description: 'Claude Code transcripts as they were published',
    file: at('claude-code-swe', 'raw'),
    run: () => measure([at('claude-code-swe', 'raw')], agentPer),
  },
  {
    name: 'trajectories',
    description: 'parsed sessions, one agent per repository',
    file: at('claude-code-swe', 'trajectories.jsonl'),
    run: () => measureTrajectories(at('claude-code-swe', 'trajectories.jsonl')),
  },
  {
    name: 'formats',
    description: 'published transcripts in every imported format',
    file: at('transcripts'),
    run: () => measure([at('transcripts')], 'file', true),
  },
  {
    name: 'edge cases',
    description: 'a transcript with lines that are not records',
    file: at('transcripts', 'claude-code', 'public-claude-code-log', 'edge_cases.jsonl'),
    run: () => measure([at('transcripts', 'claude-code', 'public-claude-code-log', 'edge_cases.jsonl')], 'file'),
  },
  {
    name: EVERYTHING,
    description: 'the whole folder, with what is no transcript, as one command imports it',
    file: data,
    run: () => measure([data], 'project', true),
  },
];

const problems: string[] = [];
const results: Record<string, ImportMeasurement> = {};
for (const set of SETS) {
  if (!existsSync(set.file)) {
    problems.push(`${set.name}: ${set.file} does not exist`);
    continue;
  }
  console.error(`\n== ${set.name}: ${set.description}`);
  const measured = await set.run();
  results[set.name] = measured;
  printProposals(measured);
  printFormats(measured.summary.formats);
  problems.push(...problemsOf(measured).map((problem) => `${set.name}: ${problem}`));
}
printTable();
for (const problem of problems) console.log(`PROBLEM ${problem}`);
const { files, taken, refused, formats } = results[EVERYTHING]?.summary ?? {};
console.log(
  JSON.stringify({
    files,
    taken,
    refused,
    formats,
    agentPer,
    problems,
    sets: Object.fromEntries(Object.entries(results).map(figures)),
  }),
);
process.exitCode = problems.length === 0 ? 0 : 1;

function problemsOf({ summary, addedAgain, proposals, leaks }: ImportMeasurement): string[] {
  const withoutEvidence = proposals.filter(({ evidence }) => !evidence.alternatives.some(({ worked }) => worked > 0));
  return [
    ...(summary.imported === 0 ? ['no report was accepted'] : []),
    ...(addedAgain > 0 ? [`a second import added ${addedAgain} ${addedAgain === 1 ? 'execution' : 'executions'}`] : []),
    ...withoutEvidence.map(({ title }) => `"${title}" is proposed without an action that worked`),
    ...(hasLeaks(leaks.proposals) ? [`a proposal contains leaks: ${JSON.stringify(leaks.proposals)}`] : []),
    ...(hasLeaks(leaks.executions) ? [`a stored execution contains leaks: ${JSON.stringify(leaks.executions)}`] : []),
  ];
}

function printProposals({ proposals, cycle }: ImportMeasurement): void {
  const rows = proposals.map(({ title, evidence, confidence }) => {
    const best = evidence.alternatives.reduce((most, one) => (one.worked > most.worked ? one : most), {
      worked: 0,
      n: 0,
    });
    const { agents, executions, failures } = evidence;
    return [title, agents, executions, failures, `${best.worked} of ${best.n}`, confidence.toFixed(2)];
  });
  const head = ['proposal', 'agents', 'executions', 'failures', 'worked', 'confidence'];
  console.log(rows.length === 0 ? 'no proposals' : table(head, rows));
  const unsolved = (cycle?.unsolved ?? []).map((u) => [u.action, u.errorClass, u.agents, u.failures]);
  if (unsolved.length > 0) console.log(`\n${table(['unsolved', 'error', 'agents', 'failures'], unsolved)}`);
}

function printTable(): void {
  const head = [
    'set',
    'files',
    'agents',
    'imported',
    'bad',
    'lessons',
    'patterns',
    'proposals',
    'import s',
    'cycle s',
    'MB',
  ];
  const rows = Object.entries(results).map(([name, { summary, lessons, cycle, proposals, seconds, megabytes }]) => [
    name,
    summary.files,
    summary.agents.length,
    summary.imported,
    summary.badLines,
    lessons,
    cycle?.patterns ?? 0,
    proposals.length,
    seconds.import,
    seconds.cycle,
    `${megabytes.idle ?? '?'} idle, ${megabytes.afterImport ?? '?'} after import, ${megabytes.peak ?? '?'} peak`,
  ]);
  console.log(`\n${table(head, rows)}`);
}

function figures([name, { summary, cycle, proposals, ...rest }]: [string, ImportMeasurement]): [string, unknown] {
  const { agents, ...imported } = summary;
  const {
    proposals: found,
    unsolved,
    window: _window,
    ...funnel
  } = cycle ?? { proposals: [], unsolved: [], window: {} };
  const shown = proposals.map(({ title, action, confidence, evidence }) => ({
    title,
    action,
    confidence,
    agents: evidence.agents,
    executions: evidence.executions,
    failures: evidence.failures,
    alternatives: evidence.alternatives.map(({ action, worked, n }) => ({ action, worked, n })),
  }));
  return [
    name,
    { ...imported, agents: agents.length, ...rest, funnel, emitted: found.length, unsolved, proposals: shown },
  ];
}
