import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApprovalPage } from '../../approvals/proposals/approvals.schema.js';
import { Guildbook } from '../../client/guildbook.js';
import type { Cycle } from '../../evolve/cycle/cycles.schema.js';
import { endBy, firstSignal, type StopSignal } from '../../platform/background/stop-on-signal.js';
import { PROJECT_ROOT } from '../../platform/config/environment.js';
import { printCycle } from '../commands/evolve.js';
import { type ImportSummary, importFiles, printSummary } from '../commands/import.js';
import { type AgentPer, transcriptFiles } from '../server/transcripts.js';
import { printApproval } from '../terminal/approval-text.js';
import { Progress, print, printError } from '../terminal/terminal.js';
import { Stages } from './stages.js';

const SAMPLE_FLEET = join(PROJECT_ROOT, 'examples', 'sample-fleet');
const REVIEWER = { name: 'Demo Reviewer', email: 'demo.reviewer@example.org' };
const WAIT_MS = 200;

/** The server that the demo talks to, as the command starts it. */
export interface DemoServer {
  readonly url: string;
  readonly firstAdministratorToken: string | undefined;
  close(): Promise<void>;
}

export interface DemoOptions {
  from?: string;
  agentPer: AgentPer;
  once: boolean;
}

interface Outcome {
  summary: ImportSummary;
  lessons: number;
  queue: ApprovalPage;
  commit: string | null;
}

/**
 * The loop of the product, from transcripts to a committed SKILL.md, on a server and folder that are gone afterwards:
 * after a signal in the middle of it, too.
 */
export async function runDemo(
  startServer: (folder: string, skills: string) => Promise<DemoServer>,
  options: DemoOptions,
): Promise<void> {
  const signalled = firstSignal();
  const folder = await mkdtemp(join(tmpdir(), 'guildbook-demo-'));
  const skills = join(folder, 'skills');
  const stages = new Stages();
  const starting = stages.run('start', 'Starting a server on an embedded database in a temporary folder', () =>
    startServer(folder, skills),
  );
  let interrupted: StopSignal | undefined;
  try {
    interrupted = await Promise.race([show(stages, starting, skills, options), signalled]);
    // The end of staying up is what the person was asked for, and no failure.
    if (interrupted === undefined && !options.once) await signalled;
    if (interrupted !== undefined || !options.once) print('\nStopping.');
  } finally {
    const running = await starting.catch(() => undefined);
    await running?.close();
    await rm(folder, { recursive: true, force: true });
  }
  if (interrupted !== undefined) endBy(interrupted);
}

/** What the demo has to show, until the server only stays up. */
async function show(
  stages: Stages,
  starting: Promise<DemoServer>,
  skills: string,
  options: DemoOptions,
): Promise<undefined> {
  const running = await starting;
  print(`Listening on ${running.url}. Everything below goes through its HTTP API.`);
  const { reviewer, reviewerInvitation, importer } = await stages.run('people', 'Adding a reviewer', () =>
    signIn(running),
  );
  const outcome = await loop(stages, reviewer, importer, options);
  if (!options.once) return sayThatItStays(running.url, skills, reviewerInvitation);
  printResult(stages, outcome);
  if (outcome.commit === null) process.exitCode = 1;
  return undefined;
}

/** The first administrator invites a reviewer, as in real life; who administers here also imports. */
async function signIn({ url, firstAdministratorToken }: DemoServer) {
  if (!firstAdministratorToken) throw new Error('the demo needs a fresh database');
  const { token } = await new Guildbook({ server: url }).signIn(firstAdministratorToken);
  const administrator = new Guildbook({ server: url, token });
  const { principal, token: invitation } = await administrator.people.add({
    ...REVIEWER,
    reviewer: true,
    admin: false,
  });
  const signedIn = await new Guildbook({ server: url }).signIn(invitation);
  const again = await administrator.people.add({
    name: 'You',
    email: 'you@example.org',
    reviewer: true,
    admin: true,
  });
  print(`${principal.name} is registered as a reviewer, and signed in for an hour.`);
  return {
    importer: administrator,
    reviewer: new Guildbook({ server: url, token: signedIn.token }),
    reviewerInvitation: again.token,
  };
}

async function loop(
  stages: Stages,
  reviewer: Guildbook,
  importer: Guildbook,
  { from, agentPer }: DemoOptions,
): Promise<Outcome> {
  const files = await transcriptFiles([from ?? SAMPLE_FLEET]);
  if (files.length === 0) throw new Error(`There is no .jsonl transcript below ${from}.`);
  const summary = await stages.run(
    'import',
    `Importing ${files.length} transcripts of ${from ?? 'the sample fleet'}`,
    () => importFiles(importer, files, { agentPer }),
  );
  printSummary(summary);
  const lessons = await stages.run('lessons', 'Turning what failed or recovered into private lessons', () =>
    learned(reviewer),
  );
  await printLessons(reviewer, lessons);
  const cycle = await stages.run('cycle', 'Looking for patterns across the agents', () => importer.evolver.run(false));
  printCycle(cycle);
  const queue = await reviewer.approvals.list({ limit: 100 });
  const commit = await decide(stages, reviewer, queue, cycle, summary.agents.length);
  return { summary, lessons, queue, commit };
}

/** Waits until capture and proposer have nothing left to do. */
async function learned(client: Guildbook): Promise<number> {
  const progress = new Progress('lessons');
  for (;;) {
    const { executions, awaitingCapture, awaitingProposal } = await client.executions.status();
    const { total } = await client.lessons({ limit: 1 });
    if (awaitingCapture + awaitingProposal === 0) {
      progress.done(`${total} lessons from ${executions} executions`);
      return total;
    }
    progress.update(`${total}, ${awaitingCapture + awaitingProposal} executions to look at`);
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
}

async function printLessons(client: Guildbook, total: number): Promise<void> {
  const { items } = await client.lessons({ limit: 2 });
  for (const { lesson, provenance } of items) print(`- ${lesson.discovery} (${provenance})`);
  if (total > items.length) print(`… and ${total - items.length} more, each private to its agent`);
}

async function decide(
  stages: Stages,
  reviewer: Guildbook,
  queue: ApprovalPage,
  cycle: Cycle,
  agents: number,
): Promise<string | null> {
  const best = queue.items[0];
  if (!best) {
    print(
      `\nThe queue is empty: no pattern was seen by 3 agents and overcome by a better action (${cycle.report?.belowThreshold ?? 0} were seen by too few).`,
    );
    print(
      agents < 3
        ? `All transcripts together count as ${agents} agent(s), one for each project folder. To count every transcript as an agent: --agent-per file`
        : 'Transcripts of more projects help.',
    );
    return null;
  }
  print(`\n${queue.total} proposals wait for a person. The first one, as a reviewer sees it:\n`);
  const item = await reviewer.approvals.show(best.id);
  printApproval(item);
  return stages.run('approve', `${REVIEWER.name} approves exactly these bytes`, async () => {
    const approved = await reviewer.approvals.approve(item.id, item.artifactSha256);
    return committed(reviewer, approved.skillName);
  });
}

/** Waits for the publisher, then shows what stands in git. */
async function committed(client: Guildbook, name: string): Promise<string | null> {
  for (let tries = 0; tries < 150; tries += 1) {
    const skill = await client.skills.show(name);
    if (skill.publication.commit) {
      print(`${name}/SKILL.md is committed. git log:`);
      for (const { commit, author, when, subject } of skill.history)
        print(`  ${commit.slice(0, 10)} ${when} ${author}: ${subject}`);
      return skill.publication.commit;
    }
    if (skill.publication.lastError) printError(`publication: ${skill.publication.lastError}`);
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  return null;
}

/** The last line: one JSON object for scripts. */
function printResult(stages: Stages, { summary, lessons, queue, commit }: Outcome): void {
  print();
  process.stdout.write(
    `${JSON.stringify({
      seconds: stages.seconds(),
      executions: summary.taken,
      lessons,
      proposals: queue.items.map(({ action, title, evidence, confidence, skillName }) => ({
        skill: skillName,
        title,
        action: action.split('\n')[0],
        confidence,
        ...evidence,
      })),
      commit,
    })}\n`,
  );
}

function sayThatItStays(url: string, skills: string, invitation: string): undefined {
  print(`
The server stays up at ${url} until you press Ctrl-C (then its folder is removed). In another terminal, try:

  in a browser: ${url}/sign-in?token=${invitation}&to=/   (good once), or
  npm run guildbook -- login --server ${url} --token ${invitation}
  npm run guildbook -- approvals list
  npm run guildbook -- approvals show <id>
  npm run guildbook -- journal verify
  git -C ${skills} log

The API with a page to browse it: ${url}/v1/docs
The same with your own transcripts: npm run demo -- --from ~/.claude/projects`);
}
