import type { Command } from 'commander';
import type { ConnectionOptions } from '../server/session.js';
import { consolidateSkillsCommand } from './consolidate-skills.js';

export function consolidateCommands(program: Command): void {
  const consolidate = program.command('consolidate').description('merge what says the same');
  consolidateSkillsCommand(consolidate, () => program.opts<ConnectionOptions>());
}
