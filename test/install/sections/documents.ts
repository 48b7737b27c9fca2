import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../../src/platform/config/config.js';
import { benchServerUrl } from '../../../src/platform/config/environment.js';
import { createPlainDatabase } from '../../support/server-database.js';
import { type Checks, secondsSince } from '../checks.js';
import { installedProgram } from '../installed-program.js';
import { problemsOf, type Step, stepsOf } from '../page.js';
import { expectFreePort, missing, pageHome } from '../page-machine.js';
import { PageSession } from '../page-session.js';

/** The pages for a task of an operator. */
const PAGES = ['try', 'deploy', 'connect-your-first-agent', 'back-up-and-restore', 'upgrade', 'troubleshoot'] as const;
/** Those that need seconds. */
const QUICK: readonly string[] = ['try', 'connect-your-first-agent'];

export const isQuick = true;

/** Runs every command of the pages, each page in an empty home with the installed program. */
export async function run(checks: Checks): Promise<void> {
  for (const name of PAGES) {
    const page = `docs/${name}.md`;
    const markdown = await checks.check(`every command of ${page} can be run as it stands`, () => readPage(page));
    if (markdown === undefined || (checks.quick && !QUICK.includes(name))) continue;
    const began = performance.now();
    await runPage(checks, page, stepsOf(markdown));
    checks.figure(`${name}Seconds`, secondsSince(began));
  }
}

function readPage(page: string): string {
  const markdown = readFileSync(join(PROJECT_ROOT, page), 'utf8');
  const problems = problemsOf(markdown);
  if (problems.length > 0) throw new Error(problems.map((problem) => `${page}, ${problem}`).join('\n'));
  if (stepsOf(markdown).length === 0) throw new Error(`${page} has no command`);
  return markdown;
}

async function runPage(checks: Checks, page: string, steps: readonly Step[]): Promise<void> {
  const server = steps.some(({ needs }) => needs.includes('postgresql')) ? benchServerUrl() : undefined;
  const database = server === undefined ? undefined : await createPlainDatabase(server);
  try {
    await expectFreePort();
    const session = await PageSession.open(await pageHome(await installedProgram(), database?.url));
    try {
      await runSteps(checks, page, steps, session);
    } finally {
      await session.close();
    }
  } finally {
    await database?.drop();
  }
}

/** A block after a failed one would fail for its reason, or run without what the failed one prepares. */
async function runSteps(checks: Checks, page: string, steps: readonly Step[], session: PageSession): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const what = `${page}:${step.line} ${firstLine(step)}`;
    const reasons = step.needs.flatMap((need) => missing(need) ?? []);
    if (reasons.length > 0) {
      checks.skip(what, reasons.join('; '));
      continue;
    }
    const done = await checks.check(what, async () => {
      await session.run(step);
      return true;
    });
    if (done === true) continue;
    for (const later of steps.slice(index + 1))
      checks.skip(`${page}:${later.line} ${firstLine(later)}`, `the block in line ${step.line} failed`);
    return;
  }
}

function firstLine({ text }: Step): string {
  const [line = ''] = text.split('\n').filter((candidate) => !/^\s*(#|$)/.test(candidate));
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
}
