import { join } from 'node:path';
import { messageOf } from '../../platform/base/error-text.js';
import type { Config } from '../../platform/config/config.js';
import { programPath } from '../../platform/config/environment.js';
import { SkillsCopy } from '../../skills/publishing/skills-copy.service.js';
import { OperationError } from '../rows/operation.errors.js';
import type { Backup } from './backup-folder.service.js';
import { SKILLS_FILE } from './manifest.schema.js';
import { NewFolder } from './new-folder.service.js';

type Settings = Pick<Config, 'skillsDir' | 'gitBinary'>;

/** The skills folder of a restored database: built and checked first, and put in its place at the end. */
export class RestoredSkills {
  private readonly folder: NewFolder;
  private isBuilt = false;

  constructor(
    private readonly settings: Settings,
    private readonly backup: Backup,
  ) {
    this.folder = new NewFolder(settings.skillsDir, '.git');
  }

  /**
   * Throws `OperationError` for a folder with anything in it, except for exactly the repository of this backup: a
   * restore that was killed at its very end had put it there.
   */
  async build(): Promise<void> {
    const { skills } = this.backup.manifest;
    if (skills === null || (await this.isThere())) return;
    if (!(await this.folder.isEmpty())) {
      const message = `${this.settings.skillsDir} is not empty. Move it away, or set GUILDBOOK_SKILLS_DIR to a new folder.`;
      throw new OperationError('restore.skills_not_empty', message);
    }
    const copy = this.copyAt(await this.folder.begin());
    try {
      await copy.read(join(this.backup.folder, SKILLS_FILE), skills, skills.id);
      if (skills.known !== null && !(await copy.commits()).has(skills.known))
        throw this.backup.damaged(`lacks the published commit ${skills.known}`);
      this.isBuilt = true;
    } catch (error) {
      await this.folder.discard();
      if (error instanceof OperationError) throw error;
      throw this.backup.damaged(`has skills that cannot be read (${messageOf(error)})`);
    } finally {
      await copy.close();
    }
  }

  async place(): Promise<void> {
    if (this.isBuilt) await this.folder.place();
  }

  async discard(): Promise<void> {
    if (this.isBuilt) await this.folder.discard();
  }

  private async isThere(): Promise<boolean> {
    const { skills } = this.backup.manifest;
    const copy = this.copyAt(this.settings.skillsDir);
    try {
      const own = await copy.id();
      if (own === undefined || own !== skills?.id) return false;
      const references = await copy.references();
      return JSON.stringify(inOrder(references)) === JSON.stringify(inOrder(skills.references));
    } finally {
      await copy.close();
    }
  }

  private copyAt(folder: string): SkillsCopy {
    return new SkillsCopy(folder, { gitBinary: this.settings.gitBinary, path: programPath() });
  }
}

const inOrder = (references: Readonly<Record<string, string>>): string[] =>
  Object.entries(references)
    .map(([name, commit]) => `${name} ${commit}`)
    .sort();
