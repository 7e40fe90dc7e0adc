CREATE TABLE "day_sums" (
	"entity" integer NOT NULL,
	"series" integer NOT NULL,
	"day_us" bigint NOT NULL,
	"dropped_us" bigint NOT NULL,
	"body" "bytea" NOT NULL,
	CONSTRAINT "day_sums_entity_series_day_us_pk" PRIMARY KEY("entity","series","day_us")
);
