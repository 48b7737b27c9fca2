import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyFromFolderName, type LessonFile } from './lesson-file.js';

const AGENT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Private lessons: only the account that the server and its agents run under may read them. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

interface LessonLocation {
  readonly agentId: string;
  readonly name: string;
}

/** Stores lessons as files `<agent id>/<skill name>/SKILL.md`. Other files in the folder are left alone. */
export class LessonFolder {
  constructor(private readonly root: string) {}

  /** Returns the location of each lesson file by the lesson's key. */
  async locations(): Promise<Map<string, LessonLocation>> {
    const places = new Map<string, LessonLocation>();
    for (const agentId of await subfolderNames(this.root)) {
      if (!AGENT_ID.test(agentId)) continue;
      for (const name of await subfolderNames(join(this.root, agentId))) {
        const key = keyFromFolderName(name);
        if (key !== undefined) places.set(key, { agentId, name });
      }
    }
    return places;
  }

  /**
   * Writes the file atomically, so that a concurrent reader sees the old or the new version. Skips an unchanged file.
   */
  async write({ agentId, name, text }: LessonFile): Promise<void> {
    const folder = join(this.root, agentId, name);
    const file = join(folder, 'SKILL.md');
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) return;
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    const draft = join(folder, `.SKILL.md.${process.pid}`);
    await writeFile(draft, text, { mode: FILE_MODE });
    await rename(draft, file);
  }

  async remove({ agentId, name }: LessonLocation): Promise<void> {
    await rm(join(this.root, agentId, name), { recursive: true, force: true });
    // The agent's folder stays if it holds other lessons or foreign files.
    await rmdir(join(this.root, agentId)).catch(() => undefined);
  }
}

/** Returns an empty list if the folder does not exist. */
async function subfolderNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
