-- The number of calls in the record of an execution, by which two records of one session are compared. NULL of reports
-- that the version before stores: those are compared by their ends.
ALTER TABLE "execution" ADD COLUMN     "calls" INTEGER;
