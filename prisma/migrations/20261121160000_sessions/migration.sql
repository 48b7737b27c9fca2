-- A person's browser holds a session; a link that signs in a browser is used once. As text below: a value that is
-- added to an enum cannot be used in the same transaction.
ALTER TYPE "CredentialKind" ADD VALUE 'SESSION';
ALTER TYPE "CredentialKind" ADD VALUE 'LINK';

-- What may decide still lives an hour at most; a session does so whatever it may.
ALTER TABLE "credential" DROP CONSTRAINT "credential_decide_is_short_lived";
ALTER TABLE "credential" ADD CONSTRAINT "credential_decide_is_short_lived" CHECK (
  NOT ('decide' = ANY ("scopes"))
  OR ("kind"::text IN ('PERSONAL', 'SESSION')
      AND "expires_at" IS NOT NULL AND "expires_at" <= "created_at" + interval '1 hour')
);
ALTER TABLE "credential" ADD CONSTRAINT "credential_session_is_short_lived" CHECK (
  "kind"::text <> 'SESSION' OR ("expires_at" IS NOT NULL AND "expires_at" <= "created_at" + interval '1 hour')
);
ALTER TABLE "credential" ADD CONSTRAINT "credential_link_is_short_lived" CHECK (
  "kind"::text <> 'LINK'
  OR ("scopes" = '{}' AND "expires_at" IS NOT NULL AND "expires_at" <= "created_at" + interval '1 hour')
);
