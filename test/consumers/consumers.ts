import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesOf } from '../../src/skills/document/bundle.js';
import { MARKETPLACE_NAME, PLUGIN_NAME } from '../../src/skills/document/marketplace.js';
import { type Installed, installedFile, type Package } from './install.js';
import { fromGemini, fromJson, fromPrompt, fromSkills, type Listing, stringsOf } from './listing.js';
import type { ExpectedSkill } from './published.js';
import type { Sandbox } from './sandbox.js';
import { serveModel } from './servers.js';

export interface ConsumerContext {
  readonly sandbox: Sandbox;
  readonly installed: Installed;
  /** A Node.js that is new enough for the consumer. */
  readonly node: string;
  /** The folder of the skills repository, and its address for cloning. */
  readonly repository: string;
  readonly gitUrl: string;
  /** The server with the index, without a slash at the end. */
  readonly server: string;
  readonly expected: readonly ExpectedSkill[];
}

export interface Consumer {
  readonly title: string;
  readonly from: 'git' | 'folder' | 'HTTP index';
  readonly package: Package;
  /** The command, as shown in the documentation and in the table. */
  readonly command: string;
  list(surroundings: ConsumerContext): Promise<Listing>;
}

const INSTALL = `${PLUGIN_NAME}@${MARKETPLACE_NAME}`;
const PREFIX = `${PLUGIN_NAME}:`;

export const CLAUDE_CODE: Consumer = {
  title: 'Claude Code',
  from: 'git',
  package: { name: '@anthropic-ai/claude-code', version: '2.1.329' },
  command: `claude plugin marketplace add GIT; claude plugin install ${INSTALL}; claude -p`,
  async list({ sandbox, installed, repository, gitUrl }) {
    const claude = installedFile(installed, '@anthropic-ai/claude-code', 'claude');
    await sandbox.run(claude, ['plugin', 'validate', '--strict', repository]);
    await sandbox.run(claude, ['plugin', 'marketplace', 'add', gitUrl]);
    await sandbox.run(claude, ['plugin', 'install', INSTALL]);
    const model = await serveModel();
    try {
      // No command prints the descriptions, but the request to a model contains them.
      const environment = { ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: model.url };
      await sandbox.run(claude, ['-p', 'hello'], environment);
    } finally {
      await model.close();
    }
    return fromPrompt(model.requests.filter(isJson).map(stringsOf).join('\n'), PREFIX);
  },
};

const codex: Consumer = {
  title: 'Codex',
  from: 'git',
  package: { name: '@openai/codex', version: '0.169.0' },
  command: `codex plugin marketplace add GIT; codex plugin add ${INSTALL}; codex debug prompt-input`,
  async list({ sandbox, installed, node, gitUrl }) {
    const program = installedFile(installed, '@openai/codex', 'bin', 'codex.js');
    await sandbox.run(node, [program, 'plugin', 'marketplace', 'add', gitUrl]);
    await sandbox.run(node, [program, 'plugin', 'add', INSTALL]);
    return fromPrompt(stringsOf(await sandbox.read(node, [program, 'debug', 'prompt-input'])), PREFIX);
  },
};

const gemini: Consumer = {
  title: 'Gemini CLI',
  from: 'git',
  package: { name: '@google/gemini-cli', version: '0.61.0' },
  command: 'gemini skills install GIT --consent; gemini skills list',
  async list({ sandbox, installed, node, gitUrl }) {
    const program = installedFile(installed, '@google/gemini-cli', 'bundle', 'gemini.js');
    await sandbox.run(node, [program, 'skills', 'install', gitUrl, '--consent']);
    return fromGemini(await sandbox.run(node, [program, 'skills', 'list']));
  },
};

const openCode = {
  title: 'OpenCode',
  package: { name: 'opencode-ai', version: '1.18.33' },
  async listWith({ sandbox, installed }: ConsumerContext, skills: Record<string, string[]>): Promise<Listing> {
    const settings = join(sandbox.home, '.config', 'opencode');
    mkdirSync(settings, { recursive: true });
    writeFileSync(join(settings, 'opencode.json'), JSON.stringify({ skills }));
    const program = installedFile(installed, 'opencode', 'bin', 'opencode');
    return fromJson(await sandbox.read(program, ['debug', 'skill']));
  },
};

const openCodeFolder: Consumer = {
  ...openCode,
  from: 'folder',
  command: 'opencode.json: skills.paths = [FOLDER]; opencode debug skill',
  list: (surroundings) => openCode.listWith(surroundings, { paths: [surroundings.repository] }),
};

const openCodeIndex: Consumer = {
  ...openCode,
  from: 'HTTP index',
  command: 'opencode.json: skills.urls = [SERVER/.well-known/agent-skills/]; opencode debug skill',
  list: (surroundings) =>
    openCode.listWith(surroundings, { urls: [`${surroundings.server}/.well-known/agent-skills/`] }),
};

const skillsCommand = {
  title: 'skills',
  package: { name: 'skills', version: '1.7.4' },
  async listFrom({ sandbox, installed, node, expected }: ConsumerContext, source: string): Promise<Listing> {
    const program = installedFile(installed, 'skills', 'bin', 'cli.mjs');
    const listing = fromSkills(await sandbox.run(node, [program, 'add', source, '--list']));
    await sandbox.run(node, [program, 'add', source, '--skill', '*', '-a', 'claude-code', '-y']);
    for (const { name, artifact } of expected)
      for (const [path, text] of filesOf(artifact))
        if (readFileSync(join(sandbox.home, '.claude', 'skills', name, path), 'utf8') !== text)
          throw new Error(`${name}/${path} was installed with bytes that differ from the published ones`);
    return listing;
  },
};

const skillsFolder: Consumer = {
  ...skillsCommand,
  from: 'folder',
  command: "npx skills add FOLDER --list; npx skills add FOLDER --skill '*' -a claude-code -y",
  list: (surroundings) => skillsCommand.listFrom(surroundings, surroundings.repository),
};

const skillsIndex: Consumer = {
  ...skillsCommand,
  from: 'HTTP index',
  command: "npx skills add SERVER --list; npx skills add SERVER --skill '*' -a claude-code -y",
  list: (surroundings) => skillsCommand.listFrom(surroundings, surroundings.server),
};

export const CONSUMERS: readonly Consumer[] = [
  CLAUDE_CODE,
  codex,
  gemini,
  openCodeFolder,
  openCodeIndex,
  skillsFolder,
  skillsIndex,
];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
