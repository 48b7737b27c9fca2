/** Where the readers of a plugin marketplace look (formats B). */
export const MARKETPLACE_PATH = '.claude-plugin/marketplace.json';
/** The names under which a person installs: `guildbook-skills@guildbook`. */
export const MARKETPLACE_NAME = 'guildbook';
export const PLUGIN_NAME = 'guildbook-skills';

/**
 * The manifest that makes the repository a plugin marketplace for Claude Code, Codex and `npx skills`: one plugin, the
 * repository itself, that lists its skills by folder. `names` are skill names, sorted. There is no version on purpose:
 * then each commit counts as a new one, and consumers pick it up (formats B, measured).
 */
export function marketplaceManifest(names: readonly string[]): string {
  const manifest = {
    $schema: 'https://json.schemastore.org/claude-code-marketplace.json',
    name: MARKETPLACE_NAME,
    description: 'Agent skills that a person reviewed and approved',
    owner: { name: 'Guildbook' },
    plugins: [
      {
        name: PLUGIN_NAME,
        description: 'All approved skills of this repository',
        source: './',
        strict: false,
        skills: [],
      },
    ],
  };
  // By hand for the long part: it is written anew for each publication. A name has nothing that JSON escapes.
  const skills = names.map((name) => `\n        "./${name}"`).join(',');
  const text = JSON.stringify(manifest, null, 2);
  return `${names.length === 0 ? text : text.replace('"skills": []', `"skills": [${skills}\n      ]`)}\n`;
}
