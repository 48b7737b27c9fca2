import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Product } from '../../src/access/identity/access.schema.js';
import { type Installed, installedFile, type Package } from '../consumers/install.js';

/** A real agent program: how it is started, which model it uses, and how it is asked to do something. */
export interface AgentProgram {
  readonly product: Product;
  readonly name: string;
  readonly package: Package;
  /** The command line that starts it; `node` is new enough for it. */
  readonly start: (installed: Installed, node: string) => readonly string[];
  readonly environment: (model: string) => Readonly<Record<string, string>>;
  /** Writes what a person has configured before connecting. */
  readonly configure: (home: string, model: string) => void;
  readonly prompt: (text: string) => readonly string[];
}

function put(file: string, content: string | object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
}

export const AGENT_PROGRAMS: readonly AgentProgram[] = [
  {
    product: 'claude-code',
    name: 'claude',
    package: { name: '@anthropic-ai/claude-code', version: '2.1.330' },
    start: (installed) => [installedFile(installed, '@anthropic-ai/claude-code', 'claude')],
    environment: (model) => ({
      ANTHROPIC_API_KEY: 'none',
      ANTHROPIC_BASE_URL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ENABLE_TOOL_SEARCH: 'false',
      IS_SANDBOX: '1',
    }),
    configure: (home) => put(join(home, '.claude/settings.json'), { theme: 'dark' }),
    prompt: (text) => ['-p', text, '--permission-mode', 'bypassPermissions'],
  },
  {
    product: 'codex',
    name: 'codex',
    package: { name: '@openai/codex', version: '0.169.0' },
    start: (installed, node) => [node, installedFile(installed, '@openai/codex', 'bin', 'codex.js')],
    environment: () => ({ SCRIPTED_KEY: 'none' }),
    configure: (home, model) =>
      put(
        join(home, '.codex/config.toml'),
        [
          ...['# my own settings', 'model = "gpt-5.1-codex"', 'model_provider = "scripted"', ''],
          ...['[model_providers.scripted]', 'name = "scripted"', `base_url = "${model}/v1"`],
          ...['wire_api = "responses"', 'env_key = "SCRIPTED_KEY"', ''],
        ].join('\n'),
      ),
    // Without the switch that skips trust: `connect --yes` has recorded it.
    prompt: (text) => ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', text],
  },
  {
    product: 'gemini',
    name: 'gemini',
    package: { name: '@google/gemini-cli', version: '0.61.0' },
    start: (installed, node) => [node, installedFile(installed, '@google/gemini-cli', 'bundle', 'gemini.js')],
    environment: (model) => ({
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    configure: (home) =>
      put(join(home, '.gemini/settings.json'), {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    prompt: (text) => ['-m', 'gemini-2.5-pro', '-p', text, '--approval-mode', 'yolo'],
  },
  {
    product: 'opencode',
    name: 'opencode',
    package: { name: 'opencode-ai', version: '1.18.33' },
    start: (installed) => [installedFile(installed, 'opencode', 'bin', 'opencode')],
    environment: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    }),
    configure: (home, model) => {
      const scripted = { name: 'scripted', tool_call: true, limit: { context: 200_000, output: 8_000 } };
      put(join(home, '.config/opencode/opencode.json'), {
        model: 'local/scripted',
        small_model: 'local/scripted',
        provider: {
          local: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${model}/v1`, apiKey: 'none' },
            models: { scripted },
          },
        },
      });
      // Without a network it tries for a minute to download a package that the plugin does not use.
      put(join(home, '.npmrc'), 'fetch-retries=0\n');
    },
    prompt: (text) => ['run', text],
  },
  {
    product: 'copilot',
    name: 'copilot',
    package: { name: '@github/copilot', version: '1.0.102' },
    start: (installed) => [installedFile(installed, '@github/copilot', 'copilot')],
    environment: (model) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_MODEL: 'gpt-5.4',
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'none',
    }),
    configure: () => undefined,
    prompt: (text) => ['-p', text, '--allow-all-tools'],
  },
];
