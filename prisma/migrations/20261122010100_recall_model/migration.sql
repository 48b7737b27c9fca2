-- How often the small model of recalls was asked in a day of UTC: of all processes together, since all of them pay.
CREATE TABLE "recall_model_day" (
    "day" DATE NOT NULL,
    "calls" INTEGER NOT NULL,

    CONSTRAINT "recall_model_day_pkey" PRIMARY KEY ("day")
);

-- Whoever talks to models works under the role of background work.
COMMENT ON TABLE "recall_model_day" IS 'worker: SELECT, INSERT, UPDATE';
