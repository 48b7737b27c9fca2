import { SetMetadata } from '@nestjs/common';

/** What a credential may be used for. `decide` is only ever on a person's short-lived token. */
export const SCOPES = ['report', 'report-for', 'read', 'propose', 'decide', 'administer'] as const;
export type Scope = (typeof SCOPES)[number];

export type CallerKind = 'agent' | 'person' | 'service';

export interface AccessRule {
  readonly scope: Scope;
  readonly kinds: readonly CallerKind[];
}

export const ACCESS_RULE = 'guildbook:access';

/** The scope that a route needs, and who may come at all. A route without a rule is closed to everybody. */
export const RequireScope = (scope: Scope, ...kinds: readonly CallerKind[]) => RequireAnyScope({ scope, kinds });

/** A route that several kinds of caller reach by different scopes: one rule has to fit. */
export const RequireAnyScope = (...rules: readonly AccessRule[]) => SetMetadata(ACCESS_RULE, rules);
