ALTER TABLE "summaries" ADD COLUMN "fallen" double precision DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "summaries" SET "fallen" = "first" WHERE "last" < "first";
