CREATE TABLE `audit` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` text,
	`at_ms` integer NOT NULL,
	`action` text NOT NULL,
	`actor_id` text,
	`actor_login` text,
	`os_account` text NOT NULL,
	`target` text NOT NULL,
	`outcome` text NOT NULL,
	`detail` text NOT NULL,
	`previous_hash` text NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_tenant` ON `audit` (`tenant_id`,`seq`);
--> statement-breakpoint
CREATE TABLE `daemons` (
	`pid` integer PRIMARY KEY NOT NULL,
	`base_url` text NOT NULL,
	`since_ms` integer NOT NULL
, `version` text);
--> statement-breakpoint
CREATE TABLE `entities` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`timezone` text NOT NULL,
	`status` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `entities_code` ON `entities` (`tenant_id`,`code`);
--> statement-breakpoint
CREATE TABLE `keys` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`prefix` text NOT NULL,
	`secret_hash` text NOT NULL,
	`name` text NOT NULL,
	`permissions` text NOT NULL,
	`entity_id` text,
	`created_by` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`expires_at_ms` integer,
	`last_used_at_ms` integer,
	`revoked_at_ms` integer,
	`revoked_by` text,
	`rotated_from` text,
	`rotated_to` text, `allowed_ips` text DEFAULT '[]' NOT NULL, `note` text, `last_used_ip` text,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`entity_id`) REFERENCES `entities`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`created_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`revoked_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `keys_prefix_unique` ON `keys` (`prefix`);
--> statement-breakpoint
CREATE UNIQUE INDEX `keys_secret_hash_unique` ON `keys` (`secret_hash`);
--> statement-breakpoint
CREATE INDEX `keys_newest` ON `keys` (`tenant_id`,`created_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `keys_newest_live` ON `keys` (`tenant_id`,`created_at_ms`,`id`) WHERE revoked_at_ms is null;
--> statement-breakpoint
CREATE INDEX `keys_live_of_entity` ON `keys` (`entity_id`,`created_at_ms`) WHERE revoked_at_ms is null;
--> statement-breakpoint
CREATE INDEX `keys_live_of_user` ON `keys` (`created_by`,`created_at_ms`) WHERE revoked_at_ms is null;
--> statement-breakpoint
CREATE INDEX `keys_live_expiring` ON `keys` (`tenant_id`,`expires_at_ms`) WHERE revoked_at_ms is null;
--> statement-breakpoint
CREATE INDEX `keys_of_entity` ON `keys` (`entity_id`);
--> statement-breakpoint
CREATE TABLE `marks` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `purges` (
	`entity_id` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tenants` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`week_start` text NOT NULL,
	`created_at_ms` integer NOT NULL
, `retain_readings_days` integer);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`login` text NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`status` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_login_unique` ON `users` (`login`);
--> statement-breakpoint
CREATE INDEX `users_tenant` ON `users` (`tenant_id`,`login`);
--> statement-breakpoint
CREATE TABLE `key_usage` (
	`day` integer NOT NULL,
	`key_id` text NOT NULL,
	`kind` text NOT NULL,
	`code` text NOT NULL,
	`count` integer NOT NULL,
	`last_at_ms` integer,
	`last_sensor` text,
	PRIMARY KEY(`day`, `key_id`, `kind`, `code`),
	CONSTRAINT "key_usage_valid" CHECK(day between -100000000 and 100000000 and kind in ('request', 'refused', 'accepted', 'duplicate', 'rejected') and length(code) <= 64 and count between 0 and 9007199254740991 and coalesce(last_at_ms, 0) between -8640000000000000 and 8640000000000000 and length(coalesce(last_sensor, '')) <= 256)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `key_usage_rejected` ON `key_usage` (`day`) WHERE kind = 'rejected';
