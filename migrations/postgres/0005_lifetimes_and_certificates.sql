ALTER TABLE "daemons" ADD COLUMN "certificate_from_ms" bigint;--> statement-breakpoint
ALTER TABLE "daemons" ADD COLUMN "certificate_until_ms" bigint;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "longest_lifetime_days" integer;