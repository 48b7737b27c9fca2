import { Injectable } from '@nestjs/common';
import { optional, present } from '../../platform/base/optional.js';
import { readRow, readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import { type AgentChange, type ListedPrincipal, type Principal, ReviewScope } from './access.schema.js';

type Kind = Principal['kind'];

/** An arbitrary number. The embedded database has one process and needs no lock. */
const FIRST_START_LOCK = 72707372;

export interface NewPrincipal {
  readonly id: string;
  readonly kind: Kind;
  readonly name: string;
  readonly email?: string | undefined;
  readonly isReviewer?: boolean;
  readonly isAdmin?: boolean;
  readonly reviewScope?: ReviewScope | undefined;
  readonly role?: string | undefined;
  readonly department?: string | undefined;
  readonly owner?: string | undefined;
  readonly createdAt: Date;
}

export interface PrincipalPageQuery {
  readonly after?: string | undefined;
  readonly text?: string | undefined;
  readonly limit: number;
}

export type PrincipalRow = Awaited<ReturnType<Tx['principal']['findUniqueOrThrow']>>;

export function toPrincipal(row: PrincipalRow): Principal {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    email: row.email,
    roles: [...(row.isReviewer ? (['reviewer'] as const) : []), ...(row.isAdmin ? (['admin'] as const) : [])],
    reviewScope: ReviewScope.parse(row.reviewScope),
    role: row.role,
    department: row.department,
    owner: row.owner,
    ...optional('coreTokens', row.coreTokens ?? undefined),
    ...(row.coreWritable === false ? { coreWritable: false as const } : {}),
    createdAt: row.createdAt.toISOString(),
    disabledAt: row.disabledAt?.toISOString() ?? null,
  };
}

@Injectable()
export class PrincipalRepository {
  async create(tx: Tx, principal: NewPrincipal): Promise<Principal> {
    const { email, role, department, owner, reviewScope, ...rest } = principal;
    const row = await tx.principal.create({
      data: {
        ...rest,
        email: email ?? null,
        role: role ?? null,
        department: department ?? null,
        owner: owner ?? null,
        reviewScope: reviewScope ?? Prisma.DbNull,
      },
    });
    return toPrincipal(row);
  }

  async find(tx: Tx, id: string): Promise<Principal | undefined> {
    const row = await tx.principal.findUnique({ where: { id } });
    return readRow('principal', row, toPrincipal);
  }

  /** Reads the principal and locks it until the transaction ends: other changes to it wait. */
  async lock(tx: Tx, id: string): Promise<Principal | undefined> {
    await tx.$queryRaw`SELECT 1 FROM principal WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
    return this.find(tx, id);
  }

  /** Until the transaction ends, no other process looks for the first administrator. */
  async lockFirstStart(tx: Tx): Promise<void> {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${FIRST_START_LOCK}::bigint)`;
  }

  /** Returns the ids of the active administrators and locks them until the transaction ends. */
  async lockAdministrators(tx: Tx): Promise<string[]> {
    // PostgreSQL checks the condition again after waiting for a lock, and omits a person who lost the role meanwhile.
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT id::text FROM principal WHERE is_admin AND disabled_at IS NULL ORDER BY id FOR NO KEY UPDATE`;
    return rows.map(({ id }) => id);
  }

  async findByName(tx: Tx, kind: Kind, name: string): Promise<Principal | undefined> {
    const row = await tx.principal.findUnique({ where: { kind_name: { kind, name } } });
    return readRow('principal', row, toPrincipal);
  }

  /** Returns the agent of this name, else that of the name in another case: two such names are one agent. */
  async findAgent(tx: Tx, name: string): Promise<Principal | undefined> {
    const exact = await this.findByName(tx, 'agent', name);
    if (exact !== undefined) return exact;
    const [other] = await tx.$queryRaw<{ id: string }[]>`
      SELECT id::text FROM principal
       WHERE kind = 'agent' AND lower(name) = lower(${name}) ORDER BY created_at, id LIMIT 1`;
    return other === undefined ? undefined : this.find(tx, other.id);
  }

  /** Returns the active people with this address. ASCII letters match in either case. */
  async findByEmail(tx: Tx, email: string): Promise<Principal[]> {
    // "K" (Kelvin) is lowered to "k": outside ASCII, a different address could match this one.
    if (!/^[\x21-\x7e]{3,200}$/.test(email)) return [];
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT id::text FROM principal
       WHERE kind = 'person' AND disabled_at IS NULL AND lower(email) = ${email.toLowerCase()} LIMIT 2`;
    const found = await tx.principal.findMany({ where: { id: { in: rows.map(({ id }) => id) } } });
    return readRows('principal', found, toPrincipal);
  }

  /** Returns the active person who has signed in with this account of the identity provider. */
  async findByAccount(tx: Tx, account: string): Promise<Principal | undefined> {
    const row = await tx.principal.findUnique({ where: { oidcAccount: account, disabledAt: null } });
    return readRow('principal', row, toPrincipal);
  }

  /**
   * Links the account to the person if neither is linked yet. Returns whether the account is this person's. A disabled
   * person loses it.
   */
  async linkAccount(tx: Tx, id: string, account: string): Promise<boolean> {
    await tx.principal.updateMany({
      where: { oidcAccount: account, disabledAt: { not: null } },
      data: { oidcAccount: null },
    });
    const { count } = await tx.principal.updateMany({
      where: { id, OR: [{ oidcAccount: null }, { oidcAccount: account }] },
      data: { oidcAccount: account },
    });
    return count === 1;
  }

  /** Unlinks the account. The next account that signs in with the person's address is linked instead. */
  async unlinkAccount(tx: Tx, id: string): Promise<void> {
    await tx.principal.updateMany({ where: { id, oidcAccount: { not: null } }, data: { oidcAccount: null } });
  }

  async list(tx: Tx, kind: Kind): Promise<ListedPrincipal[]> {
    const rows = await tx.principal.findMany({ where: { kind }, orderBy: { name: 'asc' } });
    return this.withLastUse(tx, rows);
  }

  /**
   * Returns a page sorted by name, after the name `after`, with `text` in the name or the address. One row more than
   * `limit` means that there are more.
   */
  async page(tx: Tx, kind: Kind, { after, text, limit }: PrincipalPageQuery): Promise<ListedPrincipal[]> {
    // Prisma treats % and _ as wildcards; in a search text they are literal.
    const like =
      text === undefined ? undefined : { contains: text.replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' as const };
    const rows = await tx.principal.findMany({
      where: {
        kind,
        ...(after === undefined ? {} : { name: { gt: after } }),
        ...(like ? { OR: [{ name: like }, { email: like }] } : {}),
      },
      orderBy: { name: 'asc' },
      take: limit + 1,
    });
    return this.withLastUse(tx, rows);
  }

  private async withLastUse(tx: Tx, rows: readonly PrincipalRow[]): Promise<ListedPrincipal[]> {
    const facts = await tx.$queryRaw<{ id: string; used: Date | null; expires: Date | null; held: boolean }[]>`
      SELECT c.principal_id::text AS id, max(c.last_used_at) AS used,
             max(c.expires_at) FILTER (WHERE c.kind = 'token' AND c.revoked_at IS NULL) AS expires,
             bool_or(c.kind = 'token' AND c.revoked_at IS NULL) AS held
        FROM credential c WHERE c.principal_id = ANY (${rows.map(({ id }) => id)}::uuid[]) GROUP BY 1`;
    const known = new Map(facts.map(({ id, ...fact }) => [id, fact]));
    return readRows('principal', rows, (row) => ({
      ...toPrincipal(row),
      lastUsedAt: known.get(row.id)?.used?.toISOString() ?? null,
      tokenExpiresAt: known.get(row.id)?.expires?.toISOString() ?? null,
      hasToken: known.get(row.id)?.held ?? false,
    }));
  }

  async updatePerson(
    tx: Tx,
    id: string,
    { reviewScope, ...roles }: { isReviewer: boolean; isAdmin: boolean; reviewScope: ReviewScope },
  ): Promise<Principal> {
    const data = { ...roles, reviewScope: reviewScope ?? Prisma.DbNull };
    return toPrincipal(await tx.principal.update({ where: { id }, data }));
  }

  async updateAgent(tx: Tx, id: string, change: AgentChange): Promise<Principal> {
    return toPrincipal(await tx.principal.update({ where: { id }, data: present(change) }));
  }

  async disable(tx: Tx, id: string, at: Date): Promise<boolean> {
    const { count } = await tx.principal.updateMany({ where: { id, disabledAt: null }, data: { disabledAt: at } });
    return count === 1;
  }
}
