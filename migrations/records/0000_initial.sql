CREATE TABLE `audit_outbox` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`draft` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `record_entities` (
	`number` integer PRIMARY KEY NOT NULL,
	`entity_id` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `record_entities_entity_id_unique` ON `record_entities` (`entity_id`);
--> statement-breakpoint
CREATE TABLE `jobs` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`job_number` text NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL,
	`order_id` text,
	`part_id` text,
	`routing_id` text,
	`project_id` text,
	`quantity` real NOT NULL,
	`quantity_completed` real,
	`unit` text,
	`priority` integer,
	`received_date` text,
	`required_date` text,
	`delivered_date` text,
	`invoiced_date` text,
	`started_at` text,
	`completed_at` text,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `jobs_by_job_number` ON `jobs` (`entity`,`job_number`,`id`);
--> statement-breakpoint
CREATE INDEX `jobs_by_status` ON `jobs` (`entity`,`status`,`id`);
--> statement-breakpoint
CREATE INDEX `jobs_by_order_id` ON `jobs` (`entity`,`order_id`,`id`);
--> statement-breakpoint
CREATE INDEX `jobs_by_part_id` ON `jobs` (`entity`,`part_id`,`id`);
--> statement-breakpoint
CREATE INDEX `jobs_by_received_date` ON `jobs` (`entity`,`received_date`,`id`);
--> statement-breakpoint
CREATE INDEX `jobs_by_required_date` ON `jobs` (`entity`,`required_date`,`id`);
--> statement-breakpoint
CREATE INDEX `jobs_by_delivered_date` ON `jobs` (`entity`,`delivered_date`,`id`);
--> statement-breakpoint
CREATE INDEX `jobs_by_invoiced_date` ON `jobs` (`entity`,`invoiced_date`,`id`);
--> statement-breakpoint
CREATE INDEX `jobs_by_updated_at` ON `jobs` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `orders` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`order_number` text NOT NULL,
	`customer_code` text,
	`customer_name` text,
	`customer_reference` text,
	`status` text NOT NULL,
	`project_id` text,
	`priority` integer,
	`received_date` text,
	`required_date` text,
	`delivered_date` text,
	`invoiced_date` text,
	`total_amount` real,
	`currency` text,
	`notes` text,
	`services` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `orders_by_order_number` ON `orders` (`entity`,`order_number`,`id`);
--> statement-breakpoint
CREATE INDEX `orders_by_customer_code` ON `orders` (`entity`,`customer_code`,`id`);
--> statement-breakpoint
CREATE INDEX `orders_by_status` ON `orders` (`entity`,`status`,`id`);
--> statement-breakpoint
CREATE INDEX `orders_by_project_id` ON `orders` (`entity`,`project_id`,`id`);
--> statement-breakpoint
CREATE INDEX `orders_by_received_date` ON `orders` (`entity`,`received_date`,`id`);
--> statement-breakpoint
CREATE INDEX `orders_by_required_date` ON `orders` (`entity`,`required_date`,`id`);
--> statement-breakpoint
CREATE INDEX `orders_by_delivered_date` ON `orders` (`entity`,`delivered_date`,`id`);
--> statement-breakpoint
CREATE INDEX `orders_by_invoiced_date` ON `orders` (`entity`,`invoiced_date`,`id`);
--> statement-breakpoint
CREATE INDEX `orders_by_updated_at` ON `orders` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `production_jobs` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`job_id` text NOT NULL,
	`sequence` integer NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL,
	`process_id` text,
	`asset_id` text,
	`person_id` text,
	`planned_order_quantity` real,
	`produced_quantity` real,
	`good_quantity` real,
	`scrap_quantity` real,
	`rework_quantity` real,
	`unit` text,
	`setup_time_s` real,
	`processing_time_s` real,
	`started_at` text,
	`ended_at` text,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `production_jobs_by_job_id` ON `production_jobs` (`entity`,`job_id`,`id`);
--> statement-breakpoint
CREATE INDEX `production_jobs_by_status` ON `production_jobs` (`entity`,`status`,`id`);
--> statement-breakpoint
CREATE INDEX `production_jobs_by_asset_id` ON `production_jobs` (`entity`,`asset_id`,`id`);
--> statement-breakpoint
CREATE INDEX `production_jobs_by_started_at` ON `production_jobs` (`entity`,`started_at`,`id`);
--> statement-breakpoint
CREATE INDEX `production_jobs_by_updated_at` ON `production_jobs` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `production_quality` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`production_job_id` text,
	`job_id` text,
	`part_id` text,
	`asset_id` text,
	`recorded_at` text NOT NULL,
	`shift` text,
	`produced_quantity` real NOT NULL,
	`good_quantity` real NOT NULL,
	`scrap_quantity` real,
	`rework_quantity` real,
	`unit` text,
	`quality_ratio` real,
	`first_pass_yield` real,
	`scrap_ratio` real,
	`defect_code` text,
	`remarks` text,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `production_quality_by_production_job_id` ON `production_quality` (`entity`,`production_job_id`,`id`);
--> statement-breakpoint
CREATE INDEX `production_quality_by_job_id` ON `production_quality` (`entity`,`job_id`,`id`);
--> statement-breakpoint
CREATE INDEX `production_quality_by_part_id` ON `production_quality` (`entity`,`part_id`,`id`);
--> statement-breakpoint
CREATE INDEX `production_quality_by_recorded_at` ON `production_quality` (`entity`,`recorded_at`,`id`);
--> statement-breakpoint
CREATE INDEX `production_quality_by_updated_at` ON `production_quality` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `oee_events` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`asset_id` text NOT NULL,
	`production_job_id` text,
	`event_type` text NOT NULL,
	`loss_category` text,
	`reason_code` text,
	`reason` text,
	`started_at` text NOT NULL,
	`ended_at` text,
	`duration_s` real,
	`planned_busy_time_s` real,
	`availability` real,
	`performance` real,
	`quality` real,
	`oee` real,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `oee_events_by_asset_id` ON `oee_events` (`entity`,`asset_id`,`id`);
--> statement-breakpoint
CREATE INDEX `oee_events_by_event_type` ON `oee_events` (`entity`,`event_type`,`id`);
--> statement-breakpoint
CREATE INDEX `oee_events_by_loss_category` ON `oee_events` (`entity`,`loss_category`,`id`);
--> statement-breakpoint
CREATE INDEX `oee_events_by_started_at` ON `oee_events` (`entity`,`started_at`,`id`);
--> statement-breakpoint
CREATE INDEX `oee_events_by_updated_at` ON `oee_events` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `inbound_documents` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`document_number` text NOT NULL,
	`document_type` text NOT NULL,
	`status` text NOT NULL,
	`partner_code` text,
	`partner_name` text,
	`order_id` text,
	`routing_id` text,
	`received_date` text,
	`required_date` text,
	`delivered_date` text,
	`invoiced_date` text,
	`received_by` text,
	`total_amount` real,
	`currency` text,
	`notes` text,
	`services` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `inbound_documents_by_document_number` ON `inbound_documents` (`entity`,`document_number`,`id`);
--> statement-breakpoint
CREATE INDEX `inbound_documents_by_document_type` ON `inbound_documents` (`entity`,`document_type`,`id`);
--> statement-breakpoint
CREATE INDEX `inbound_documents_by_status` ON `inbound_documents` (`entity`,`status`,`id`);
--> statement-breakpoint
CREATE INDEX `inbound_documents_by_order_id` ON `inbound_documents` (`entity`,`order_id`,`id`);
--> statement-breakpoint
CREATE INDEX `inbound_documents_by_received_date` ON `inbound_documents` (`entity`,`received_date`,`id`);
--> statement-breakpoint
CREATE INDEX `inbound_documents_by_required_date` ON `inbound_documents` (`entity`,`required_date`,`id`);
--> statement-breakpoint
CREATE INDEX `inbound_documents_by_delivered_date` ON `inbound_documents` (`entity`,`delivered_date`,`id`);
--> statement-breakpoint
CREATE INDEX `inbound_documents_by_invoiced_date` ON `inbound_documents` (`entity`,`invoiced_date`,`id`);
--> statement-breakpoint
CREATE INDEX `inbound_documents_by_updated_at` ON `inbound_documents` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `inventory_items` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`part_id` text NOT NULL,
	`lot_number` text,
	`serial_number` text,
	`warehouse` text,
	`location` text,
	`status` text NOT NULL,
	`quantity_on_hand` real NOT NULL,
	`quantity_reserved` real,
	`unit` text,
	`unit_cost` real,
	`currency` text,
	`received_date` text,
	`expiry_date` text,
	`last_counted_at` text,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `inventory_items_by_part_id` ON `inventory_items` (`entity`,`part_id`,`id`);
--> statement-breakpoint
CREATE INDEX `inventory_items_by_lot_number` ON `inventory_items` (`entity`,`lot_number`,`id`);
--> statement-breakpoint
CREATE INDEX `inventory_items_by_location` ON `inventory_items` (`entity`,`location`,`id`);
--> statement-breakpoint
CREATE INDEX `inventory_items_by_status` ON `inventory_items` (`entity`,`status`,`id`);
--> statement-breakpoint
CREATE INDEX `inventory_items_by_updated_at` ON `inventory_items` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `inventory_movements` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`inventory_item_id` text,
	`part_id` text NOT NULL,
	`movement_type` text NOT NULL,
	`quantity` real NOT NULL,
	`unit` text,
	`lot_number` text,
	`from_location` text,
	`to_location` text,
	`job_id` text,
	`order_id` text,
	`inbound_document_id` text,
	`person_id` text,
	`reason` text,
	`moved_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `inventory_movements_by_inventory_item_id` ON `inventory_movements` (`entity`,`inventory_item_id`,`id`);
--> statement-breakpoint
CREATE INDEX `inventory_movements_by_part_id` ON `inventory_movements` (`entity`,`part_id`,`id`);
--> statement-breakpoint
CREATE INDEX `inventory_movements_by_movement_type` ON `inventory_movements` (`entity`,`movement_type`,`id`);
--> statement-breakpoint
CREATE INDEX `inventory_movements_by_job_id` ON `inventory_movements` (`entity`,`job_id`,`id`);
--> statement-breakpoint
CREATE INDEX `inventory_movements_by_moved_at` ON `inventory_movements` (`entity`,`moved_at`,`id`);
--> statement-breakpoint
CREATE INDEX `inventory_movements_by_updated_at` ON `inventory_movements` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `quality_inspections` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`inspection_number` text NOT NULL,
	`inspection_type` text NOT NULL,
	`status` text NOT NULL,
	`result` text,
	`part_id` text,
	`job_id` text,
	`inbound_document_id` text,
	`lot_number` text,
	`lot_quantity` real,
	`sample_size` integer,
	`defects_found` integer,
	`unit` text,
	`inspector_id` text,
	`inspected_at` text,
	`remarks` text,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `quality_inspections_by_inspection_type` ON `quality_inspections` (`entity`,`inspection_type`,`id`);
--> statement-breakpoint
CREATE INDEX `quality_inspections_by_result` ON `quality_inspections` (`entity`,`result`,`id`);
--> statement-breakpoint
CREATE INDEX `quality_inspections_by_part_id` ON `quality_inspections` (`entity`,`part_id`,`id`);
--> statement-breakpoint
CREATE INDEX `quality_inspections_by_job_id` ON `quality_inspections` (`entity`,`job_id`,`id`);
--> statement-breakpoint
CREATE INDEX `quality_inspections_by_inspected_at` ON `quality_inspections` (`entity`,`inspected_at`,`id`);
--> statement-breakpoint
CREATE INDEX `quality_inspections_by_updated_at` ON `quality_inspections` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `non_conformances` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`ncr_number` text NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`severity` text NOT NULL,
	`status` text NOT NULL,
	`disposition` text,
	`part_id` text,
	`job_id` text,
	`quality_inspection_id` text,
	`lot_number` text,
	`quantity_affected` real,
	`unit` text,
	`detected_at` text,
	`detected_by` text,
	`root_cause` text,
	`corrective_action` text,
	`closed_at` text,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `non_conformances_by_severity` ON `non_conformances` (`entity`,`severity`,`id`);
--> statement-breakpoint
CREATE INDEX `non_conformances_by_status` ON `non_conformances` (`entity`,`status`,`id`);
--> statement-breakpoint
CREATE INDEX `non_conformances_by_part_id` ON `non_conformances` (`entity`,`part_id`,`id`);
--> statement-breakpoint
CREATE INDEX `non_conformances_by_job_id` ON `non_conformances` (`entity`,`job_id`,`id`);
--> statement-breakpoint
CREATE INDEX `non_conformances_by_detected_at` ON `non_conformances` (`entity`,`detected_at`,`id`);
--> statement-breakpoint
CREATE INDEX `non_conformances_by_updated_at` ON `non_conformances` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `safety_incidents` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`incident_number` text NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`incident_type` text NOT NULL,
	`severity` text NOT NULL,
	`status` text NOT NULL,
	`occurred_at` text NOT NULL,
	`reported_at` text,
	`location` text,
	`asset_id` text,
	`reported_by` text,
	`persons_injured` integer,
	`lost_days` real,
	`corrective_action` text,
	`closed_at` text,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `safety_incidents_by_incident_type` ON `safety_incidents` (`entity`,`incident_type`,`id`);
--> statement-breakpoint
CREATE INDEX `safety_incidents_by_severity` ON `safety_incidents` (`entity`,`severity`,`id`);
--> statement-breakpoint
CREATE INDEX `safety_incidents_by_status` ON `safety_incidents` (`entity`,`status`,`id`);
--> statement-breakpoint
CREATE INDEX `safety_incidents_by_occurred_at` ON `safety_incidents` (`entity`,`occurred_at`,`id`);
--> statement-breakpoint
CREATE INDEX `safety_incidents_by_updated_at` ON `safety_incidents` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `projects` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`status` text NOT NULL,
	`customer_name` text,
	`manager_id` text,
	`start_date` text,
	`end_date` text,
	`required_date` text,
	`budget` real,
	`currency` text,
	`progress_percent` real,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `projects_by_code` ON `projects` (`entity`,`code`,`id`);
--> statement-breakpoint
CREATE INDEX `projects_by_status` ON `projects` (`entity`,`status`,`id`);
--> statement-breakpoint
CREATE INDEX `projects_by_required_date` ON `projects` (`entity`,`required_date`,`id`);
--> statement-breakpoint
CREATE INDEX `projects_by_updated_at` ON `projects` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `parts` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`part_number` text NOT NULL,
	`revision` text,
	`description` text,
	`is_active` integer NOT NULL,
	`category` text,
	`unit` text,
	`material` text,
	`weight_kg` real,
	`standard_cost` real,
	`currency` text,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `parts_by_part_number` ON `parts` (`entity`,`part_number`,`id`);
--> statement-breakpoint
CREATE INDEX `parts_by_is_active` ON `parts` (`entity`,`is_active`,`id`);
--> statement-breakpoint
CREATE INDEX `parts_by_category` ON `parts` (`entity`,`category`,`id`);
--> statement-breakpoint
CREATE INDEX `parts_by_updated_at` ON `parts` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `assets` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`asset_type` text NOT NULL,
	`parent_id` text,
	`status` text NOT NULL,
	`manufacturer` text,
	`model` text,
	`serial_number` text,
	`location` text,
	`cost_center` text,
	`criticality` text,
	`commissioned_date` text,
	`is_active` integer NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `assets_by_code` ON `assets` (`entity`,`code`,`id`);
--> statement-breakpoint
CREATE INDEX `assets_by_asset_type` ON `assets` (`entity`,`asset_type`,`id`);
--> statement-breakpoint
CREATE INDEX `assets_by_parent_id` ON `assets` (`entity`,`parent_id`,`id`);
--> statement-breakpoint
CREATE INDEX `assets_by_status` ON `assets` (`entity`,`status`,`id`);
--> statement-breakpoint
CREATE INDEX `assets_by_updated_at` ON `assets` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `routings` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`part_id` text,
	`revision` text,
	`status` text NOT NULL,
	`is_active` integer NOT NULL,
	`lot_size` real,
	`unit` text,
	`lead_time_days` real,
	`effective_from` text,
	`effective_to` text,
	`operations` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `routings_by_code` ON `routings` (`entity`,`code`,`id`);
--> statement-breakpoint
CREATE INDEX `routings_by_part_id` ON `routings` (`entity`,`part_id`,`id`);
--> statement-breakpoint
CREATE INDEX `routings_by_status` ON `routings` (`entity`,`status`,`id`);
--> statement-breakpoint
CREATE INDEX `routings_by_is_active` ON `routings` (`entity`,`is_active`,`id`);
--> statement-breakpoint
CREATE INDEX `routings_by_updated_at` ON `routings` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `processes` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`category` text,
	`in_catalogue` integer NOT NULL,
	`catalogue` text,
	`revision` text NOT NULL,
	`supersedes_id` text,
	`superseded_by_id` text,
	`root_id` text,
	`approval_status` text NOT NULL,
	`approved_at` text,
	`availability` text NOT NULL,
	`availability_reason` text,
	`standard` text,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `processes_by_code` ON `processes` (`entity`,`code`,`id`);
--> statement-breakpoint
CREATE INDEX `processes_by_category` ON `processes` (`entity`,`category`,`id`);
--> statement-breakpoint
CREATE INDEX `processes_by_in_catalogue` ON `processes` (`entity`,`in_catalogue`,`id`);
--> statement-breakpoint
CREATE INDEX `processes_by_availability` ON `processes` (`entity`,`availability`,`id`);
--> statement-breakpoint
CREATE INDEX `processes_by_updated_at` ON `processes` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `services` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`category` text,
	`process_id` text,
	`unit` text,
	`unit_price` real,
	`currency` text,
	`minimum_charge` real,
	`lead_time_days` real,
	`valid_from` text,
	`valid_to` text,
	`is_active` integer NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `services_by_code` ON `services` (`entity`,`code`,`id`);
--> statement-breakpoint
CREATE INDEX `services_by_category` ON `services` (`entity`,`category`,`id`);
--> statement-breakpoint
CREATE INDEX `services_by_is_active` ON `services` (`entity`,`is_active`,`id`);
--> statement-breakpoint
CREATE INDEX `services_by_updated_at` ON `services` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `people` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`personnel_number` text NOT NULL,
	`name` text NOT NULL,
	`job_title` text,
	`department` text,
	`team` text,
	`shift` text,
	`cost_center` text,
	`supervisor_id` text,
	`employment_type` text,
	`hired_date` text,
	`left_date` text,
	`is_active` integer NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `people_by_personnel_number` ON `people` (`entity`,`personnel_number`,`id`);
--> statement-breakpoint
CREATE INDEX `people_by_department` ON `people` (`entity`,`department`,`id`);
--> statement-breakpoint
CREATE INDEX `people_by_is_active` ON `people` (`entity`,`is_active`,`id`);
--> statement-breakpoint
CREATE INDEX `people_by_updated_at` ON `people` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `training_records` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`person_id` text NOT NULL,
	`course_code` text NOT NULL,
	`course_title` text NOT NULL,
	`category` text,
	`status` text NOT NULL,
	`process_id` text,
	`asset_id` text,
	`trainer` text,
	`completed_date` text,
	`valid_until` text,
	`score_percent` real,
	`certificate_number` text,
	`duration_h` real,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `training_records_by_person_id` ON `training_records` (`entity`,`person_id`,`id`);
--> statement-breakpoint
CREATE INDEX `training_records_by_course_code` ON `training_records` (`entity`,`course_code`,`id`);
--> statement-breakpoint
CREATE INDEX `training_records_by_status` ON `training_records` (`entity`,`status`,`id`);
--> statement-breakpoint
CREATE INDEX `training_records_by_valid_until` ON `training_records` (`entity`,`valid_until`,`id`);
--> statement-breakpoint
CREATE INDEX `training_records_by_updated_at` ON `training_records` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
CREATE TABLE `sensors` (
	`entity` integer NOT NULL,
	`id` text NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`asset_id` text,
	`quantity` text,
	`unit` text,
	`is_active` integer NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `sensors_by_code` ON `sensors` (`entity`,`code`,`id`);
--> statement-breakpoint
CREATE INDEX `sensors_by_asset_id` ON `sensors` (`entity`,`asset_id`,`id`);
--> statement-breakpoint
CREATE INDEX `sensors_by_is_active` ON `sensors` (`entity`,`is_active`,`id`);
--> statement-breakpoint
CREATE INDEX `sensors_by_updated_at` ON `sensors` (`entity`,`updated_at`,`id`);
--> statement-breakpoint
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
CREATE INDEX `removed_records_by_removed_at` ON `removed_records` (`entity`,`resource`,`removed_at`,`id`);
--> statement-breakpoint
CREATE TABLE `record_epoch` (
	`epoch` text PRIMARY KEY NOT NULL
) WITHOUT ROWID;
