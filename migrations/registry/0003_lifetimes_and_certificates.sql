ALTER TABLE `daemons` ADD `certificate_from_ms` integer;--> statement-breakpoint
ALTER TABLE `daemons` ADD `certificate_until_ms` integer;--> statement-breakpoint
ALTER TABLE `tenants` ADD `longest_lifetime_days` integer;