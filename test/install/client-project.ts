import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import type { InstalledProgram } from './installed-program.js';
import { type Finished, finished } from './packed-program.js';

const COMPILER = join(PROJECT_ROOT, 'node_modules', 'typescript-native', 'bin', 'tsc');
const OPTIONS = [
  '--strict',
  '--module',
  'nodenext',
  '--target',
  'es2023',
  '--skipLibCheck',
  'false',
  '--types',
  'node',
];

/** A project of a user who imports `guildbook/client` and `guildbook/sessions`, with its package and the types of Node. */
export class ClientProject {
  readonly folder: string;

  constructor(program: InstalledProgram) {
    this.folder = program.newHome().cwd;
    const modules = join(this.folder, 'node_modules');
    mkdirSync(join(modules, '@types'), { recursive: true });
    symlinkSync(program.packageFolder, join(modules, 'guildbook'));
    for (const name of ['@types/node', 'undici-types'])
      symlinkSync(join(PROJECT_ROOT, 'node_modules', name), join(modules, name));
    this.write('package.json', '{ "type": "module" }\n');
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  /** Checks and compiles one file. */
  compile(name: string): Promise<Finished> {
    return finished(process.execPath, [COMPILER, ...OPTIONS, name], { cwd: this.folder });
  }

  /** Runs a module with these arguments. */
  run(name: string, ...args: string[]): Promise<Finished> {
    return finished(process.execPath, [name, ...args], { cwd: this.folder });
  }
}
