import type { NestFastifyApplication } from '@nestjs/platform-fastify';

interface Document {
  readonly paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, unknown> }> }>>;
}

/** By route (`GET /v1/skills/{name}`): its statuses, each with the codes that its schema allows; undefined: any code. */
type Documented = ReadonlyMap<string, ReadonlyMap<number, readonly string[] | undefined>>;

/** The document is the same in every application, and making it takes most of a second. */
let documented: Promise<Documented> | undefined;

/**
 * Records what an application answers, so that its end can fail for an answer that the API document does not list.
 * Call it before the application is initialised.
 */
export function watchAnswers(app: NestFastifyApplication): { undocumented(): Promise<string[]> } {
  const answers = new Set<string>();
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onSend', async (request, reply, payload) => {
      const route = request.routeOptions.url?.replace(/:(\w+)/g, '{$1}');
      const isProblem = String(reply.getHeader('content-type')).startsWith('application/problem+json');
      const code = isProblem && typeof payload === 'string' ? codeOf(payload) : '';
      if (route !== undefined) answers.add(`${request.method} ${route} ${reply.statusCode} ${code}`);
      return payload;
    });
  return {
    async undocumented() {
      if (answers.size === 0) return [];
      documented ??= readDocument(app);
      const routes = await documented;
      return [...answers].filter((answer) => !isDocumented(answer, routes)).sort();
    },
  };
}

const codeOf = (problem: string): string => String(Object(JSON.parse(problem)).code);

/** True also for routes that the document leaves out, such as the console's pages. */
function isDocumented(answer: string, routes: Documented): boolean {
  const [method, path, status, code = ''] = answer.split(' ');
  const statuses = routes.get(`${method} ${path}`);
  if (statuses === undefined) return true;
  if (!statuses.has(Number(status))) return false;
  const codes = statuses.get(Number(status));
  return codes === undefined || code === '' || codes.includes(code);
}

async function readDocument(app: NestFastifyApplication): Promise<Documented> {
  // From another address, because a spec may have used up the limit of its own.
  const { payload } = await app.inject({ url: '/v1/openapi.json', remoteAddress: '198.51.100.1' });
  // The server's own document has this form.
  const { paths } = JSON.parse(payload) as Document;
  return new Map(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { responses }]) => [
        `${method.toUpperCase()} ${path}`,
        new Map(Object.entries(responses).map(([status, response]) => [Number(status), allowedCodes(response)])),
      ]),
    ),
  );
}

function allowedCodes(response: unknown): string[] | undefined {
  const [, enumeration] = /"code":\{"type":"string","enum":\[([^\]]+)\]/.exec(JSON.stringify(response)) ?? [];
  return enumeration === undefined ? undefined : JSON.parse(`[${enumeration}]`);
}
