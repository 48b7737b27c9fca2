import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type GitCommand, lstatOrUndefined } from './git-command.repository.js';
import { readPlainFile } from './isolated-git-dir.repository.js';
import { writeDurably } from './worktree.repository.js';

// Beside git's own files, so that a copy of the folder has it and a push does not.
const ID_FILE = join('guildbook', 'id');
const MAX_BYTES = 100;

/** The id that a skills folder was given when its database began to publish to it. */
export class FolderIdentity {
  constructor(private readonly git: GitCommand) {}

  /** False for a folder without a repository, which may not exist. */
  async isCreated(): Promise<boolean> {
    return (await lstatOrUndefined(join(this.git.gitDir, 'HEAD'))) !== undefined;
  }

  /** Undefined if the folder has none. */
  async read(): Promise<string | undefined> {
    const text = await readPlainFile(join(this.git.gitDir, ID_FILE), MAX_BYTES);
    return text?.toString('utf8').trim() || undefined;
  }

  async write(id: string): Promise<void> {
    const file = join(this.git.gitDir, ID_FILE);
    await mkdir(dirname(file), { recursive: true });
    await writeDurably(`${file}.new`, `${id}\n`);
    await rename(`${file}.new`, file);
  }
}
