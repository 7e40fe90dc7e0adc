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
CREATE TABLE `readings` (
	`series` integer NOT NULL,
	`at_us` integer NOT NULL,
	`value` real NOT NULL,
	`quality` integer NOT NULL,
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