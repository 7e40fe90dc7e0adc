CREATE TABLE `record_changes` (
	`entity` integer NOT NULL,
	`resource` text NOT NULL,
	`changed_at` text NOT NULL,
	`forgotten_to` text NOT NULL,
	PRIMARY KEY(`entity`, `resource`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `removed_records` (
	`entity` integer NOT NULL,
	`resource` text NOT NULL,
	`id` text NOT NULL,
	`removed_at` text NOT NULL,
	PRIMARY KEY(`entity`, `resource`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `removed_records_by_removed_at` ON `removed_records` (`entity`,`resource`,`removed_at`,`id`);--> statement-breakpoint
CREATE TABLE `record_epoch` (
	`epoch` text PRIMARY KEY NOT NULL
) WITHOUT ROWID;
