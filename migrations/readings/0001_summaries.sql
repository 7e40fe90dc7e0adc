CREATE TABLE `drops` (
	`entity_id` text PRIMARY KEY NOT NULL,
	`until_us` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `summaries` (
	`series` integer NOT NULL,
	`hour_us` integer NOT NULL,
	`count` integer NOT NULL,
	`min` real NOT NULL,
	`max` real NOT NULL,
	`mean` real NOT NULL,
	`first` real NOT NULL,
	`last` real NOT NULL,
	`first_at_us` integer NOT NULL,
	`last_at_us` integer NOT NULL,
	PRIMARY KEY(`series`, `hour_us`)
) WITHOUT ROWID;