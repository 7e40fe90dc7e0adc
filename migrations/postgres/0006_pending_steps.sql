CREATE TABLE "pending_steps" (
	"key_id" text collate "C" NOT NULL,
	"place" text NOT NULL,
	"step" text NOT NULL,
	"command" text,
	"holder" text,
	"until_ms" bigint,
	CONSTRAINT "pending_steps_key_id_place_step_pk" PRIMARY KEY("key_id","place","step")
);--> statement-breakpoint
insert into pending_steps (key_id, place, step) select substr(name, 16, 36), '', 'exec' from marks where name like 'after_rotation:%' on conflict do nothing;--> statement-breakpoint
delete from marks where name like 'after_rotation:%' or name like 'delivery_lease:%';