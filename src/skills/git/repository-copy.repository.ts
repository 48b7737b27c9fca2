import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitCommand } from './git-command.repository.js';
import type { ObjectFormat } from './git-object.js';
import { REMOTE } from './push.repository.js';
import { MAIN, Worktree } from './worktree.repository.js';

/** The branches and the references of our own, each with its commit. Tags and other references are not part of a copy. */
export type References = Readonly<Record<string, string>>;

// Not what was fetched from the remote, which is fetched again.
const COPIED = /^refs\/(?:heads|guildbook(?!\/remote\/))\/./;
const REFERENCE = /^([0-9a-f]{40}|[0-9a-f]{64}) (refs\/\S+)$/;
const PLAIN_FILE = /^100(?:644|755) blob ([0-9a-f]+)\t([\s\S]+)$/;
/** Names in a damaged tree that would leave the folder, or write into git's own. */
const OUTSIDE = /^(?:|\.|\.\.|\.git)$/i;

/** Copies of a whole repository in one file, which `git clone` reads as well. */
export class RepositoryCopy {
  constructor(private readonly git: GitCommand) {}

  /**
   * Writes all branches with their history into a new file while others may publish. Returns what is in it; nothing,
   * and writes no file, before the first commit.
   */
  async write(file: string): Promise<References> {
    await this.git.check();
    if (Object.keys(await this.references()).length === 0) return {};
    await this.git.text([
      'bundle',
      'create',
      '--quiet',
      file,
      '--branches',
      `--exclude=${REMOTE}*`,
      '--glob=refs/guildbook/*',
    ]);
    // What is in the file, and not what the branches are now.
    return this.listed(file);
  }

  /** Fills a repository that has no commit, and its folder, from such a file. Throws if anything in it is missing. */
  async read(file: string, references: References, format: ObjectFormat): Promise<void> {
    if (format === 'sha256') await this.createSha256();
    await this.git.create();
    const names = Object.keys(references);
    if (names.length === 0) return;
    if (JSON.stringify(sorted(await this.listed(file))) !== JSON.stringify(sorted(references)))
      throw new Error('its branches are not those of the backup');
    if (!names.every((name) => COPIED.test(name))) throw new Error('it has a reference that is no branch');
    await this.git.text(['bundle', 'unbundle', file]);
    // Follows every commit to its files: objects that are missing or damaged are an error.
    const commits = Object.values(references).map((id) => `${id}\n`);
    await this.git.text(['rev-list', '--objects', '--quiet', '--stdin'], { input: commits.join('') });
    const input = names.map((name) => `create ${name} ${references[name]}\n`).join('');
    await this.git.text(['update-ref', '--stdin'], { input });
    await this.checkOut();
  }

  /** All commits of the branches. */
  async commits(): Promise<ReadonlySet<string>> {
    return new Set(
      (await this.git.text(['rev-list', `--exclude=${REMOTE}*`, '--all'])).split('\n').filter((id) => id !== ''),
    );
  }

  /** What a copy has now. */
  async references(): Promise<References> {
    return copiedOf(await this.git.text(['for-each-ref', '--format=%(objectname) %(refname)']));
  }

  private async listed(file: string): Promise<References> {
    return copiedOf(await this.git.text(['bundle', 'list-heads', file]));
  }

  private async createSha256(): Promise<void> {
    await mkdir(this.git.gitDir, { recursive: true });
    const config = '[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectformat = sha256\n';
    await writeFile(join(this.git.gitDir, 'config'), config, { flag: 'wx' });
  }

  private async checkOut(): Promise<void> {
    const head = await this.git.head();
    if (head === undefined) return;
    const entries = (await this.git.text(['ls-tree', '-r', '-z', '--full-tree', MAIN])).split('\0');
    const changes = entries.flatMap((entry) => {
      const [, wanted, path] = PLAIN_FILE.exec(entry) ?? [];
      if (wanted === undefined || path === undefined) return [];
      if (path.split('/').some((part) => OUTSIDE.test(part))) throw new Error('it has a file outside of its folder');
      return [{ path, wanted, before: new Set([undefined]), generated: false }];
    });
    await new Worktree(this.git).sync(changes, { from: undefined, head, entries: new Map() });
  }
}

function copiedOf(lines: string): References {
  const found = lines.split('\n').flatMap((line) => {
    const [, id, name] = REFERENCE.exec(line) ?? [];
    return id !== undefined && name !== undefined && COPIED.test(name) ? [[name, id]] : [];
  });
  return Object.fromEntries(found);
}

const sorted = (references: References): [string, string][] =>
  Object.entries(references).sort(([one], [other]) => (one < other ? -1 : 1));
