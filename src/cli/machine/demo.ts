import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { ProposalDetails, ProposalPage } from '../../approvals/proposals/proposals.schema.js';
import { cycleToEnd } from '../../client/cycle-to-end.js';
import { Guildbook } from '../../client/guildbook.js';
import type { Cycle } from '../../evolve/cycle/cycles.schema.js';
import { exitBySignal, type StopSignal, waitForSignal } from '../../platform/background/stop-on-signal.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { sumBy } from '../../platform/base/sum.js';
import { PROJECT_ROOT } from '../../platform/config/environment.js';
import { IS_CHECKOUT } from '../../platform/config/places.js';
import { printCycle } from '../commands/evolve.js';
import { importFiles } from '../commands/import.js';
import { type ImportSummary, printSummary } from '../commands/import-summary.js';
import { writeHookSettings } from '../connect/hook-settings.js';
import { runProgram } from '../connect/run-program.js';
import type { AgentPer } from '../server/transcripts.js';
import { transcriptFiles } from '../sources/transcript-files.js';
import { commandProcess } from '../terminal/command-process.js';
import { printProposal } from '../terminal/proposal-text.js';
import { formatCount, Progress, print, printError } from '../terminal/terminal.js';

const SAMPLE_FLEET = join(PROJECT_ROOT, 'examples', 'sample-fleet');
const REVIEWER = { name: 'Demo Reviewer', email: 'demo.reviewer@example.org' };
const WAIT_MS = 200;

/** The server that the command starts for the demo. */
interface DemoServer {
  readonly url: string;
  readonly firstAdministratorToken: string | undefined;
  close(): Promise<void>;
}

export interface DemoOptions {
  from?: string;
  agentPer: AgentPer;
  once: boolean;
  json?: boolean;
}

interface DemoOutcome {
  summary: ImportSummary;
  lessons: number;
  queue: ProposalPage;
  commit: string | null;
  /** What another agent got at the failure of the approved lesson; null if it is not delivered. */
  delivered: string | null;
}

/**
 * Runs the loop of the product, from transcripts to a committed SKILL.md, on a temporary server and folder. Both are
 * removed at the end, also after a signal.
 */
export async function runDemo(
  startServer: (folder: string, skills: string) => Promise<DemoServer>,
  options: DemoOptions,
): Promise<void> {
  const signalled = waitForSignal();
  const folder = await mkdtemp(join(tmpdir(), 'guildbook-demo-'));
  const skills = join(folder, 'skills');
  const steps = new DemoSteps();
  const starting = steps.run('start', 'Starting a server with an embedded database in a temporary folder', () =>
    startServer(folder, skills),
  );
  let interrupted: StopSignal | undefined;
  try {
    interrupted = await Promise.race([runSteps(steps, starting, { folder, skills }, options), signalled]);
    // Ctrl-C is the expected end of a demo that keeps running, so it is not a failure.
    if (interrupted === undefined && !options.once) await signalled;
    if (interrupted !== undefined || !options.once) print('\nStopping.');
  } finally {
    const running = await starting.catch(() => undefined);
    await running?.close();
    await rm(folder, { recursive: true, force: true });
  }
  if (interrupted !== undefined) exitBySignal(interrupted);
}

/** Runs all steps. After them the server only keeps running. */
async function runSteps(
  steps: DemoSteps,
  starting: Promise<DemoServer>,
  { folder, skills }: { readonly folder: string; readonly skills: string },
  options: DemoOptions,
): Promise<undefined> {
  const running = await starting;
  print(`Listening on ${running.url}. All steps below use its HTTP API.`);
  const { reviewer, reviewerInvitation, importer } = await steps.run('people', 'Adding a reviewer', () =>
    addReviewer(running),
  );
  const outcome = await runLoop(steps, reviewer, { importer, server: running.url, folder }, options);
  if (options.json) printResult(steps, outcome);
  else if (options.once) printEnd(steps, outcome);
  else return printNextSteps(running.url, skills, reviewerInvitation);
  if (outcome.commit === null) commandProcess().exitCode = 1;
  return undefined;
}

/** The first administrator invites a reviewer, as in production, and also imports the transcripts. */
async function addReviewer({ url, firstAdministratorToken }: DemoServer) {
  if (!firstAdministratorToken) throw new Error('The demo needs an empty database.');
  const { token } = await new Guildbook({ server: url }).signIn(firstAdministratorToken);
  const administrator = new Guildbook({ server: url, token });
  const { principal, token: invitation } = await administrator.people.add({
    ...REVIEWER,
    reviewer: true,
    admin: false,
  });
  const signedIn = await new Guildbook({ server: url }).signIn(invitation);
  const userInvitation = await administrator.people.add({
    name: 'You',
    email: 'you@example.org',
    reviewer: true,
    admin: true,
  });
  print(`Registered ${principal.name} as a reviewer and signed in for an hour.`);
  return {
    importer: administrator,
    reviewer: new Guildbook({ server: url, token: signedIn.token }),
    reviewerInvitation: userInvitation.token,
  };
}

async function runLoop(
  steps: DemoSteps,
  reviewer: Guildbook,
  { importer, server, folder }: { readonly importer: Guildbook; readonly server: string; readonly folder: string },
  { from, agentPer }: DemoOptions,
): Promise<DemoOutcome> {
  const files = await transcriptFiles([from ?? SAMPLE_FLEET]);
  if (files.sources.length === 0) throw new Error(`No .jsonl transcript found in ${from}.`);
  const summary = await steps.run(
    'import',
    `Importing ${formatCount(files.sources.length, 'transcript')} from ${from ?? 'the sample fleet'}`,
    () => importFiles(importer, files, { agentPer }),
  );
  printSummary(summary);
  const lessons = await steps.run('lessons', 'Writing private lessons from failures and recoveries', () =>
    waitForLessons(reviewer),
  );
  await printLessons(reviewer, lessons);
  const cycle = await steps.run('cycle', 'Looking for problems that came back', () => cycleToEnd(importer, false));
  printCycle(cycle);
  const queue = await reviewer.proposals.list({ limit: 100 });
  const approved = await approveFirstProposal(steps, reviewer, queue, cycle, summary.agents.length);
  const delivered = approved
    ? await steps.run('delivery', 'Another agent makes the same mistake, and its hook asks the server', () =>
        showDelivery(importer, server, folder, approved.proposal),
      )
    : null;
  return { summary, lessons, queue, commit: approved?.commit ?? null, delivered };
}

/** Waits until capture and proposer have no work left. Returns the number of lessons. */
async function waitForLessons(client: Guildbook): Promise<number> {
  const progress = new Progress('lessons');
  for (;;) {
    const { executions, awaitingCapture, awaitingProposal } = await client.executions.status();
    const { total } = await client.lessons({ limit: 1 });
    if (awaitingCapture + awaitingProposal === 0) {
      progress.done(`${formatCount(total, 'lesson')} from ${formatCount(executions, 'execution')}`);
      return total;
    }
    progress.update(
      `${formatCount(total, 'lesson')}, ${formatCount(awaitingCapture + awaitingProposal, 'execution')} pending`,
    );
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
}

async function printLessons(client: Guildbook, total: number): Promise<void> {
  const { items } = await client.lessons({ limit: 2 });
  for (const { lesson, provenance } of items) print(`- ${lesson.discovery} (${provenance})`);
  if (total > items.length) print(`… and ${total - items.length} more. Each lesson is private to its agent.`);
}

async function approveFirstProposal(
  steps: DemoSteps,
  reviewer: Guildbook,
  queue: ProposalPage,
  cycle: Cycle,
  agents: number,
): Promise<{ proposal: ProposalDetails; commit: string | null } | null> {
  const best = queue.items[0];
  if (!best) {
    print(
      `\nNo proposals: no problem was met often enough and solved by a better action (${formatCount(cycle.report?.belowThreshold ?? 0, 'problem')} with too little evidence).`,
    );
    print(
      agents < 3
        ? `These transcripts count as ${formatCount(agents, 'agent')}, one for each project folder. To count each transcript as an agent: --agent-per file`
        : 'Try again with transcripts from more projects.',
    );
    return null;
  }
  print(`\n${formatCount(queue.total, 'proposal')} pending. The first one, as a reviewer sees it:\n`);
  const proposal = await reviewer.proposals.show(best.id);
  printProposal(proposal);
  return steps.run('approve', `${REVIEWER.name} approves exactly this file`, async () => {
    const approved = await reviewer.proposals.approve(proposal.id, proposal.artifactSha256);
    return { proposal, commit: await waitForCommit(reviewer, approved.skillName) };
  });
}

/** Waits for the publisher, then prints the git log of the skill. Returns the commit, or null after 30 seconds. */
async function waitForCommit(client: Guildbook, name: string): Promise<string | null> {
  for (let tries = 0; tries < 150; tries += 1) {
    const skill = await client.skills.show(name);
    if (skill.publication.commit) {
      print(`Committed ${name}/SKILL.md. Git log:`);
      for (const { commit, author, when, subject } of skill.history)
        print(`  ${commit.slice(0, 10)} ${when} ${author}: ${subject}`);
      return skill.publication.commit;
    }
    if (skill.publication.lastError) printError(`Publication failed: ${skill.publication.lastError}`);
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  return null;
}

/** What the demo showed, and how to begin. */
function printEnd(steps: DemoSteps, { summary, lessons, queue, commit, delivered }: DemoOutcome): void {
  const { total = 0 } = steps.seconds();
  const found = `${formatCount(summary.imported, 'execution')}, ${formatCount(lessons, 'private lesson')}, ${formatCount(queue.total, 'proposal')}`;
  const approved = commit === null ? '' : `, one approved skill${delivered === null ? '' : ' that another agent got'}`;
  print(`
== Done in ${Math.round(total)} seconds: ${found}${approved}
The demo removes all that it made. To begin with your own sessions:
  ${PROGRAM} serve                             # keeps what agents report; shows how to sign in
  ${PROGRAM} connect claude-code               # reports your next sessions
  ${PROGRAM} import ~/.claude/projects         # reads the sessions that you have`);
}

/** Prints the last line: a JSON object for scripts. */
function printResult(steps: DemoSteps, { summary, lessons, queue, commit, delivered }: DemoOutcome): void {
  print();
  commandProcess().stdout.write(
    `${JSON.stringify({
      seconds: steps.seconds(),
      executions: summary.imported,
      lessons,
      proposals: queue.items.map(({ action, title, evidence, confidence, skillName }) => ({
        skill: skillName,
        title,
        action: action.split('\n')[0],
        confidence,
        ...evidence,
      })),
      commit,
      delivered,
    })}\n`,
  );
}

const PROGRAM = IS_CHECKOUT ? 'npm run guildbook --' : 'guildbook';

function printNextSteps(url: string, skills: string, invitation: string): undefined {
  const demo = IS_CHECKOUT ? 'npm run demo --' : 'guildbook demo';
  print(`
The server keeps running at ${url}. Press Ctrl-C to stop it and remove its folder.

Open the console (the link works once):
  ${url}/sign-in?token=${invitation}&to=/

Or use the command line in another terminal:
  ${PROGRAM} login --server ${url} --token ${invitation}
  ${PROGRAM} proposals list
  ${PROGRAM} proposals show <proposal>
  ${PROGRAM} journal verify
  git -C ${skills} log

API documentation: ${url}/v1/docs
Run the demo with your own transcripts: ${demo} --from ~/.claude/projects`);
}

/** Runs the steps of the demo: prints a heading for each and measures its seconds. */
class DemoSteps {
  private readonly taken = new Map<string, number>();

  async run<T>(name: string, heading: string, work: () => Promise<T>): Promise<T> {
    print(`\n== ${heading}`);
    const began = performance.now();
    try {
      return await work();
    } finally {
      this.taken.set(name, Math.round((performance.now() - began) / 10) / 100);
    }
  }

  /** Seconds by step, with their sum as `total`. */
  seconds(): Record<string, number> {
    const total = sumBy([...this.taken.values()], (seconds) => seconds);
    return { ...Object.fromEntries(this.taken), total: Math.round(total * 100) / 100 };
  }
}

const CLIENT = join(PROJECT_ROOT, 'plugins', 'guildbook-hook');
const PRODUCT = 'claude-code';
const EVENT = 'PostToolUseFailure';
/** A decision has an effect on answers within a second. */
const TRIES = 5;
const DELIVERY_WAIT_MS = 500;

const Answer = z.object({ hookSpecificOutput: z.object({ additionalContext: z.string() }) });

/**
 * Lets another agent make the mistake of an approved lesson, through the client that `guildbook connect` installs, and
 * prints what its model gets together with the failure. Returns the text; null if the lesson is not delivered.
 */
async function showDelivery(
  administrator: Guildbook,
  server: string,
  folder: string,
  { proposedSkill, evidence }: ProposalDetails,
): Promise<string | null> {
  const { example, binding } = proposedSkill;
  if (!example) return explain('This lesson shows no call, so no failure can be repeated here.');
  if (binding?.harness !== undefined && binding.harness !== PRODUCT)
    return explain(`This lesson was seen only in ${binding.harness}, so it is not delivered elsewhere.`);
  // Of the same owner: what one owner's agents taught goes to no other owner's yet.
  const owner = evidence.seenBy[0]?.owner ?? 'Demo';
  const { token } = await administrator.agents.add({ name: 'a new agent', owner });
  const config = join(folder, 'agent');
  const folders = { home: folder, config, data: config, cache: config, environment: {} };
  await writeHookSettings(folders, PRODUCT, { server, token, node: '', program: '', gate: false });
  const shell = example.failed.tool === 'shell';
  const error = (await reportedError(administrator, evidence.executionIds ?? [], example.failed.call)) ?? example.error;
  const failure = {
    hook_event_name: EVENT,
    cwd: `/${binding?.project ?? 'demo'}`,
    tool_name: shell ? 'Bash' : example.failed.tool,
    tool_use_id: 'call-1',
    tool_input: shell ? { command: example.failed.call } : parseJson(example.failed.call),
    error: `Exit code 1\n${error}`,
  };
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const { stdout } = await runProgram('/bin/sh', [CLIENT, PRODUCT, EVENT], {
      cwd: folder,
      environment: { ...commandProcess().env, XDG_CONFIG_HOME: config },
      input: JSON.stringify({ ...failure, session_id: `demo-${attempt}` }),
    });
    const answer = Answer.safeParse(parseJson(stdout));
    if (answer.success) {
      const text = answer.data.hookSpecificOutput.additionalContext;
      print(`Another agent runs: ${example.failed.call}\nIt fails: ${example.error}`);
      print(
        `Its hook sends the failure and gets, before the model reads the result:\n\n${text.replaceAll(/^/gm, '  ')}`,
      );
      return text;
    }
    await new Promise((resolve) => setTimeout(resolve, DELIVERY_WAIT_MS));
  }
  return explain('The hook got no answer; it needs /bin/sh and curl.');
}

/** The whole redacted error of such a call in the first execution that has one. */
async function reportedError(client: Guildbook, executions: readonly string[], action: string) {
  for (const id of executions) {
    const { report } = await client.executions.show(id);
    const failed = report.toolCalls.find((call) => !call.ok && call.action === action && call.errorMessage);
    if (failed) return failed.errorMessage;
  }
  return undefined;
}

function explain(reason: string): null {
  print(reason);
  return null;
}
