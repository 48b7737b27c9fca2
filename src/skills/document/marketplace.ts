/** Where clients of a plugin marketplace look for the manifest. */
export const MARKETPLACE_PATH = '.claude-plugin/marketplace.json';
/** Where Copilot CLI looks for a plugin. It does not read the list of skills in the marketplace (1.0.102, tried). */
export const COPILOT_PLUGIN_PATH = '.github/plugin/plugin.json';
/** Files that say what a consumer installs and runs. No person writes them by hand. */
export const MANIFEST_PATHS: ReadonlySet<string> = new Set([MARKETPLACE_PATH, COPILOT_PLUGIN_PATH]);
/** The names in the install command: `guildbook-skills@guildbook`. */
export const MARKETPLACE_NAME = 'guildbook';
export const PLUGIN_NAME = 'guildbook-skills';

const PLUGIN_DESCRIPTION = 'All approved skills of this repository';

/** The plugin for Copilot CLI: every folder at the root with a skill. It never changes, and names nothing that runs. */
export const copilotPlugin = (): string =>
  `${JSON.stringify({ name: PLUGIN_NAME, description: PLUGIN_DESCRIPTION, skills: './' }, null, 2)}\n`;

/**
 * The manifest that makes the repository a plugin marketplace for Claude Code, Codex and `npx skills`: one plugin, the
 * repository itself, that lists its skills by folder. `names` are skill names, sorted. It has no version on purpose:
 * then each commit counts as a new version, and clients update (measured).
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
        description: PLUGIN_DESCRIPTION,
        source: './',
        strict: false,
        skills: [],
      },
    ],
  };
  // The long list is joined as text, because the manifest is written for each publication.
  // A skill name contains nothing that JSON escapes.
  const skills = names.map((name) => `\n        "./${name}"`).join(',');
  const text = JSON.stringify(manifest, null, 2);
  return `${names.length === 0 ? text : text.replace('"skills": []', `"skills": [${skills}\n      ]`)}\n`;
}
