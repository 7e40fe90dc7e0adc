DROP TABLE `day_sums`;--> statement-breakpoint
CREATE TABLE `day_sums` (
	`series` integer NOT NULL,
	`day_us` integer NOT NULL,
	`dropped_us` integer,
	`body` blob,
	PRIMARY KEY(`series`, `day_us`)
);
--> statement-breakpoint
INSERT INTO `day_sums` (`series`, `day_us`, `dropped_us`, `body`)
  SELECT `series`, `day_us`, max(`last_at_us`),
    day_sums_of_hours(json_group_array(
      json_object('hourUs', `hour_us`, 'count', `count`, 'min', `min`, 'max', `max`, 'mean', `mean`, 'first', `first`, 'last', `last`,
        'fallen', `fallen`, 'lastAtUs', `last_at_us`)))
  FROM (SELECT *, `hour_us` - (`hour_us` % 86400000000 + 86400000000) % 86400000000 AS `day_us` FROM `summaries`)
  GROUP BY `series`, `day_us`;
--> statement-breakpoint
DROP TABLE `summaries`;--> statement-breakpoint
CREATE INDEX `day_sums_waiting` ON `day_sums` (`series`,`day_us`) WHERE body is null;--> statement-breakpoint
CREATE INDEX `day_sums_dropped` ON `day_sums` (`series`,`day_us`) WHERE dropped_us is not null;--> statement-breakpoint
INSERT OR IGNORE INTO `day_sums` (`series`, `day_us`) SELECT DISTINCT `series`, `from_us` - `from_us` % 86400000000 FROM `chunks`;
