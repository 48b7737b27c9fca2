-- While a row is in force, the hooks of the sessions that it covers are answered with nothing.
CREATE TABLE "delivery_pause" (
    "id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "project" TEXT NOT NULL,
    "session" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3),

    CONSTRAINT "delivery_pause_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "delivery_pause_person_id_project_session_key" ON "delivery_pause"("person_id", "project", "session");
