ALTER TABLE "keys" ALTER COLUMN "name" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "pending_steps" ALTER COLUMN "place" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "pending_steps" ALTER COLUMN "step" SET DATA TYPE text collate "C";