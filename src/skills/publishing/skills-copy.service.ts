import { FolderIdentity } from '../git/folder-identity.repository.js';
import { type GitBinary, GitCommand } from '../git/git-command.repository.js';
import type { ObjectFormat } from '../git/git-object.js';
import { type References, RepositoryCopy } from '../git/repository-copy.repository.js';

/** What is in the copy of a skills repository. */
export interface CopiedSkills {
  readonly objectFormat: ObjectFormat;
  /** Empty before the first commit: then there is no file. */
  readonly references: References;
}

/** The skills folder of a database without a server on it: copies it into a file and back. */
export class SkillsCopy {
  private readonly git: GitCommand;
  private readonly identity: FolderIdentity;
  private readonly copy: RepositoryCopy;

  constructor(folder: string, binary: GitBinary) {
    this.git = new GitCommand(folder, binary);
    this.identity = new FolderIdentity(this.git);
    this.copy = new RepositoryCopy(this.git);
  }

  /** The id that the folder shares with its database; undefined for a folder without one. */
  id(): Promise<string | undefined> {
    return this.identity.read();
  }

  /** Writes the copy beside a server that may publish. Undefined if the folder has no repository. */
  async write(file: string): Promise<CopiedSkills | undefined> {
    if (!(await this.identity.isCreated())) return undefined;
    return { references: await this.copy.write(file), objectFormat: await this.git.format() };
  }

  /** Makes this folder, which must be new, the repository of the copy. */
  async read(file: string, { references, objectFormat }: CopiedSkills, id: string | undefined): Promise<void> {
    await this.copy.read(file, references, objectFormat);
    if (id !== undefined) await this.identity.write(id);
  }

  /** The branches with their commits, as a copy would have them. */
  references(): Promise<References> {
    return this.copy.references();
  }

  /** The commits of all branches. */
  commits(): Promise<ReadonlySet<string>> {
    return this.copy.commits();
  }

  close(): Promise<void> {
    return this.git.close();
  }
}
