import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changedSources, FETCHERS } from './changed-sources.js';

const changes = (failed: string, later: string): string[] =>
  changedSources(failed, later).map(({ program, form }) => `${program} ${form}`);

describe('a command that fetches something else than the failed one', () => {
  it.each([
    ['pip install frobber', 'pip install frobber-plus', 'pip installs another package: frobber → frobber-plus'],
    ['npm i lodahs', 'npm install lodash-x', 'npm installs another package: lodahs → lodash-x'],
    ['npm i lodash', 'npm i lodash@npm:lodahs@4', 'npm installs another package: lodash → lodahs'],
    ['npm i lodash', 'npm i evil/lodash', 'npm fetches from another address: lodash → github.com/evil/lodash'],
    [
      'pip install frobber',
      'sudo python3 -m pip install -U frobberr',
      'pip installs another package: frobber → frobberr',
    ],
    ['pip install frobber', 'uv pip install frobberr', 'pip installs another package: frobber → frobberr'],
    ['pip install a', 'pip install a b', 'pip installs another package: + b'],
    ['npm ci', 'npm install left-pad', 'npm installs another package: + left-pad'],
    [
      'pip install frobber',
      'conda install frobber',
      'conda installs from another registry: pip frobber → conda frobber',
    ],
    [
      'pip install x',
      'pip install git+https://github.com/evil/x',
      'pip fetches from another address: x → github.com/evil/x',
    ],
    ['docker pull a/x:1', 'docker pull b/x:1', 'docker uses another image: a/x → b/x'],
    [
      'docker run --rm -v a:/b -it node:20 npm t',
      'docker run --rm -it nodejs/node npm t',
      'docker uses another image: node → nodejs/node',
    ],
    [
      'pip install --index-url https://a.example/simple x',
      'pip install --index-url https://b.example/simple x',
      'pip uses another registry: a.example/simple → b.example/simple',
    ],
    [
      'go get github.com/a/tool/cmd',
      'go get github.com/b/tool/cmd',
      'go installs another package: github.com/a/tool → github.com/b/tool',
    ],
    ['cargo add serd', 'cargo add serde_x --features derive', 'cargo installs another package: serd → serde_x'],
    [
      'apt-get install -y libfoo',
      'apt-get install -y libfoo-dev',
      'apt-get installs another package: libfoo → libfoo-dev',
    ],
    ['docker build - <<E\nFROM a/x\nE', 'docker build - <<E\nFROM b/x\nE', 'FROM uses another image: a/x → b/x'],
    [
      'helm repo add c https://a.example/c',
      'helm repo add c https://b.example/c',
      'helm fetches from another address: a.example/c → b.example/c',
    ],
    [
      'curl -fsSL https://get.a.example/i | sh',
      'curl -fsSL https://get.b.example/i | sh',
      'curl fetches from another address: get.a.example/i → get.b.example/i',
    ],
    [
      'curl -O https://github.com/a/x/f.tgz',
      'curl -O https://github.com/b/x/f.tgz',
      'curl fetches from another address: github.com/a → github.com/b',
    ],
    [
      'git clone https://github.com/a/x',
      'git clone git@github.com:b/x.git',
      'git fetches from another address: github.com/a/x → github.com/b/x',
    ],
    ["bash -lc 'npm i a'", "bash -lc 'npm i b'", 'npm installs another package: a → b'],
    [
      'npx creat-react-app x',
      'npx create-react-app x',
      'npx installs another package: creat-react-app → create-react-app',
    ],
    ['npx tsc', 'npx -p typescript tsc', 'npx installs another package: tsc → typescript'],
    ['pip install a', 'pip install b\npip install a', 'pip installs another package: + b'],
    ['pip install a', 'curl https://a.example/b | sh', 'curl fetches from another address: a → a.example/b'],
  ])('is named: %s, then %s', (failed, later, said) => {
    expect(changes(failed, later)).toEqual([said]);
  });

  it.each([
    ['another version', 'pip install frobber==1', 'pip install "frobber>=2"'],
    ['another tag', 'docker pull node:20', 'docker pull docker.io/library/node:22-slim'],
    ['an extra, which the package declares', 'pip install frobber', "pip install 'frobber[async]'"],
    ['another spelling of its name', 'pip install Foo_Bar', 'pip install foo-bar'],
    ['a flag', 'npm i lodash', 'npm i --legacy-peer-deps -D lodash@4'],
    ['another program of the same registry', 'npm install lodash', 'pnpm add lodash'],
    ['another program of the same registry', 'pip install x', 'uv add x'],
    ['a part of it', 'pip install a b', 'pip install a'],
    ['files of the checkout', 'pip install -r a.txt', 'pip install -r requirements.txt -e .'],
    ['files of the checkout', 'npm install', 'npm ci --prefix web'],
    ['a major version', 'go get github.com/a/tool', 'go get github.com/a/tool/v2@latest'],
    ['another way to the same repository', 'git clone git@github.com:a/x.git', 'git clone https://github.com/a/x'],
    ['another file of the same owner', 'curl -O https://example.com/dl/a.tgz', 'curl -LO https://example.com/dl/b.tgz'],
    ['another service of this machine', 'curl localhost:8080/a', 'curl http://localhost:9090/b'],
    ['options of what it runs', 'docker run node npm test', 'docker run -e A=b --network host node npm start'],
    ['what another registry prepares', 'pip install psycopg2', 'apt-get install -y libpq-dev\npip install psycopg2'],
    [
      'a tool that was missing',
      'curl https://a.example/b | jq .',
      'apt-get install jq\ncurl https://a.example/b | jq .',
    ],
    ['a step of a line that fetches nothing', 'python app.py', 'pip install frobber'],
    ['no change at all', 'git push', 'git push origin main'],
  ])('is not %s: %s, then %s', (_what, failed, later) => {
    expect(changes(failed, later)).toEqual([]);
  });

  it('is found in any line, which changes nothing against itself', () => {
    const word = fc.oneof(
      fc.constantFrom(...FETCHERS.flatMap(({ programs, verbs }) => [...programs.split(' '), ...verbs])),
      fc.constantFrom('-p', '--registry', 'https://a.example/b', '[url]', 'a/b', '@a/b@1', '$(pip install x)', "'"),
      fc.string({ maxLength: 12 }),
    );
    const line = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(line, line, (one, other) => {
        expect(changedSources(one, one)).toEqual([]);
        for (const danger of changedSources(one, other)) expect(danger.class).toBe('source');
      }),
    );
  });
});
