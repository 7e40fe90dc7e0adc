CREATE TABLE `pending_steps` (
	`key_id` text NOT NULL,
	`place` text NOT NULL,
	`step` text NOT NULL,
	`command` text,
	`holder` text,
	`until_ms` integer,
	PRIMARY KEY(`key_id`, `place`, `step`)
);--> statement-breakpoint
insert or ignore into pending_steps (key_id, place, step) select substr(name, 16, 36), '', 'exec' from marks where name like 'after_rotation:%';--> statement-breakpoint
delete from marks where name like 'after_rotation:%' or name like 'delivery_lease:%';