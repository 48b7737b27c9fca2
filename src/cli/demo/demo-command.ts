import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { type DemoOptions, runDemo } from './run.js';

export function demoCommand(program: Command): void {
  program
    .command('demo')
    .description('the whole loop on a sample fleet, on a temporary database: transcripts in, an approved SKILL.md out')
    .option('--from <folder>', 'your own Claude Code transcripts instead of the sample fleet')
    .addOption(
      new Option('--agent-per <unit>', 'with --from: what counts as one agent')
        .choices(['project', 'file'])
        .default('project'),
    )
    .option('--once', 'exit at the end instead of staying up; the last line is a JSON object', false)
    .action((options: DemoOptions) => runDemo(startServer, options));
}

/** A server of its own on a free port: an embedded database and a skills repository in `folder`. */
async function startServer(folder: string, skills: string) {
  // Loaded here, as in `serve`: the server's modules take a second that no other command should wait.
  const { startApplication } = await import('../../application.js');
  const { loadConfig } = await import('../../platform/config/config.js');
  const config = loadConfig({
    GUILDBOOK_PORT: '0',
    GUILDBOOK_DATA_DIR: join(folder, 'database'),
    GUILDBOOK_SKILLS_DIR: skills,
    // One made-up person decides here, whatever the transcripts bring.
    GUILDBOOK_APPROVAL_QUORUM_HIGH_RISK: '1',
  });
  return startApplication(config, false);
}
