CREATE TABLE `heartbeats` (
	`series` integer NOT NULL,
	`at_us` integer NOT NULL,
	`status` text,
	`battery` real,
	`signal` real,
	`firmware` text,
	PRIMARY KEY(`series`, `at_us`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `series` (
	`series` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`entity_id` text NOT NULL,
	`sensor_id` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `series_sensor` ON `series` (`entity_id`,`sensor_id`);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE `chunks` (
	`id` integer PRIMARY KEY NOT NULL,
	`series` integer NOT NULL,
	`from_us` integer NOT NULL,
	`to_us` integer NOT NULL,
	`count` integer NOT NULL,
	`body` blob NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `chunks_series` ON `chunks` (`series`,`from_us`);
--> statement-breakpoint
CREATE TABLE `log` (
	`id` integer PRIMARY KEY NOT NULL,
	`body` blob NOT NULL
);
