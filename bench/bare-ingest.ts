/** The minimal ingestion that bench/ingest.ts compares with: Fastify parses JSON, and one INSERT stores it. */
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.argv[2] ?? '', max: 10 });
await pool.query(`CREATE TABLE IF NOT EXISTS bare_execution (
  id uuid PRIMARY KEY, execution_id text NOT NULL UNIQUE, received_at timestamptz NOT NULL, report jsonb NOT NULL)`);

const server = Fastify({ bodyLimit: 4_194_304 });
server.post<{ Body: { executionId: string } }>('/v1/executions', async (request, reply) => {
  const id = randomUUID();
  await pool.query({
    name: 'insert',
    text: 'INSERT INTO bare_execution VALUES ($1, $2, $3, $4)',
    values: [id, request.body.executionId, new Date(), JSON.stringify(request.body)],
  });
  return reply.code(202).send({ id });
});
const address = await server.listen({ port: 0, host: '127.0.0.1' });
console.log(`listening on ${address}`);
