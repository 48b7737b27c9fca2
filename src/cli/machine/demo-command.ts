import { join } from 'node:path';
import { type Command, Option } from 'commander';
import type { OutputOptions } from '../terminal/terminal.js';
import { type DemoOptions, runDemo } from './demo.js';

export function demoCommand(program: Command): void {
  program
    .command('demo')
    .description(
      'run the whole loop on a sample fleet with a temporary database: from transcripts to an approved SKILL.md',
    )
    .option('--from <folder>', 'use your own Claude Code transcripts instead of the sample fleet')
    .addOption(
      new Option('--agent-per <unit>', 'with --from: count each project or each file as one agent')
        .choices(['project', 'file'])
        .default('project'),
    )
    .option('--once', 'exit at the end instead of keeping the server running; with --json the last line is JSON', false)
    .action((options: DemoOptions, command: Command) =>
      runDemo(startServer, { ...options, ...command.optsWithGlobals<OutputOptions>() }),
    );
}

/** Starts a server on a free port with an embedded database and a skills repository in `folder`. */
async function startServer(folder: string, skills: string) {
  // Loaded on demand, as in `serve`: the server's modules take a second to load.
  const { startApplication } = await import('../../application.js');
  const { loadConfig } = await import('../../platform/config/config.js');
  const config = loadConfig({
    GUILDBOOK_PORT: '0',
    GUILDBOOK_DATA_DIR: join(folder, 'database'),
    GUILDBOOK_SKILLS_DIR: skills,
    // Only one invented reviewer decides here, so one vote must be enough for every risk.
    GUILDBOOK_APPROVAL_QUORUM_HIGH_RISK: '1',
  });
  const running = await startApplication(config, false);
  return { ...running, firstAdministratorToken: running.administrator.token };
}
