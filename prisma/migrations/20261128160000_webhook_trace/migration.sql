-- The span of the work that queued a message, as a header of W3C: its delivery is a part of that trace. Without traces,
-- and for messages that were queued before, it is null.
ALTER TABLE "webhook_delivery" ADD COLUMN "traceparent" TEXT
  CONSTRAINT "webhook_delivery_traceparent" CHECK ("traceparent" ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$');
