-- What a memory's text means, as numbers, with the name of what made them: another embedder makes them anew.
-- Derived from the memory and deleted with it. Background work that learns or evolves has no use for it.
CREATE TABLE "memory_vector" (
    "memory_id" UUID NOT NULL,
    "embedder" TEXT NOT NULL,
    "text_sha256" TEXT NOT NULL,
    "vector" BYTEA NOT NULL,

    CONSTRAINT "memory_vector_pkey" PRIMARY KEY ("memory_id")
);
