import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { KeptNote, NoteQuestion } from './kept-note.js';

/** What agents write in free text: notes, and facts, decisions and preferences of session memories. */
@Injectable()
export class NoteRepository {
  /** The newest of an agent that hold in this project; null: in any. */
  kept(tx: Tx, agentId: string, project: string | null, limit: number): Promise<KeptNote[]> {
    return tx.$queryRaw<KeptNote[]>`
      SELECT "id"::text AS "id", "kind", "action" AS "content", "content_sha256" AS "contentSha256", "created_at" AS "createdAt"
        FROM "memory"
       WHERE "agent_id" = ${agentId}::uuid AND "superseded_at" IS NULL AND "scope" IN ('agent', 'project')
         AND "kind" IN ('note', 'core', 'fact', 'decision', 'preference')
         AND ("project" IS NULL OR ${project}::text IS NULL OR "project" = ${project}::text)
       ORDER BY "created_at" DESC, "id" LIMIT ${limit}`;
  }

  /** The newest pairs of which both are live, of the agents of one of these owners; undefined: of all agents. */
  questions(tx: Tx, owners: readonly string[] | undefined, limit: number): Promise<NoteQuestion[]> {
    return tx.$queryRaw<NoteQuestion[]>`
      SELECT p."name" AS "agent", a."kind", a."action" AS "says", b."kind" AS "otherKind", b."action" AS "other",
             a."created_at" AS "at"
        FROM "memory" a CROSS JOIN LATERAL unnest(a."control_tags") t("tag")
        JOIN "memory" b ON b."id" = substr(t."tag", length('contradicts:') + 1)::uuid AND b."superseded_at" IS NULL
         AND b."agent_id" = a."agent_id"
        JOIN "principal" p ON p."id" = a."agent_id" AND (${owners === undefined}::boolean
          OR lower(p."owner") IN (SELECT lower(o) FROM unnest(${[...(owners ?? [])]}::text[]) o))
       WHERE a."scope" IN ('agent', 'project') AND a."superseded_at" IS NULL AND t."tag" ~ '^contradicts:[0-9a-f-]{36}$'
       ORDER BY a."created_at" DESC, a."id", b."id" LIMIT ${limit}`;
  }
}
