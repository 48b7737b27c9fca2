import { z } from 'zod';
import { hasCredential } from '../../untrusted/redaction/credential-in-name.js';

const name = z
  .string()
  .trim()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._@/-]{0,99}$/u, {
    error: 'must be 1 to 100 letters, digits, spaces or . _ @ / - and start with a letter or digit',
  })
  // Names are stored and shown as they are, in lists, in the journal and on proposals.
  .refine((value) => !hasCredential(value), {
    error: 'looks like a credential; revoke it if it is one, and choose another name',
  });
const label = name.optional();

/** Lifetime of the token. Without it, the token works until it is rotated. */
const expiresInDays = z.int().min(1).max(3_650);

export const AgentName = name;

/** The header in which an importer names the agent it reports for. */
export const AGENT_HEADER = 'guildbook-agent';

export const NewAgent = z
  .strictObject({ name, role: label, department: label, owner: label, expiresInDays: expiresInDays.optional() })
  .meta({ id: 'NewAgent' });
export type NewAgent = z.infer<typeof NewAgent>;

/** The core block of an agent. Omitted fields stay unchanged. */
export const AgentChange = z
  .strictObject({
    /** Its budget in tokens; null: that of the server. */
    coreTokens: z.int().min(1).max(8_192).nullable().optional(),
    /** Whether the agent may write it. */
    coreWritable: z.boolean().optional(),
  })
  .meta({ id: 'AgentChange' });
export type AgentChange = z.infer<typeof AgentChange>;

/** The agent programs that `guildbook connect` connects, by the names in routes and settings. */
export const PRODUCTS = ['claude-code', 'codex', 'gemini', 'opencode', 'copilot'] as const;
export type Product = (typeof PRODUCTS)[number];

export const OwnAgent = z.strictObject({ product: z.enum(PRODUCTS) }).meta({ id: 'OwnAgent' });
export type OwnAgent = z.infer<typeof OwnAgent>;

export const NewService = z
  .strictObject({
    name,
    owner: label,
    scopes: z
      .array(z.enum(['report-for', 'read', 'propose']))
      .min(1)
      .max(3),
    expiresInDays: expiresInDays.optional(),
  })
  .meta({ id: 'NewService' });
export type NewService = z.infer<typeof NewService>;

/** One part of a review scope: agents of a department, of a role, or of a role in one department. */
const ReviewScopePart = z
  .strictObject({ department: label, role: label })
  .refine(({ department, role }) => department !== undefined || role !== undefined, {
    error: 'must name a department, a role or both',
  });

/** The groups of agents for which a reviewer decides; null means the whole organisation. */
export const ReviewScope = z.array(ReviewScopePart).min(1).max(50).nullable();
export type ReviewScope = z.infer<typeof ReviewScope>;

export const NewPerson = z
  .strictObject({
    name,
    email: z
      .email({ error: 'must be an e-mail address' })
      .max(200)
      .refine((value) => !hasCredential(value), { error: 'looks like a credential' }),
    reviewer: z.boolean().default(false),
    admin: z.boolean().default(false),
    reviewScope: ReviewScope.optional(),
  })
  .meta({ id: 'NewPerson' });
export type NewPerson = z.infer<typeof NewPerson>;

/** Omitted fields stay unchanged. */
export const PersonChange = z
  .strictObject({
    reviewer: z.boolean().optional(),
    admin: z.boolean().optional(),
    reviewScope: ReviewScope.optional(),
  })
  .meta({ id: 'PersonChange' });
export type PersonChange = z.infer<typeof PersonChange>;

/** Without `expiresInDays` the new token has the same lifetime as the old one; `null` means no expiry. */
export const Rotation = z
  .strictObject({ expiresInDays: expiresInDays.nullable().optional() })
  .default({})
  .meta({ id: 'Rotation' });
export type Rotation = z.infer<typeof Rotation>;

export const SignIn = z.strictObject({ token: z.string().min(1).max(200) }).meta({ id: 'SignIn' });
export type SignIn = z.infer<typeof SignIn>;

/** The form of the sign-in page. Without a token, the browser's own sign-in cookie is used. */
export const SignInForm = z
  .strictObject({ token: z.string().min(1).max(200).optional(), to: z.string().max(500).optional() })
  .default({});
export type SignInForm = z.infer<typeof SignInForm>;

/** Not strict: the sender of the link may have appended other parameters. */
export const SignInQuery = z.object({ token: z.string().max(200).optional(), to: z.string().max(500).optional() });
export type SignInQuery = z.infer<typeof SignInQuery>;

export const Principal = z
  .object({
    id: z.uuid(),
    kind: z.enum(['agent', 'person', 'service']),
    name: z.string(),
    email: z.string().nullable(),
    roles: z.array(z.enum(['reviewer', 'admin'])),
    reviewScope: ReviewScope,
    role: z.string().nullable(),
    department: z.string().nullable(),
    owner: z.string().nullable(),
    /** Of an agent with a core block of another size than the server's. */
    coreTokens: z.int().optional(),
    /** False of an agent that may not write its core block. */
    coreWritable: z.literal(false).optional(),
    createdAt: z.string(),
    disabledAt: z.string().nullable(),
  })
  .meta({ id: 'Principal' });
export type Principal = z.infer<typeof Principal>;

/** A principal with the fields that lists show. */
export const ListedPrincipal = Principal.extend({
  /** The last use of one of its credentials, to the minute. */
  lastUsedAt: z.string().nullable(),
  /** Expiry of the token of an agent or service. */
  tokenExpiresAt: z.string().nullable(),
  /** Whether an agent or service holds a token; an agent known only from imports has none. */
  hasToken: z.boolean(),
}).meta({ id: 'ListedPrincipal' });
export type ListedPrincipal = z.infer<typeof ListedPrincipal>;

export const PrincipalList = z.object({ items: z.array(ListedPrincipal) }).meta({ id: 'PrincipalList' });
export type PrincipalList = z.infer<typeof PrincipalList>;

/** A principal with its new token, which is shown once. */
export const Issued = z
  .object({ principal: Principal, token: z.string(), expiresAt: z.string().nullable() })
  .meta({ id: 'Issued' });
export type Issued = z.infer<typeof Issued>;

export const SignedIn = z
  .object({
    principal: Principal,
    /** For the API; valid for at most one hour. */
    token: z.string(),
    expiresAt: z.string(),
    scopes: z.array(z.string()),
    /** Signs in again, and does nothing else, until `signInExpiresAt`. Absent if this sign-in used a sign-in token. */
    signInToken: z.string().optional(),
    signInExpiresAt: z.string().optional(),
  })
  .meta({ id: 'SignedIn' });
export type SignedIn = z.infer<typeof SignedIn>;

/** Opened in a browser as `/sign-in?token=…`. */
export const SignInLink = z.object({ token: z.string(), expiresAt: z.string() }).meta({ id: 'SignInLink' });
export type SignInLink = z.infer<typeof SignInLink>;

export const Me = z
  .object({ principal: Principal, scopes: z.array(z.string()), expiresAt: z.string().nullable() })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof Me>;
