CREATE TABLE "audit" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"tenant_id" text,
	"at_ms" bigint NOT NULL,
	"action" text NOT NULL,
	"actor_id" text,
	"actor_login" text,
	"os_account" text NOT NULL,
	"target" text NOT NULL,
	"outcome" text NOT NULL,
	"detail" text NOT NULL,
	"previous_hash" text NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_head" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"last_seq" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "daemons" (
	"id" text PRIMARY KEY NOT NULL,
	"pid" integer NOT NULL,
	"base_url" text,
	"since_ms" bigint NOT NULL,
	"seen_at_ms" bigint NOT NULL,
	"version" text
);
--> statement-breakpoint
CREATE TABLE "entities" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"code" text collate "C" NOT NULL,
	"name" text NOT NULL,
	"timezone" text NOT NULL,
	"status" text NOT NULL,
	"created_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "generations" (
	"name" text PRIMARY KEY NOT NULL,
	"value" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "key_uses" (
	"key_id" text collate "C" PRIMARY KEY NOT NULL,
	"last_used_at_ms" bigint NOT NULL,
	"last_used_ip" text
);
--> statement-breakpoint
CREATE TABLE "keys" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"prefix" text collate "C" NOT NULL,
	"secret_hash" text collate "C" NOT NULL,
	"name" text NOT NULL,
	"permissions" text NOT NULL,
	"entity_id" text collate "C",
	"created_by" text collate "C" NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"expires_at_ms" bigint,
	"revoked_at_ms" bigint,
	"revoked_by" text collate "C",
	"rotated_from" text collate "C",
	"rotated_to" text collate "C",
	"allowed_ips" text DEFAULT '[]' NOT NULL,
	"note" text,
	CONSTRAINT "keys_prefix_unique" UNIQUE("prefix"),
	CONSTRAINT "keys_secret_hash_unique" UNIQUE("secret_hash")
);
--> statement-breakpoint
CREATE TABLE "limit_counts" (
	"id" text PRIMARY KEY NOT NULL,
	"ends_at_ms" bigint NOT NULL,
	"count" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "marks" (
	"name" text PRIMARY KEY NOT NULL,
	"value" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "purges" (
	"entity_id" text collate "C" PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "store_version" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"version" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tenants" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"number" integer GENERATED ALWAYS AS IDENTITY (sequence name "tenants_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"week_start" text NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"retain_readings_days" integer
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"login" text collate "C" NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"status" text NOT NULL,
	"created_at_ms" bigint NOT NULL,
	CONSTRAINT "users_login_unique" UNIQUE("login")
);
--> statement-breakpoint
CREATE TABLE "record_entities" (
	"number" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "record_entities_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"entity_id" text collate "C" NOT NULL,
	"last_series" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "record_entities_id_unique" UNIQUE("entity_id")
);
--> statement-breakpoint
CREATE TABLE "record_changes" (
	"entity" integer NOT NULL,
	"resource" text collate "C" NOT NULL,
	"changed_at" text collate "C" NOT NULL,
	"forgotten_to" text collate "C" NOT NULL,
	CONSTRAINT "record_changes_entity_resource_pk" PRIMARY KEY("entity","resource")
);
--> statement-breakpoint
CREATE TABLE "removed_records" (
	"entity" integer NOT NULL,
	"resource" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"removed_at" text collate "C" NOT NULL,
	CONSTRAINT "removed_records_entity_resource_id_pk" PRIMARY KEY("entity","resource","id")
);
--> statement-breakpoint
CREATE TABLE "record_epoch" (
	"epoch" text collate "C" PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "series" (
	"entity" integer NOT NULL,
	"series" integer NOT NULL,
	"sensor_id" text collate "C" NOT NULL,
	CONSTRAINT "series_entity_series_pk" PRIMARY KEY("entity","series")
);
--> statement-breakpoint
CREATE TABLE "readings" (
	"entity" integer NOT NULL,
	"series" integer NOT NULL,
	"at_us" bigint NOT NULL,
	"value" double precision NOT NULL,
	"quality" smallint NOT NULL,
	CONSTRAINT "readings_entity_series_at_us_pk" PRIMARY KEY("entity","series","at_us")
);
--> statement-breakpoint
CREATE TABLE "heartbeats" (
	"entity" integer NOT NULL,
	"series" integer NOT NULL,
	"at_us" bigint NOT NULL,
	"status" text,
	"battery" double precision,
	"signal" double precision,
	"firmware" text,
	CONSTRAINT "heartbeats_entity_series_at_us_pk" PRIMARY KEY("entity","series","at_us")
);
--> statement-breakpoint
CREATE TABLE "summaries" (
	"entity" integer NOT NULL,
	"series" integer NOT NULL,
	"hour_us" bigint NOT NULL,
	"count" bigint NOT NULL,
	"min" double precision NOT NULL,
	"max" double precision NOT NULL,
	"mean" double precision NOT NULL,
	"first" double precision NOT NULL,
	"last" double precision NOT NULL,
	"first_at_us" bigint NOT NULL,
	"last_at_us" bigint NOT NULL,
	CONSTRAINT "summaries_entity_series_hour_us_pk" PRIMARY KEY("entity","series","hour_us")
);
--> statement-breakpoint
CREATE TABLE "drops" (
	"entity" integer PRIMARY KEY NOT NULL,
	"until_us" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"job_number" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"order_id" text collate "C",
	"part_id" text collate "C",
	"routing_id" text collate "C",
	"project_id" text collate "C",
	"quantity" numeric NOT NULL,
	"quantity_completed" numeric,
	"unit" text collate "C",
	"priority" bigint,
	"received_date" text collate "C",
	"required_date" text collate "C",
	"delivered_date" text collate "C",
	"invoiced_date" text collate "C",
	"started_at" text collate "C",
	"completed_at" text collate "C",
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "jobs_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"order_number" text collate "C" NOT NULL,
	"customer_code" text collate "C",
	"customer_name" text collate "C",
	"customer_reference" text collate "C",
	"status" text collate "C" NOT NULL,
	"project_id" text collate "C",
	"priority" bigint,
	"received_date" text collate "C",
	"required_date" text collate "C",
	"delivered_date" text collate "C",
	"invoiced_date" text collate "C",
	"total_amount" numeric,
	"currency" text collate "C",
	"notes" text collate "C",
	"services" text collate "C" NOT NULL,
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "orders_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "production_jobs" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"job_id" text collate "C" NOT NULL,
	"sequence" bigint NOT NULL,
	"name" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"process_id" text collate "C",
	"asset_id" text collate "C",
	"person_id" text collate "C",
	"planned_order_quantity" numeric,
	"produced_quantity" numeric,
	"good_quantity" numeric,
	"scrap_quantity" numeric,
	"rework_quantity" numeric,
	"unit" text collate "C",
	"setup_time_s" numeric,
	"processing_time_s" numeric,
	"started_at" text collate "C",
	"ended_at" text collate "C",
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "production_jobs_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "production_quality" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"production_job_id" text collate "C",
	"job_id" text collate "C",
	"part_id" text collate "C",
	"asset_id" text collate "C",
	"recorded_at" text collate "C" NOT NULL,
	"shift" text collate "C",
	"produced_quantity" numeric NOT NULL,
	"good_quantity" numeric NOT NULL,
	"scrap_quantity" numeric,
	"rework_quantity" numeric,
	"unit" text collate "C",
	"quality_ratio" numeric,
	"first_pass_yield" numeric,
	"scrap_ratio" numeric,
	"defect_code" text collate "C",
	"remarks" text collate "C",
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "production_quality_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "oee_events" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"asset_id" text collate "C" NOT NULL,
	"production_job_id" text collate "C",
	"event_type" text collate "C" NOT NULL,
	"loss_category" text collate "C",
	"reason_code" text collate "C",
	"reason" text collate "C",
	"started_at" text collate "C" NOT NULL,
	"ended_at" text collate "C",
	"duration_s" numeric,
	"planned_busy_time_s" numeric,
	"availability" numeric,
	"performance" numeric,
	"quality" numeric,
	"oee" numeric,
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "oee_events_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "inbound_documents" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"document_number" text collate "C" NOT NULL,
	"document_type" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"partner_code" text collate "C",
	"partner_name" text collate "C",
	"order_id" text collate "C",
	"routing_id" text collate "C",
	"received_date" text collate "C",
	"required_date" text collate "C",
	"delivered_date" text collate "C",
	"invoiced_date" text collate "C",
	"received_by" text collate "C",
	"total_amount" numeric,
	"currency" text collate "C",
	"notes" text collate "C",
	"services" text collate "C" NOT NULL,
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "inbound_documents_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "inventory_items" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"part_id" text collate "C" NOT NULL,
	"lot_number" text collate "C",
	"serial_number" text collate "C",
	"warehouse" text collate "C",
	"location" text collate "C",
	"status" text collate "C" NOT NULL,
	"quantity_on_hand" numeric NOT NULL,
	"quantity_reserved" numeric,
	"unit" text collate "C",
	"unit_cost" numeric,
	"currency" text collate "C",
	"received_date" text collate "C",
	"expiry_date" text collate "C",
	"last_counted_at" text collate "C",
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "inventory_items_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "inventory_movements" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"inventory_item_id" text collate "C",
	"part_id" text collate "C" NOT NULL,
	"movement_type" text collate "C" NOT NULL,
	"quantity" numeric NOT NULL,
	"unit" text collate "C",
	"lot_number" text collate "C",
	"from_location" text collate "C",
	"to_location" text collate "C",
	"job_id" text collate "C",
	"order_id" text collate "C",
	"inbound_document_id" text collate "C",
	"person_id" text collate "C",
	"reason" text collate "C",
	"moved_at" text collate "C" NOT NULL,
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "inventory_movements_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "quality_inspections" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"inspection_number" text collate "C" NOT NULL,
	"inspection_type" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"result" text collate "C",
	"part_id" text collate "C",
	"job_id" text collate "C",
	"inbound_document_id" text collate "C",
	"lot_number" text collate "C",
	"lot_quantity" numeric,
	"sample_size" bigint,
	"defects_found" bigint,
	"unit" text collate "C",
	"inspector_id" text collate "C",
	"inspected_at" text collate "C",
	"remarks" text collate "C",
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "quality_inspections_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "non_conformances" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"ncr_number" text collate "C" NOT NULL,
	"title" text collate "C" NOT NULL,
	"description" text collate "C",
	"severity" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"disposition" text collate "C",
	"part_id" text collate "C",
	"job_id" text collate "C",
	"quality_inspection_id" text collate "C",
	"lot_number" text collate "C",
	"quantity_affected" numeric,
	"unit" text collate "C",
	"detected_at" text collate "C",
	"detected_by" text collate "C",
	"root_cause" text collate "C",
	"corrective_action" text collate "C",
	"closed_at" text collate "C",
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "non_conformances_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "safety_incidents" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"incident_number" text collate "C" NOT NULL,
	"title" text collate "C" NOT NULL,
	"description" text collate "C",
	"incident_type" text collate "C" NOT NULL,
	"severity" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"occurred_at" text collate "C" NOT NULL,
	"reported_at" text collate "C",
	"location" text collate "C",
	"asset_id" text collate "C",
	"reported_by" text collate "C",
	"persons_injured" bigint,
	"lost_days" numeric,
	"corrective_action" text collate "C",
	"closed_at" text collate "C",
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "safety_incidents_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"code" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"description" text collate "C",
	"status" text collate "C" NOT NULL,
	"customer_name" text collate "C",
	"manager_id" text collate "C",
	"start_date" text collate "C",
	"end_date" text collate "C",
	"required_date" text collate "C",
	"budget" numeric,
	"currency" text collate "C",
	"progress_percent" numeric,
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "projects_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "parts" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"part_number" text collate "C" NOT NULL,
	"revision" text collate "C",
	"description" text collate "C",
	"is_active" boolean NOT NULL,
	"category" text collate "C",
	"unit" text collate "C",
	"material" text collate "C",
	"weight_kg" numeric,
	"standard_cost" numeric,
	"currency" text collate "C",
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "parts_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "assets" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"code" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"asset_type" text collate "C" NOT NULL,
	"parent_id" text collate "C",
	"status" text collate "C" NOT NULL,
	"manufacturer" text collate "C",
	"model" text collate "C",
	"serial_number" text collate "C",
	"location" text collate "C",
	"cost_center" text collate "C",
	"criticality" text collate "C",
	"commissioned_date" text collate "C",
	"is_active" boolean NOT NULL,
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "assets_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "routings" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"code" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"part_id" text collate "C",
	"revision" text collate "C",
	"status" text collate "C" NOT NULL,
	"is_active" boolean NOT NULL,
	"lot_size" numeric,
	"unit" text collate "C",
	"lead_time_days" numeric,
	"effective_from" text collate "C",
	"effective_to" text collate "C",
	"operations" text collate "C" NOT NULL,
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "routings_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "processes" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"code" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"description" text collate "C",
	"category" text collate "C",
	"in_catalogue" boolean NOT NULL,
	"catalogue" text collate "C",
	"revision" text collate "C" NOT NULL,
	"supersedes_id" text collate "C",
	"superseded_by_id" text collate "C",
	"root_id" text collate "C",
	"approval_status" text collate "C" NOT NULL,
	"approved_at" text collate "C",
	"availability" text collate "C" NOT NULL,
	"availability_reason" text collate "C",
	"standard" text collate "C",
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "processes_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "services" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"code" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"description" text collate "C",
	"category" text collate "C",
	"process_id" text collate "C",
	"unit" text collate "C",
	"unit_price" numeric,
	"currency" text collate "C",
	"minimum_charge" numeric,
	"lead_time_days" numeric,
	"valid_from" text collate "C",
	"valid_to" text collate "C",
	"is_active" boolean NOT NULL,
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "services_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "people" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"personnel_number" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"job_title" text collate "C",
	"department" text collate "C",
	"team" text collate "C",
	"shift" text collate "C",
	"cost_center" text collate "C",
	"supervisor_id" text collate "C",
	"employment_type" text collate "C",
	"hired_date" text collate "C",
	"left_date" text collate "C",
	"is_active" boolean NOT NULL,
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "people_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "training_records" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"person_id" text collate "C" NOT NULL,
	"course_code" text collate "C" NOT NULL,
	"course_title" text collate "C" NOT NULL,
	"category" text collate "C",
	"status" text collate "C" NOT NULL,
	"process_id" text collate "C",
	"asset_id" text collate "C",
	"trainer" text collate "C",
	"completed_date" text collate "C",
	"valid_until" text collate "C",
	"score_percent" numeric,
	"certificate_number" text collate "C",
	"duration_h" numeric,
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "training_records_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
CREATE TABLE "sensors" (
	"entity" integer NOT NULL,
	"id" text collate "C" NOT NULL,
	"code" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"asset_id" text collate "C",
	"quantity" text collate "C",
	"unit" text collate "C",
	"is_active" boolean NOT NULL,
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "sensors_entity_id_pk" PRIMARY KEY("entity","id")
);
--> statement-breakpoint
ALTER TABLE "entities" ADD CONSTRAINT "entities_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_entity_id_entities_id_fk" FOREIGN KEY ("entity_id") REFERENCES "public"."entities"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_revoked_by_users_id_fk" FOREIGN KEY ("revoked_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_tenant" ON "audit" USING btree ("tenant_id","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "entities_code" ON "entities" USING btree ("tenant_id","code");--> statement-breakpoint
CREATE INDEX "keys_newest" ON "keys" USING btree ("tenant_id","created_at_ms","id");--> statement-breakpoint
CREATE INDEX "keys_newest_live" ON "keys" USING btree ("tenant_id","created_at_ms","id") WHERE revoked_at_ms is null;--> statement-breakpoint
CREATE INDEX "keys_live_of_entity" ON "keys" USING btree ("entity_id","created_at_ms") WHERE revoked_at_ms is null;--> statement-breakpoint
CREATE INDEX "keys_live_of_user" ON "keys" USING btree ("created_by","created_at_ms") WHERE revoked_at_ms is null;--> statement-breakpoint
CREATE INDEX "keys_live_expiring" ON "keys" USING btree ("tenant_id","expires_at_ms") WHERE revoked_at_ms is null;--> statement-breakpoint
CREATE INDEX "keys_of_entity" ON "keys" USING btree ("entity_id");--> statement-breakpoint
CREATE INDEX "users_tenant" ON "users" USING btree ("tenant_id","login");--> statement-breakpoint
CREATE INDEX "removed_records_by_removed_at" ON "removed_records" USING btree ("entity","resource","removed_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "series_sensor" ON "series" USING btree ("entity","sensor_id");--> statement-breakpoint
CREATE INDEX "jobs_by_job_number" ON "jobs" USING btree ("entity","job_number","id");--> statement-breakpoint
CREATE INDEX "jobs_by_status" ON "jobs" USING btree ("entity","status","id");--> statement-breakpoint
CREATE INDEX "jobs_by_order_id" ON "jobs" USING btree ("entity","order_id","id");--> statement-breakpoint
CREATE INDEX "jobs_by_part_id" ON "jobs" USING btree ("entity","part_id","id");--> statement-breakpoint
CREATE INDEX "jobs_by_received_date" ON "jobs" USING btree ("entity","received_date","id");--> statement-breakpoint
CREATE INDEX "jobs_by_required_date" ON "jobs" USING btree ("entity","required_date","id");--> statement-breakpoint
CREATE INDEX "jobs_by_delivered_date" ON "jobs" USING btree ("entity","delivered_date","id");--> statement-breakpoint
CREATE INDEX "jobs_by_invoiced_date" ON "jobs" USING btree ("entity","invoiced_date","id");--> statement-breakpoint
CREATE INDEX "jobs_by_updated_at" ON "jobs" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "orders_by_order_number" ON "orders" USING btree ("entity","order_number","id");--> statement-breakpoint
CREATE INDEX "orders_by_customer_code" ON "orders" USING btree ("entity","customer_code","id");--> statement-breakpoint
CREATE INDEX "orders_by_status" ON "orders" USING btree ("entity","status","id");--> statement-breakpoint
CREATE INDEX "orders_by_project_id" ON "orders" USING btree ("entity","project_id","id");--> statement-breakpoint
CREATE INDEX "orders_by_received_date" ON "orders" USING btree ("entity","received_date","id");--> statement-breakpoint
CREATE INDEX "orders_by_required_date" ON "orders" USING btree ("entity","required_date","id");--> statement-breakpoint
CREATE INDEX "orders_by_delivered_date" ON "orders" USING btree ("entity","delivered_date","id");--> statement-breakpoint
CREATE INDEX "orders_by_invoiced_date" ON "orders" USING btree ("entity","invoiced_date","id");--> statement-breakpoint
CREATE INDEX "orders_by_updated_at" ON "orders" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "production_jobs_by_job_id" ON "production_jobs" USING btree ("entity","job_id","id");--> statement-breakpoint
CREATE INDEX "production_jobs_by_status" ON "production_jobs" USING btree ("entity","status","id");--> statement-breakpoint
CREATE INDEX "production_jobs_by_asset_id" ON "production_jobs" USING btree ("entity","asset_id","id");--> statement-breakpoint
CREATE INDEX "production_jobs_by_started_at" ON "production_jobs" USING btree ("entity","started_at","id");--> statement-breakpoint
CREATE INDEX "production_jobs_by_updated_at" ON "production_jobs" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "production_quality_by_production_job_id" ON "production_quality" USING btree ("entity","production_job_id","id");--> statement-breakpoint
CREATE INDEX "production_quality_by_job_id" ON "production_quality" USING btree ("entity","job_id","id");--> statement-breakpoint
CREATE INDEX "production_quality_by_part_id" ON "production_quality" USING btree ("entity","part_id","id");--> statement-breakpoint
CREATE INDEX "production_quality_by_recorded_at" ON "production_quality" USING btree ("entity","recorded_at","id");--> statement-breakpoint
CREATE INDEX "production_quality_by_updated_at" ON "production_quality" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "oee_events_by_asset_id" ON "oee_events" USING btree ("entity","asset_id","id");--> statement-breakpoint
CREATE INDEX "oee_events_by_event_type" ON "oee_events" USING btree ("entity","event_type","id");--> statement-breakpoint
CREATE INDEX "oee_events_by_loss_category" ON "oee_events" USING btree ("entity","loss_category","id");--> statement-breakpoint
CREATE INDEX "oee_events_by_started_at" ON "oee_events" USING btree ("entity","started_at","id");--> statement-breakpoint
CREATE INDEX "oee_events_by_updated_at" ON "oee_events" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "inbound_documents_by_document_number" ON "inbound_documents" USING btree ("entity","document_number","id");--> statement-breakpoint
CREATE INDEX "inbound_documents_by_document_type" ON "inbound_documents" USING btree ("entity","document_type","id");--> statement-breakpoint
CREATE INDEX "inbound_documents_by_status" ON "inbound_documents" USING btree ("entity","status","id");--> statement-breakpoint
CREATE INDEX "inbound_documents_by_order_id" ON "inbound_documents" USING btree ("entity","order_id","id");--> statement-breakpoint
CREATE INDEX "inbound_documents_by_received_date" ON "inbound_documents" USING btree ("entity","received_date","id");--> statement-breakpoint
CREATE INDEX "inbound_documents_by_required_date" ON "inbound_documents" USING btree ("entity","required_date","id");--> statement-breakpoint
CREATE INDEX "inbound_documents_by_delivered_date" ON "inbound_documents" USING btree ("entity","delivered_date","id");--> statement-breakpoint
CREATE INDEX "inbound_documents_by_invoiced_date" ON "inbound_documents" USING btree ("entity","invoiced_date","id");--> statement-breakpoint
CREATE INDEX "inbound_documents_by_updated_at" ON "inbound_documents" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "inventory_items_by_part_id" ON "inventory_items" USING btree ("entity","part_id","id");--> statement-breakpoint
CREATE INDEX "inventory_items_by_lot_number" ON "inventory_items" USING btree ("entity","lot_number","id");--> statement-breakpoint
CREATE INDEX "inventory_items_by_location" ON "inventory_items" USING btree ("entity","location","id");--> statement-breakpoint
CREATE INDEX "inventory_items_by_status" ON "inventory_items" USING btree ("entity","status","id");--> statement-breakpoint
CREATE INDEX "inventory_items_by_updated_at" ON "inventory_items" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "inventory_movements_by_inventory_item_id" ON "inventory_movements" USING btree ("entity","inventory_item_id","id");--> statement-breakpoint
CREATE INDEX "inventory_movements_by_part_id" ON "inventory_movements" USING btree ("entity","part_id","id");--> statement-breakpoint
CREATE INDEX "inventory_movements_by_movement_type" ON "inventory_movements" USING btree ("entity","movement_type","id");--> statement-breakpoint
CREATE INDEX "inventory_movements_by_job_id" ON "inventory_movements" USING btree ("entity","job_id","id");--> statement-breakpoint
CREATE INDEX "inventory_movements_by_moved_at" ON "inventory_movements" USING btree ("entity","moved_at","id");--> statement-breakpoint
CREATE INDEX "inventory_movements_by_updated_at" ON "inventory_movements" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "quality_inspections_by_inspection_type" ON "quality_inspections" USING btree ("entity","inspection_type","id");--> statement-breakpoint
CREATE INDEX "quality_inspections_by_result" ON "quality_inspections" USING btree ("entity","result","id");--> statement-breakpoint
CREATE INDEX "quality_inspections_by_part_id" ON "quality_inspections" USING btree ("entity","part_id","id");--> statement-breakpoint
CREATE INDEX "quality_inspections_by_job_id" ON "quality_inspections" USING btree ("entity","job_id","id");--> statement-breakpoint
CREATE INDEX "quality_inspections_by_inspected_at" ON "quality_inspections" USING btree ("entity","inspected_at","id");--> statement-breakpoint
CREATE INDEX "quality_inspections_by_updated_at" ON "quality_inspections" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "non_conformances_by_severity" ON "non_conformances" USING btree ("entity","severity","id");--> statement-breakpoint
CREATE INDEX "non_conformances_by_status" ON "non_conformances" USING btree ("entity","status","id");--> statement-breakpoint
CREATE INDEX "non_conformances_by_part_id" ON "non_conformances" USING btree ("entity","part_id","id");--> statement-breakpoint
CREATE INDEX "non_conformances_by_job_id" ON "non_conformances" USING btree ("entity","job_id","id");--> statement-breakpoint
CREATE INDEX "non_conformances_by_detected_at" ON "non_conformances" USING btree ("entity","detected_at","id");--> statement-breakpoint
CREATE INDEX "non_conformances_by_updated_at" ON "non_conformances" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "safety_incidents_by_incident_type" ON "safety_incidents" USING btree ("entity","incident_type","id");--> statement-breakpoint
CREATE INDEX "safety_incidents_by_severity" ON "safety_incidents" USING btree ("entity","severity","id");--> statement-breakpoint
CREATE INDEX "safety_incidents_by_status" ON "safety_incidents" USING btree ("entity","status","id");--> statement-breakpoint
CREATE INDEX "safety_incidents_by_occurred_at" ON "safety_incidents" USING btree ("entity","occurred_at","id");--> statement-breakpoint
CREATE INDEX "safety_incidents_by_updated_at" ON "safety_incidents" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "projects_by_code" ON "projects" USING btree ("entity","code","id");--> statement-breakpoint
CREATE INDEX "projects_by_status" ON "projects" USING btree ("entity","status","id");--> statement-breakpoint
CREATE INDEX "projects_by_required_date" ON "projects" USING btree ("entity","required_date","id");--> statement-breakpoint
CREATE INDEX "projects_by_updated_at" ON "projects" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "parts_by_part_number" ON "parts" USING btree ("entity","part_number","id");--> statement-breakpoint
CREATE INDEX "parts_by_is_active" ON "parts" USING btree ("entity","is_active","id");--> statement-breakpoint
CREATE INDEX "parts_by_category" ON "parts" USING btree ("entity","category","id");--> statement-breakpoint
CREATE INDEX "parts_by_updated_at" ON "parts" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "assets_by_code" ON "assets" USING btree ("entity","code","id");--> statement-breakpoint
CREATE INDEX "assets_by_asset_type" ON "assets" USING btree ("entity","asset_type","id");--> statement-breakpoint
CREATE INDEX "assets_by_parent_id" ON "assets" USING btree ("entity","parent_id","id");--> statement-breakpoint
CREATE INDEX "assets_by_status" ON "assets" USING btree ("entity","status","id");--> statement-breakpoint
CREATE INDEX "assets_by_updated_at" ON "assets" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "routings_by_code" ON "routings" USING btree ("entity","code","id");--> statement-breakpoint
CREATE INDEX "routings_by_part_id" ON "routings" USING btree ("entity","part_id","id");--> statement-breakpoint
CREATE INDEX "routings_by_status" ON "routings" USING btree ("entity","status","id");--> statement-breakpoint
CREATE INDEX "routings_by_is_active" ON "routings" USING btree ("entity","is_active","id");--> statement-breakpoint
CREATE INDEX "routings_by_updated_at" ON "routings" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "processes_by_code" ON "processes" USING btree ("entity","code","id");--> statement-breakpoint
CREATE INDEX "processes_by_category" ON "processes" USING btree ("entity","category","id");--> statement-breakpoint
CREATE INDEX "processes_by_in_catalogue" ON "processes" USING btree ("entity","in_catalogue","id");--> statement-breakpoint
CREATE INDEX "processes_by_availability" ON "processes" USING btree ("entity","availability","id");--> statement-breakpoint
CREATE INDEX "processes_by_updated_at" ON "processes" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "services_by_code" ON "services" USING btree ("entity","code","id");--> statement-breakpoint
CREATE INDEX "services_by_category" ON "services" USING btree ("entity","category","id");--> statement-breakpoint
CREATE INDEX "services_by_is_active" ON "services" USING btree ("entity","is_active","id");--> statement-breakpoint
CREATE INDEX "services_by_updated_at" ON "services" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "people_by_personnel_number" ON "people" USING btree ("entity","personnel_number","id");--> statement-breakpoint
CREATE INDEX "people_by_department" ON "people" USING btree ("entity","department","id");--> statement-breakpoint
CREATE INDEX "people_by_is_active" ON "people" USING btree ("entity","is_active","id");--> statement-breakpoint
CREATE INDEX "people_by_updated_at" ON "people" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "training_records_by_person_id" ON "training_records" USING btree ("entity","person_id","id");--> statement-breakpoint
CREATE INDEX "training_records_by_course_code" ON "training_records" USING btree ("entity","course_code","id");--> statement-breakpoint
CREATE INDEX "training_records_by_status" ON "training_records" USING btree ("entity","status","id");--> statement-breakpoint
CREATE INDEX "training_records_by_valid_until" ON "training_records" USING btree ("entity","valid_until","id");--> statement-breakpoint
CREATE INDEX "training_records_by_updated_at" ON "training_records" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE INDEX "sensors_by_code" ON "sensors" USING btree ("entity","code","id");--> statement-breakpoint
CREATE INDEX "sensors_by_asset_id" ON "sensors" USING btree ("entity","asset_id","id");--> statement-breakpoint
CREATE INDEX "sensors_by_is_active" ON "sensors" USING btree ("entity","is_active","id");--> statement-breakpoint
CREATE INDEX "sensors_by_updated_at" ON "sensors" USING btree ("entity","updated_at","id");--> statement-breakpoint
CREATE TABLE "journal" (
	"number" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "journal_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"line" text NOT NULL
);--> statement-breakpoint
CREATE TABLE "key_usage" (
	"day" integer NOT NULL,
	"key_id" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"code" text collate "C" NOT NULL,
	"count" bigint NOT NULL,
	"last_at_ms" bigint,
	"last_sensor" text,
	CONSTRAINT "key_usage_day_key_id_kind_code_pk" PRIMARY KEY("day","key_id","kind","code"),
	CONSTRAINT "key_usage_valid" CHECK (day between -100000000 and 100000000 and kind in ('request', 'refused', 'accepted', 'duplicate', 'rejected') and length(code) <= 64 and count between 0 and 9007199254740991 and coalesce(last_at_ms, 0) between -8640000000000000 and 8640000000000000 and length(coalesce(last_sensor, '')) <= 256)
);
--> statement-breakpoint
CREATE INDEX "key_usage_rejected" ON "key_usage" USING btree ("day") WHERE kind = 'rejected';
