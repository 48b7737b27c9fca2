import { PROJECT_ROOT, SETTINGS } from './config.js';
import type { Setting } from './setting.js';

const ALL: readonly Setting[] = Object.values(SETTINGS);

/** Returns the text of `.env.example`: every variable with its meaning, allowed values and default. */
export function envExample(): string {
  const head =
    '# Generated from src/platform/config by `npm run env:example`. Copy to .env and change what you need.\n# A secret setting can be in a file instead: <NAME>_FILE names it, as Docker and Kubernetes mount secrets.';
  const blocks = ALL.map(
    (setting) =>
      `# ${setting.doc}\n# Allowed: ${setting.allowed.replaceAll('`', '')}.\n${setting.env}=${defaultOf(setting)}`,
  );
  return `${[head, ...blocks].join('\n\n')}\n`;
}

/** Returns the settings table of docs/settings.md. */
export function settingsTable(): string {
  const rows = ALL.map((setting) => {
    const { env, allowed, doc, docsLink: see, secret } = setting;
    const fallback = defaultOf(setting);
    return row([
      `\`${env}\``,
      fallback === '' ? 'none' : `\`${fallback}\``,
      secret ? `${allowed}; secret` : allowed,
      see === undefined ? doc : `${doc} ([more](${see}))`,
    ]);
  });
  return [row(['variable', 'default', 'allowed', 'meaning, and when to change it']), '|---|---|---|---|', ...rows].join(
    '\n',
  );
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

function defaultOf({ schema, secret }: Setting): string {
  const parsed = schema.safeParse(undefined);
  const value = secret || !parsed.success || parsed.data === undefined ? '' : String(parsed.data);
  return value.startsWith(PROJECT_ROOT) ? value.slice(PROJECT_ROOT.length) : value;
}
