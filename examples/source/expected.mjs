import { BOOTSTRAP, EMAIL, SECRETS } from './episodes.mjs';

const LESSONS = [
  { failing: 'python', works: 'python3', failingHead: 'python scripts/', worksHead: 'python3 scripts/' },
  {
    failing: 'docker-compose up',
    works: 'docker compose up',
    failingHead: 'docker-compose up',
    worksHead: 'docker compose up',
  },
  {
    failing: 'make verify',
    works: 'make fixtures',
    failingHead: 'make verify',
    worksHead: 'make fixtures',
  },
];
const OUTAGE_COMMANDS = ['npm install', 'pip3 install'];

/**
 * What a run over the sample must find and must never show, counted from the sessions. `sessions` are { project, at,
 * calls, inner }; `inner` has the calls of sub-agents, which belong to the task of their parent.
 */
export function expectedOf(projects, sessions) {
  const bootstrap = sessions.filter((s) => failed(s, './tools/lint-profile').length > 0);
  const terraform = sessions.filter((s) => failed(s, 'terraform').length > 0);
  return {
    agents: Object.keys(projects).sort(),
    sessions: sessions.length,
    subagents: sessions.filter((s) => s.inner.length > 0).length,
    lessons: LESSONS.map((lesson) => lessonOf(lesson, sessions)),
    unsolved: [{ failing: 'terraform init', agents: agentsOf(terraform), sessions: terraform.length }],
    outage: outageOf(sessions),
    endings: Object.fromEntries(sessions.filter((s) => s.end).map((s) => [s.end, `${s.project}/${s.id}.jsonl`])),
    secret: Object.values(SECRETS),
    personal: [...Object.values(projects).flatMap((p) => [p.user, p.cwd]), EMAIL, 'dana.hollis'],
    injection: BOOTSTRAP.phrases,
    injectionUrl: BOOTSTRAP.url,
    injectionAgents: agentsOf(bootstrap),
  };
}

function lessonOf({ failing, works, failingHead, worksHead }, sessions) {
  const failedIn = sessions.filter((s) => failed(s, failingHead).length > 0);
  const remedied = failedIn.filter((s) => succeeded(s, worksHead).length > 0);
  const workedWithFailingForm = sessions.filter((s) => succeeded(s, failingHead).length > 0);
  const startedRight = sessions.filter((s) => succeeded(s, worksHead).length > 0 && !failedIn.includes(s));
  return {
    failing,
    works,
    agents: agentsOf(failedIn),
    sessions: {
      failed: failedIn.length,
      remedied: remedied.length,
      failingFormWorked: workedWithFailingForm.length,
      rightFromTheStart: startedRight.length,
    },
  };
}

function outageOf(sessions) {
  const affected = sessions.filter((s) => OUTAGE_COMMANDS.some((head) => failed(s, head).length > 0));
  return { commands: OUTAGE_COMMANDS, from: '2026-11-04T10:05:00Z', to: '2026-11-04T10:45:00Z', agents: agentsOf(affected) };
}

const agentsOf = (sessions) => [...new Set(sessions.map((s) => s.project))].sort();
const failed = (s, head) => commands(s, head).filter((c) => !c.ok);
const succeeded = (s, head) => commands(s, head).filter((c) => c.ok);
const commands = (s, head) => [...s.calls, ...s.inner].filter((c) => c.input?.command?.startsWith(head));
