import { startTestApplication, type TestApplication } from '../../test/support/application.js';
import { checkedEvidence } from '../../test/support/checked-proposal.js';
import { submitTestProposal } from '../../test/support/proposal-input.js';

/** Milliseconds of one answer to a failed call, beside an idle route in the same run. */
export interface Latency {
  readonly skills: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly idleP50Ms: number;
  readonly idleP99Ms: number;
}

const CALLS = 400;
const WARM_UP = 40;

/** Starts the application with live skills, and measures answers over HTTP, in turn with the idle route. */
export async function measureLatency(skills: number, progress: (text: string) => void): Promise<Latency> {
  const app = await startTestApplication();
  try {
    for (let n = 0; n < skills; n += 1) {
      await approveSkill(app, n);
      if ((n + 1) % 200 === 0) progress(`${n + 1} skills approved`);
    }
    const { token } = await app.agent('Ada');
    const answers: number[] = [];
    const idle: number[] = [];
    for (let n = 0; n < WARM_UP + CALLS; n += 1) {
      const [own, other] = [
        await timed(() => failure(app.url, token, n, n % skills)),
        await timed(() => health(app.url)),
      ];
      if (n < WARM_UP) continue;
      answers.push(own);
      idle.push(other);
    }
    return {
      skills,
      ...{ p50Ms: quantile(answers, 0.5), p99Ms: quantile(answers, 0.99) },
      ...{ idleP50Ms: quantile(idle, 0.5), idleP99Ms: quantile(idle, 0.99) },
    };
  } finally {
    await app.close();
  }
}

async function approveSkill(app: TestApplication, n: number): Promise<void> {
  const predicate = {
    when: { tool: 'shell', args: `\\btool${n}\\b`, error: 'unknown option' },
    follow: { tool: 'shell', args: `\\bother${n}\\b` },
  };
  const { id, artifactSha256 } = await submitTestProposal(
    app,
    `Write other${n} instead of tool${n}`,
    {},
    { predicate },
    checkedEvidence('confirmed'),
  );
  await app.admin.proposals.approve(id, artifactSha256);
}

async function failure(url: string, token: string, n: number, skill: number): Promise<void> {
  const response = await fetch(`${url}/v1/hooks/claude-code/PostToolUseFailure`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      ...{ session_id: `session ${n}`, cwd: '/home/ada/shop', tool_name: 'Bash', tool_use_id: `call ${n}` },
      tool_input: { command: `tool${skill} --all` },
      error: `Exit code 2\ntool${skill}: unknown option --all`,
    }),
  });
  const text = await response.text();
  if (!text.includes(`other${skill}`)) throw new Error(`no advice for skill ${skill}: ${response.status} ${text}`);
}

const health = async (url: string): Promise<void> => {
  await (await fetch(`${url}/healthz`)).text();
};

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN) * 100) / 100;
}
