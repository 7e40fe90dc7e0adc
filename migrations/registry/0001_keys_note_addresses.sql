ALTER TABLE `daemons` ADD `version` text;--> statement-breakpoint
ALTER TABLE `keys` ADD `allowed_ips` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `keys` ADD `note` text;--> statement-breakpoint
ALTER TABLE `keys` ADD `last_used_ip` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `retain_readings_days` integer;