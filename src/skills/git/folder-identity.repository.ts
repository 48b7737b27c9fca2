import { mkdir, readdir, rename } from 'node:fs/promises';
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

  /** False for a folder with anything in it that a database did not put there. */
  async isEmpty(): Promise<boolean> {
    const names = await readdir(this.git.root).catch(() => []);
    if (names.some((name) => name !== '.git' && name !== '.gitkeep')) return false;
    return !(await this.isCreated()) || (await this.git.head()) === undefined;
  }

  /** Undefined if the folder has none. */
  async read(): Promise<string | undefined> {
    return (await this.#lines())[0] || undefined;
  }

  /** What proves which database gave the folder its id; undefined for a folder of an earlier version. */
  async readProof(): Promise<string | undefined> {
    return (await this.#lines())[1] || undefined;
  }

  async #lines(): Promise<string[]> {
    const text = await readPlainFile(join(this.git.gitDir, ID_FILE), MAX_BYTES);
    return (text?.toString('utf8') ?? '').split('\n').map((line) => line.trim());
  }

  /** Without a proof, the database gives it one when it uses the folder. */
  async write(id: string, proof = ''): Promise<void> {
    const file = join(this.git.gitDir, ID_FILE);
    await mkdir(dirname(file), { recursive: true });
    await writeDurably(`${file}.new`, `${id}\n${proof}`.trimEnd().concat('\n'));
    await rename(`${file}.new`, file);
  }
}
