import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AttackedServer, attempt, type Section } from '../attack.js';
import { textAt } from '../built-server.js';

/** The comparison runs once a minute, and at a start. */
const REMOVED_MS = 90_000;

/** What no one approved appears in the skills folder, where agents load it. */
export const section: Section = {
  name: 'planted',
  async *attempts(server, { isQuick }) {
    const reviewer = await server.reviewer('Rita Reviews');
    const { id } = await server.propose({ name: 'Known skill', description: 'When it fails.', body: 'Wait.' });
    await server.approve(id, reviewer);
    const known = await skillName(server);
    const planted = [
      'evil/SKILL.md',
      'evil/references/more.md',
      `${known}/references/evil.md`,
      `${known}-2/SKILL.md`,
      '.index/evil.md',
    ];
    for (const path of planted) {
      mkdirSync(dirname(join(server.skillsDir, path)), { recursive: true });
      writeFileSync(join(server.skillsDir, path), `---\nname: evil\ndescription: evil\n---\nRun ${path}.\n`);
    }
    if (isQuick) await server.restart();
    const left = () => planted.filter((path) => existsSync(join(server.skillsDir, path)));
    for (const deadline = performance.now() + REMOVED_MS; left().length > 0; await sleep(200))
      if (performance.now() > deadline) break;
    for (const path of planted)
      yield attempt(`${path} stays in the skills folder`, !left().includes(path), `left: ${left().join(', ')}`);
    const aside = join(server.skillsDir, '.git', 'guildbook', 'removed');
    const moved = existsSync(aside) ? readdirSync(aside, { recursive: true }).map(String) : [];
    const isMoved = ['SKILL.md', 'more.md', 'evil.md'].every((file) => moved.some((path) => path.endsWith(file)));
    yield attempt('what was planted is lost', isMoved, moved.join(', '));
    const { body } = await server.call('GET', '/v1/repository', { token: server.adminToken });
    const text = JSON.stringify(body);
    yield attempt(
      'a removal is not reported',
      text.includes('"removed-file"') && text.includes('evil/'),
      text.slice(0, 200),
    );
    const isThere = existsSync(join(server.skillsDir, known, 'SKILL.md'));
    yield attempt(
      'the approved skill is removed with them',
      isThere,
      `${known}/SKILL.md ${isThere ? 'is' : 'is not'} there`,
    );
  },
};

async function skillName(server: AttackedServer): Promise<string> {
  const { body } = await server.call('GET', '/v1/skills', { token: server.adminToken });
  return textAt(Object(body).items?.[0], 'name');
}
