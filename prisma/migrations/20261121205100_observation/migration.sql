-- What a cycle needs of an execution, so that no report is read twice. No reference to the execution: capture holds
-- that row while it writes here, and a cycle that writes what is missing would wait for it crosswise.

CREATE TABLE "observation" (
    "execution_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "body" JSONB NOT NULL,

    CONSTRAINT "observation_pkey" PRIMARY KEY ("execution_id")
);
COMMENT ON TABLE "observation" IS 'worker: SELECT, INSERT, UPDATE';

-- Whose parent came in late is found from the parent.
CREATE INDEX "execution_parent_execution_id_idx" ON "execution"("parent_execution_id");
