import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { type SqlClient, selectColumns } from '../../platform/database/sql-client.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import { SCOPES, type Scope } from '../../platform/http/require-scope.decorator.js';
import type { Principal } from './access.schema.js';
import { type PrincipalRow, toPrincipal } from './principal.repository.js';
import type { MintedToken, TokenKind } from './token.js';

export interface Credential {
  readonly id: string;
  readonly kind: TokenKind;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly usedAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly principal: Principal;
}

type OwnRow = Omit<Awaited<ReturnType<Tx['credential']['findUniqueOrThrow']>>, 'createdAt'>;
/** A credential and its principal in one row. Both have an id and a kind, so the principal's are renamed. */
type Row = OwnRow & Omit<PrincipalRow, 'id' | 'kind'> & { readonly principalKind: PrincipalRow['kind'] };

const { createdAt: _createdAt, ...OWN } = Prisma.CredentialScalarFieldEnum;
const { id: _id, kind: _kind, ...PRINCIPALS } = Prisma.PrincipalScalarFieldEnum;
const COLUMNS = Prisma.sql`${selectColumns(Object.keys(OWN), 'c')}, ${selectColumns(Object.keys(PRINCIPALS), 'p')},
  p."kind" AS "principalKind"`;

const byHashes = (hashes: readonly string[]) => Prisma.sql`
  SELECT ${COLUMNS} FROM "credential" c JOIN "principal" p ON p."id" = c."principal_id"
   WHERE c."hash" = ANY (${[...hashes]})`;

const toCredential = (row: Row): Credential => ({
  id: row.id,
  expiresAt: row.expiresAt,
  usedAt: row.usedAt,
  revokedAt: row.revokedAt,
  lastUsedAt: row.lastUsedAt,
  kind: row.kind,
  scopes: SCOPES.filter((scope) => row.scopes.includes(scope)),
  principal: toPrincipal({ ...row, id: row.principalId, kind: row.principalKind }),
});

@Injectable()
export class CredentialRepository {
  async create(
    tx: Tx,
    credential: {
      id: string;
      principalId: string;
      kind: TokenKind;
      minted: MintedToken;
      scopes: readonly Scope[];
      createdAt: Date;
      expiresAt: Date | null;
    },
  ): Promise<void> {
    const { minted, scopes, ...rest } = credential;
    await tx.credential.create({
      data: { ...rest, scopes: [...scopes], prefix: minted.prefix, hash: minted.hash },
    });
  }

  async findByHash(tx: SqlClient, hash: string): Promise<Credential | undefined> {
    const [row] = await tx.$queryRaw<Row[]>(byHashes([hash]));
    return row ? toCredential(row) : undefined;
  }

  /**
   * Returns the credential of each hash, in their order. Runs outside a transaction, because every request needs it.
   */
  async findByHashes(tx: SqlClient, hashes: readonly string[]): Promise<(Credential | undefined)[]> {
    const rows = await tx.$queryRaw<Row[]>(byHashes([...new Set(hashes)]));
    const found = new Map(rows.map((row) => [row.hash, toCredential(row)]));
    return hashes.map((hash) => found.get(hash));
  }

  /** Compare-and-set: returns true for the one caller that used the one-time credential. */
  async consume(tx: Tx, id: string, at: Date): Promise<boolean> {
    const { count } = await tx.credential.updateMany({
      where: { id, usedAt: null, revokedAt: null },
      data: { usedAt: at },
    });
    return count === 1;
  }

  /** True if one of these people holds a valid sign-in. An unused invitation does not count. */
  async hasActiveSignIn(tx: Tx, principalIds: readonly string[], now: Date): Promise<boolean> {
    const count = await tx.credential.count({
      where: {
        principalId: { in: [...principalIds] },
        kind: { in: ['sign_in', 'personal', 'session'] },
        revokedAt: null,
        expiresAt: { gt: now },
      },
    });
    return count > 0;
  }

  /** When the last invitation of these people that still works expires; undefined if there is none. */
  async lastOpenInvitation(tx: Tx, principalIds: readonly string[], now: Date): Promise<Date | undefined> {
    const row = await tx.credential.findFirst({
      where: {
        principalId: { in: [...principalIds] },
        kind: 'one_time',
        usedAt: null,
        revokedAt: null,
        expiresAt: { gt: now },
      },
      orderBy: { expiresAt: 'desc' },
    });
    return row?.expiresAt ?? undefined;
  }

  /** Revokes the invitations of a person that were not used. */
  async revokeOpenInvitations(tx: Tx, principalId: string, at: Date): Promise<void> {
    const where = { principalId, kind: 'one_time', usedAt: null, revokedAt: null } as const;
    await tx.credential.updateMany({ where, data: { revokedAt: at } });
  }

  /** Returns the scopes and the lifetime of the newest token of an agent or service. */
  async newestToken(tx: Tx, principalId: string): Promise<{ scopes: Scope[]; lifeMs: number | null }> {
    const row = await tx.credential.findFirst({
      where: { principalId, kind: 'token' },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    });
    return {
      scopes: SCOPES.filter((scope) => row?.scopes.includes(scope)),
      lifeMs: row?.expiresAt ? row.expiresAt.getTime() - row.createdAt.getTime() : null,
    };
  }

  async recordUse(tx: Tx, id: string, at: Date): Promise<void> {
    await tx.credential.updateMany({ where: { id }, data: { lastUsedAt: at } });
  }

  async revoke(tx: Tx, id: string, at: Date): Promise<void> {
    await tx.credential.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: at } });
  }

  /** Revokes a principal's credentials (of the given kinds, or all). Returns their number. */
  async revokeAll(tx: Tx, principalId: string, at: Date, kinds?: readonly TokenKind[]): Promise<number> {
    const { count } = await tx.credential.updateMany({
      where: {
        principalId,
        revokedAt: null,
        ...(kinds ? { kind: { in: [...kinds] } } : {}),
      },
      data: { revokedAt: at },
    });
    return count;
  }
}
