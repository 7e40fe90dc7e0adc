CREATE TABLE "key_usage" (
	"day" integer NOT NULL,
	"key_id" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"code" text collate "C" NOT NULL,
	"count" bigint NOT NULL,
	"last_at_ms" bigint,
	"last_sensor" text,
	CONSTRAINT "key_usage_day_key_id_kind_code_pk" PRIMARY KEY("day","key_id","kind","code"),
	CONSTRAINT "key_usage_valid" CHECK (day between -100000000 and 100000000 and kind in ('request', 'refused', 'accepted', 'duplicate', 'rejected') and length(code) <= 64 and count between 0 and 9007199254740991 and coalesce(last_at_ms, 0) between -8640000000000000 and 8640000000000000 and length(coalesce(last_sensor, '')) <= 256)
);
--> statement-breakpoint
CREATE INDEX "key_usage_rejected" ON "key_usage" USING btree ("day") WHERE kind = 'rejected';