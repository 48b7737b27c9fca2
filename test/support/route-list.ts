import { RequestMethod } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { PUBLIC_ROUTE, type PublicLimit } from '../../src/platform/http/public.decorator.js';
import {
  ACCESS_RULE,
  type AccessRule,
  TAKES_TURN,
  type TurnRule,
} from '../../src/platform/http/require-scope.decorator.js';

const COST_CLASSES = {
  memory: 'bytes or values that the process holds',
  database: 'a bounded number of queries and rows',
  all: 'all rows of a subject: more with each agent, skill or entry',
  threads: 'a text from outside, redacted and parsed beside the event loop',
  git: 'runs git',
  network: 'waits for another server',
  job: 'starts work that outlasts the request, once at a time',
} as const;

/** What one request costs, and why. A public route must be here; one that requires a credential is `database` without it. */
const COSTS: Readonly<Record<string, readonly [cost: keyof typeof COST_CLASSES, why?: string]>> = {
  'GET /healthz': ['memory'],
  'GET /readyz': ['memory', 'one query for all who ask at that time'],
  'GET /metrics': ['memory'],
  'GET /v1/openapi.json': ['memory', 'made once by the process, between other requests'],
  'GET /v1/docs': ['memory', 'read once by the process'],
  'GET /v1/docs/:file': ['memory', 'read once by the process'],
  'GET /console/:file': ['memory', 'read once by the process'],
  'GET /mcp/server-card': ['memory', 'made at the start'],
  'OPTIONS /mcp/server-card': ['memory'],
  'GET /sign-in': ['memory'],
  'POST /sign-in': ['database', 'a guessed token shares a query and begins no transaction'],
  'POST /v1/sign-in': ['database', 'a guessed token shares a query and begins no transaction'],
  'POST /v1/sign-in/link': ['database', 'a guessed token shares a query and begins no transaction'],
  'GET /sign-in/oidc': ['network', "the provider's configuration, read once"],
  'GET /sign-in/oidc/callback': ['network', 'asks the provider, after the cookie of the sign-in was checked'],
  'GET /.well-known/agent-skills/index.json': ['all', 'without a credential one read for all who ask'],
  'GET /.well-known/agent-skills/:name/SKILL.md': ['database'],
  'GET /.well-known/agent-skills/:name/references/:file': ['database'],
  'GET /.well-known/agent-skills/:name/skill.tar.gz': ['database'],
  'GET /v1/agents': ['all'],
  'GET /v1/people': ['all'],
  'GET /v1/services': ['all'],
  'GET /settings': ['all', 'the people'],
  'GET /settings/agents': ['all'],
  'GET /settings/services': ['all'],
  'GET /v1/skills': ['all'],
  'POST /mcp': ['all', 'the skills, their files, and the entries of sessions'],
  'GET /mcp': ['memory', 'refused'],
  'GET /v1/journal/verification': ['all'],
  'GET /v1/journal/export': ['all', 'in pages, as fast as the reader takes them'],
  'POST /v1/session-memory/recall': ['all', 'the entries of an owner, up to a million characters'],
  'GET /v1/journal/:seq/proof': ['all'],
  'POST /v1/executions': ['threads'],
  'POST /v1/executions/batch': ['threads'],
  'POST /v1/traces': ['threads'],
  'POST /v1/logs': ['threads'],
  'POST /v1/metrics': ['memory', 'dropped after it was parsed'],
  'POST /v1/hooks/:product': ['threads'],
  'POST /v1/hooks/:product/:event': ['threads'],
  'POST /start/paste': ['threads'],
  'GET /v1/repository': ['git'],
  'GET /settings/server': ['git'],
  'POST /v1/webhooks/:id/test': ['network'],
  'POST /settings/webhooks/:id/test': ['network'],
  'POST /v1/evolver/cycles': ['job'],
  'POST /cycles': ['job'],
  'POST /v1/consolidation/runs': ['job'],
  'POST /consolidation': ['job'],
  'POST /v1/consolidation/merges': ['job'],
  'POST /v1/memory/upkeep': ['job'],
  'POST /v1/memory/tuning/runs': ['job'],
  'POST /v1/memory/tuning/runs/:id/resume': ['job'],
  'POST /v1/retention/runs': ['job'],
};

/** A route of the running server, and what its controller declares. Without a controller it has neither. */
export interface ListedRoute {
  /** `GET /v1/skills/:name` */
  readonly route: string;
  /** `public`, or the scopes with the kinds of callers; undefined: no guard sees its requests. */
  readonly guard: string | undefined;
  readonly limit: PublicLimit | 'caller' | 'turns' | 'lists' | undefined;
  /** Class, and the reason where it has one. */
  readonly cost: string | undefined;
}

/** The routes as the router itself prints them, so that those without a controller are included. HEAD is as GET. */
export function listRoutes(app: NestFastifyApplication): ListedRoute[] {
  const declared = declaredRoutes(app);
  return routerRoutes(app)
    .filter((route) => !route.startsWith('HEAD '))
    .sort()
    .map((route) => declared.get(route) ?? { route, guard: undefined, limit: undefined, cost: undefined });
}

/** All routes of the router as `METHOD /path`. */
export function routerRoutes(app: NestFastifyApplication): string[] {
  const above: string[] = [];
  const tree = app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
  return tree
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      const [, indent = '', segment = '', methods = ''] = line.match(/^([│├└─ ]*)(\S*) \(([A-Z, ]+)\)$/) ?? [];
      if (methods === '') throw new Error(`a line of the routes that is not understood: ${line}`);
      const depth = indent.length / 4 - 1;
      above.splice(depth, above.length, segment);
      return methods.split(', ').map((method) => `${method} ${above.join('')}`);
    });
}

function declaredRoutes(app: NestFastifyApplication): Map<string, ListedRoute> {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  const routes = controllers.flatMap(({ metatype }) => {
    const type = Object(metatype);
    return Object.getOwnPropertyNames(type.prototype).flatMap((name) => {
      const handler = type.prototype[name];
      const declared = (key: string): unknown => Reflect.getMetadata(key, handler) ?? Reflect.getMetadata(key, type);
      const paths: unknown = Reflect.getMetadata('path', handler);
      if (paths === undefined) return [];
      const method = RequestMethod[Reflect.getMetadata('method', handler)];
      return [paths].flat().map((path) => {
        const parts = [Reflect.getMetadata('path', type), path].flatMap((part) => String(part).split('/'));
        return listed(`${method} /${parts.filter((part) => part !== '').join('/')}`, declared);
      });
    });
  });
  return new Map(routes.map((route) => [route.route, route]));
}

function listed(route: string, declared: (key: string) => unknown): ListedRoute {
  // The decorators write these types.
  const limit = declared(PUBLIC_ROUTE) as PublicLimit | undefined;
  const rules = declared(ACCESS_RULE) as readonly AccessRule[] | undefined;
  const cost = COSTS[route]?.join(': ');
  if (limit !== undefined) return { route, guard: 'public', limit, cost };
  const guard = rules?.map(({ scope, kinds }) => `${scope}: ${kinds.join(', ')}`).join('; ');
  const turn = (declared(TAKES_TURN) as TurnRule | undefined) ?? route.startsWith('GET ');
  const guarded = typeof turn === 'function' ? 'lists' : turn ? 'turns' : 'caller';
  return { route, guard, limit: guard === undefined ? undefined : guarded, cost: cost ?? 'database' };
}

const LIMITS: Readonly<Record<PublicLimit | 'caller' | 'turns' | 'lists', string>> = {
  anonymous: 'counted for the address before anything is done',
  refusals: 'a refused credential is counted for the address; a valid one is always admitted',
  optional: 'as `anonymous` without a credential, as `caller` with one',
  none: 'answered from memory, or from one query that all requests at that time share; a refusal would cost as much',
  caller:
    'counted for the agent, person or service, and for the owner of agents and services; without a valid credential, as `refusals`',
  turns: 'as `caller`, and a few of one caller are processed at once; more wait, and beyond those 429',
  lists:
    'as `turns` for the tools `list_skills`, `recall_sessions`, `read_session`, `embedder_runs` and `embedder_checkpoints`, for resources and for `skills/…`; as `caller` for all others',
};

/** docs/routes.md */
export function routesDocument(routes: readonly ListedRoute[]): string {
  const legend = (texts: Readonly<Record<string, string>>) =>
    Object.entries(texts).map(([name, text]) => `- \`${name}\`: ${text}`);
  const rows = routes.map(
    ({ route, guard, limit, cost }) => `| \`${route}\` | ${guard ?? '–'} | ${limit ?? '–'} | ${cost ?? '–'} |`,
  );
  return [
    '# Routes of the server',
    '',
    'Written by `npm run routes` from a running server: what admits a request, what limits it, and what one costs at most.',
    'HEAD is as GET. Every other path is answered with 404 from memory.',
    '',
    'Limits ([how many](operate.md#limits)):',
    '',
    ...legend(LIMITS),
    '',
    'Costs:',
    '',
    ...legend(COST_CLASSES),
    '',
    '| Route | Admits | Limit | Cost |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
