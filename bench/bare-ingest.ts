/**
 * The minimal ingestions that bench/ingest.ts compares with. `/v1/executions`: Fastify parses JSON, and one INSERT stores
 * it. `/v1/executions/redacted`: the same with the product's schema and redaction, and the product's row; without its
 * credential, identifiers, journal and wake-up of learning. The benchmark creates the tables.
 */
import { createHash, randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';
import { ExecutionReport } from '../src/capture/report/execution-report.schema.js';
import { sanitiseReport } from '../src/capture/report/sanitised-report.js';

const pool = new pg.Pool({ connectionString: process.argv[2] ?? '', max: 10 });
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

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
server.post('/v1/executions/redacted', async (request, reply) => {
  const parsed = ExecutionReport.safeParse(request.body);
  if (!parsed.success) return reply.code(400).send({ issues: parsed.error.issues });
  const sanitised = sanitiseReport(parsed.data);
  if (!sanitised.usable) return reply.code(400).send({ issues: sanitised.issues });
  const [id, { report, findings }] = [randomUUID(), sanitised];
  const body = JSON.stringify(report);
  await pool.query({
    name: 'insert redacted',
    text: `INSERT INTO bare_report ("id", "agent_id", "execution_id", "report_sha256", "task_id", "session_id", "origin",
        "status", "started_at", "finished_at", "received_at", "report", "model", "patterns", "findings", "capture_state",
        "owner", "reporter_id", "credential_id")
      VALUES ($1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, '{}', $13, 'captured', 'bench', $1, $1)`,
    values: [
      ...[id, report.executionId, sha256(body), report.taskId, report.sessionId, sha256(report.taskTitle)],
      ...[report.status, report.startedAt, report.finishedAt, new Date(), body, report.model, JSON.stringify(findings)],
    ],
  });
  return reply.code(202).send({ id });
});
const address = await server.listen({ port: 0, host: '127.0.0.1' });
console.log(`listening on ${address}`);
