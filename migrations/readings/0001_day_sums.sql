CREATE TABLE `day_sums` (
	`id` integer PRIMARY KEY NOT NULL,
	`series` integer NOT NULL,
	`day_us` integer NOT NULL,
	`body` blob
);
--> statement-breakpoint
CREATE UNIQUE INDEX `day_sums_series` ON `day_sums` (`series`,`day_us`);--> statement-breakpoint
CREATE INDEX `day_sums_waiting` ON `day_sums` (`series`,`day_us`) WHERE body is null;--> statement-breakpoint
INSERT INTO `day_sums` (`series`, `day_us`) SELECT DISTINCT `series`, `from_us` - `from_us` % 86400000000 FROM `chunks`;
