ALTER TABLE `summaries` ADD `fallen` real DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `summaries` SET `fallen` = `first` WHERE `last` < `first`;--> statement-breakpoint
UPDATE `day_sums` SET `body` = NULL;
