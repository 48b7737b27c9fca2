import { SetMetadata } from '@nestjs/common';

/** What a credential may be used for. Only a person's short-lived token carries `decide`. */
export const SCOPES = ['report', 'report-for', 'read', 'propose', 'decide', 'administer'] as const;
export type Scope = (typeof SCOPES)[number];

export type CallerKind = 'agent' | 'person' | 'service';

export interface AccessRule {
  readonly scope: Scope;
  readonly kinds: readonly CallerKind[];
}

export const ACCESS_RULE = 'guildbook:access';
export const TAKES_TURN = 'guildbook:turn';

/**
 * Declares the scope that a route needs and the kinds of callers it admits. A route without a rule rejects every
 * caller.
 */
export const RequireScope = (scope: Scope, ...kinds: readonly CallerKind[]) => RequireAnyScope({ scope, kinds });

/** For a route that several kinds of callers reach with different scopes: one rule must match. */
export const RequireAnyScope = (...rules: readonly AccessRule[]) => SetMetadata(ACCESS_RULE, rules);

/** Whether a request takes a turn, for some routes by its body. */
export type TurnRule = boolean | ((body: unknown) => boolean);

/**
 * Declares which requests of a route read as much as there is: of one caller a few of them are processed at once, and
 * more wait. Without it, those of every GET with an access rule.
 */
export const TakesTurn = (rule: TurnRule) => SetMetadata(TAKES_TURN, rule);
