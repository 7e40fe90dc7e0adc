CREATE TABLE `__new_key_usage` (
	`day` integer NOT NULL,
	`key_id` text NOT NULL,
	`kind` text NOT NULL,
	`code` text NOT NULL,
	`count` integer NOT NULL,
	`last_at_ms` integer,
	`last_sensor` text,
	`last_address` text,
	PRIMARY KEY(`day`, `key_id`, `kind`, `code`),
	CONSTRAINT "key_usage_valid" CHECK(day between -100000000 and 100000000 and kind in ('request', 'refused', 'accepted', 'duplicate', 'rejected') and length(code) <= 64 and count between 0 and 9007199254740991 and coalesce(last_at_ms, 0) between -8640000000000000 and 8640000000000000 and length(coalesce(last_sensor, '')) <= 256 and length(coalesce(last_address, '')) <= 64)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_key_usage`("day", "key_id", "kind", "code", "count", "last_at_ms", "last_sensor") SELECT "day", "key_id", "kind", "code", "count", "last_at_ms", "last_sensor" FROM `key_usage`;--> statement-breakpoint
DROP TABLE `key_usage`;--> statement-breakpoint
ALTER TABLE `__new_key_usage` RENAME TO `key_usage`;--> statement-breakpoint
CREATE INDEX `key_usage_rejected` ON `key_usage` (`day`) WHERE kind = 'rejected';--> statement-breakpoint
CREATE INDEX `key_usage_refused` ON `key_usage` (`day`) WHERE kind = 'refused';--> statement-breakpoint
CREATE INDEX `keys_live_named` ON `keys` (`tenant_id`,`name`) WHERE revoked_at_ms is null;