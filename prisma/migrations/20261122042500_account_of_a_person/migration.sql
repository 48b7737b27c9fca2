-- One account at the identity provider is one person here, and stays it whatever address it has: votes count people.
-- SHA-256 of issuer and subject; NULL until the person has signed in there.
ALTER TABLE "principal" ADD COLUMN "oidc_account" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "principal_oidc_account_key" ON "principal"("oidc_account");
