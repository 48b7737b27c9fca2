import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

const BUILDING = '.restoring';

/**
 * A folder that gets its content at once, although it may be a mount that cannot be renamed: the content is built
 * inside of it, under another name, and moved up. The entry that makes it count is moved last, so that a killed process
 * leaves either nothing that counts, or everything.
 */
export class NewFolder {
  constructor(
    private readonly folder: string,
    /** Without this entry, the folder counts as empty: `.git` of a repository, `PG_VERSION` of a database. */
    private readonly decisive: string,
  ) {}

  /** Whether nothing is in the folder but what a killed process left. */
  async isEmpty(): Promise<boolean> {
    const names = await readdir(this.folder).catch((): string[] => []);
    const isLeft = names.includes(BUILDING) && !names.includes(this.decisive);
    // The project around the folder may keep it with the first file.
    return isLeft || names.every((name) => name === '.gitkeep' || name.startsWith(BUILDING));
  }

  /** Returns an empty folder to build in. Deletes what a killed process left. */
  async begin(): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    for (const name of await readdir(this.folder))
      if (name !== '.gitkeep') await rm(join(this.folder, name), { recursive: true, force: true });
    const building = join(this.folder, BUILDING);
    await mkdir(building, { mode: 0o700 });
    return building;
  }

  /** Makes what was built the content of the folder. */
  async place(): Promise<void> {
    const building = join(this.folder, BUILDING);
    const names = (await readdir(building)).filter((name) => name !== this.decisive);
    for (const name of [...names, this.decisive]) await rename(join(building, name), join(this.folder, name));
    await this.discard();
  }

  /** Deletes what was built and not placed, with its lock. */
  async discard(): Promise<void> {
    for (const name of await readdir(this.folder).catch((): string[] => []))
      if (name.startsWith(BUILDING)) await rm(join(this.folder, name), { recursive: true, force: true });
  }
}
