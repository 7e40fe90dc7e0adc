CREATE TABLE `chunks` (
	`id` integer PRIMARY KEY NOT NULL,
	`series` integer NOT NULL,
	`from_us` integer NOT NULL,
	`to_us` integer NOT NULL,
	`count` integer NOT NULL,
	`body` blob NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `chunks_series` ON `chunks` (`series`,`from_us`);--> statement-breakpoint
CREATE TABLE `log` (
	`id` integer PRIMARY KEY NOT NULL,
	`body` blob NOT NULL
);
--> statement-breakpoint
DROP TABLE `readings`;