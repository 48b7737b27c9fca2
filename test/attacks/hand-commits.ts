import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { programPath } from '../../src/platform/config/environment.js';

/** Commits of a person with plain git, each with a text by which it is found again. */
export class HandCommits {
  private markers = 0;

  constructor(private readonly folder: string) {}

  /** A new text that names what carries it. */
  marker(what: string): string {
    this.markers += 1;
    return `${this.lastMarker()}, ${what}`;
  }

  lastMarker(): string {
    return `by hand number ${this.markers} of it`;
  }

  commit(path: string, text: string, message = 'just a fix'): string {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    this.git('add', '-f', path);
    this.git('commit', '-q', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  git(...args: string[]): string {
    return plainGit(this.folder, args);
  }
}

export function plainGit(folder: string, args: readonly string[]): string {
  const identity = ['-c', 'user.name=Hand', '-c', 'user.email=hand@example.test', '-c', 'gc.auto=0'];
  return execFileSync('git', ['-C', folder, ...identity, ...args], {
    encoding: 'utf8',
    env: { PATH: programPath(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  }).trim();
}
