import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database.js';
import type { Principal } from './access.schema.js';

type Kind = Principal['kind'];
const TO_ROW = { agent: 'AGENT', person: 'PERSON', service: 'SERVICE' } as const;
const FROM_ROW = { AGENT: 'agent', PERSON: 'person', SERVICE: 'service' } as const;

export interface NewPrincipal {
  readonly id: string;
  readonly kind: Kind;
  readonly name: string;
  readonly email?: string | undefined;
  readonly isReviewer?: boolean;
  readonly isAdmin?: boolean;
  readonly role?: string | undefined;
  readonly department?: string | undefined;
  readonly owner?: string | undefined;
  readonly createdAt: Date;
}

type Row = Awaited<ReturnType<Tx['principal']['findUniqueOrThrow']>>;

export function toPrincipal(row: Row): Principal {
  return {
    id: row.id,
    kind: FROM_ROW[row.kind],
    name: row.name,
    email: row.email,
    roles: [...(row.isReviewer ? (['reviewer'] as const) : []), ...(row.isAdmin ? (['admin'] as const) : [])],
    role: row.role,
    department: row.department,
    owner: row.owner,
    createdAt: row.createdAt.toISOString(),
    disabledAt: row.disabledAt?.toISOString() ?? null,
  };
}

@Injectable()
export class PrincipalRepository {
  async create(tx: Tx, principal: NewPrincipal): Promise<Principal> {
    const { kind, email, role, department, owner, ...rest } = principal;
    const row = await tx.principal.create({
      data: {
        ...rest,
        kind: TO_ROW[kind],
        email: email ?? null,
        role: role ?? null,
        department: department ?? null,
        owner: owner ?? null,
      },
    });
    return toPrincipal(row);
  }

  async find(tx: Tx, id: string): Promise<Principal | undefined> {
    const row = await tx.principal.findUnique({ where: { id } });
    return row ? toPrincipal(row) : undefined;
  }

  async findByName(tx: Tx, kind: Kind, name: string): Promise<Principal | undefined> {
    const row = await tx.principal.findUnique({ where: { kind_name: { kind: TO_ROW[kind], name } } });
    return row ? toPrincipal(row) : undefined;
  }

  async list(tx: Tx, kind: Kind): Promise<Principal[]> {
    const rows = await tx.principal.findMany({ where: { kind: TO_ROW[kind] }, orderBy: { name: 'asc' } });
    return rows.map(toPrincipal);
  }

  async disable(tx: Tx, id: string, at: Date): Promise<boolean> {
    const { count } = await tx.principal.updateMany({ where: { id, disabledAt: null }, data: { disabledAt: at } });
    return count === 1;
  }
}
