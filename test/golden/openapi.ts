export interface paths {
    "/api/v1": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Interactive documents
         * @description The interactive documentation of the API, the same as at `/api/v1/docs`.
         */
        get: operations["getDocumentsAtRoot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Interactive documents
         * @description The interactive documentation of the API; it works without the internet and stores no key.
         */
        get: operations["getDocuments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description The machine-readable specification, with the exact response schemas of the deployed version.
         */
        get: operations["getSpecification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Confirm the key
         * @description Returns the organization, the entity and the permissions of the key in the request.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the paths of the key
         * @description The paths that this key can read or, for ingest, post to; `methods` says which.
         */
        get: operations["listResources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs
         * @description Jobs: what the plant has undertaken to make or process, for which order and by which routing. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one job
         * @description One job of the key's entity, with all of its fields.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List orders
         * @description Customer orders; the answer for a single one lists its priced services. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listOrders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one order
         * @description One order of the key's entity, with all of its fields.
         */
        get: operations["getOrder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/production-jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List production jobs
         * @description Production jobs: the single operations of jobs at work units, with quantities and times named after ISO 22400. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listProductionJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/production-jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one production job
         * @description One production job of the key's entity, with all of its fields.
         */
        get: operations["getProductionJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/production-quality": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List production quality
         * @description Quality figures of production: quantities and ratios named after ISO 22400. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listProductionQuality"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/production-quality/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one production quality record
         * @description One production quality record of the key's entity, with all of its fields.
         */
        get: operations["getProductionQualityRecord"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/oee-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List OEE events
         * @description OEE events: what a work unit did over a span of time, and the losses of availability, performance and quality in it. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listOEEEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/oee-events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one OEE event
         * @description One OEE event of the key's entity, with all of its fields.
         */
        get: operations["getOEEEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbound-documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List inbound documents
         * @description Inbound documents: what announces or accompanies incoming goods; the answer for a single one lists its priced services. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listInboundDocuments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbound-documents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one inbound document
         * @description One inbound document of the key's entity, with all of its fields.
         */
        get: operations["getInboundDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inventory-items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List inventory items
         * @description Stock: what lies where, by part, lot and location. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listInventoryItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inventory-items/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one inventory item
         * @description One inventory item of the key's entity, with all of its fields.
         */
        get: operations["getInventoryItem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inventory-movements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List inventory movements
         * @description Movements of stock: receipts, issues, transfers and corrections, each with its instant. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listInventoryMovements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inventory-movements/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one inventory movement
         * @description One inventory movement of the key's entity, with all of its fields.
         */
        get: operations["getInventoryMovement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/quality-inspections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List quality inspections
         * @description Inspections of incoming goods, first articles, running production and finished lots, with their results. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listQualityInspections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/quality-inspections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one quality inspection
         * @description One quality inspection of the key's entity, with all of its fields.
         */
        get: operations["getQualityInspection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/non-conformances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List non-conformances
         * @description Non-conformances: what did not meet its requirements, what was decided and what was done. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listNonConformances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/non-conformances/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one non-conformance
         * @description One non-conformance of the key's entity, with all of its fields.
         */
        get: operations["getNonConformance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/safety-incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List safety incidents
         * @description Safety incidents and near misses, without names of those hurt. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listSafetyIncidents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/safety-incidents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one safety incident
         * @description One safety incident of the key's entity, with all of its fields.
         */
        get: operations["getSafetyIncident"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects
         * @description Projects that orders and jobs belong to. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listProjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one project
         * @description One project of the key's entity, with all of its fields.
         */
        get: operations["getProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/parts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List parts
         * @description Part master data: what the plant makes, buys and keeps. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listParts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/parts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one part
         * @description One part of the key's entity, with all of its fields.
         */
        get: operations["getPart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List assets
         * @description Assets: machines, ovens, lines, tools and their locations. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listAssets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one asset
         * @description One asset of the key's entity, with all of its fields.
         */
        get: operations["getAsset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/routings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List routings
         * @description Routings: the ordered operations by which a part is made or processed. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listRoutings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/routings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one routing
         * @description One routing of the key's entity, with all of its fields.
         */
        get: operations["getRouting"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/processes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List processes
         * @description Processes: the catalogue of what the plant can do, with revisions and availability. They carry no link to routings. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listProcesses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/processes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one process
         * @description One process of the key's entity, with all of its fields.
         */
        get: operations["getProcess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List services
         * @description The registry of services that orders and inbound documents price. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listServices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one service
         * @description One service of the key's entity, with all of its fields.
         */
        get: operations["getService"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List people
         * @description People of the plant as planning and training know them; no private data. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listPeople"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/people/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one person
         * @description One person of the key's entity, with all of its fields.
         */
        get: operations["getPerson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/training-records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List training records
         * @description Training and qualification of people: what was learned, when, and until when it holds. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listTrainingRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/training-records/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one training record
         * @description One training record of the key's entity, with all of its fields.
         */
        get: operations["getTrainingRecord"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sensors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sensors
         * @description Asset sensors: what each measures, in which unit, and where. Ordered by the first range parameter of the request, else by `id`. As CSV with the columns of an import if `Accept` asks for it; the next page is then in `Link` only.
         */
        get: operations["listSensors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sensors/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one sensor
         * @description One sensor of the key's entity, with all of its fields.
         */
        get: operations["getSensor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sensors/{id}/readings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read readings
         * @description Readings of a sensor in order of time or, with `bucket`, their aggregates; as JSON, NDJSON or CSV by `Accept`. With NDJSON and CSV the next page is in the `Link` header. A page counts as one request for each 10,000 readings, or part of them, that it writes; a reading that is only aggregated counts a hundredth. However many readings its buckets hold, a page has up to `limit` of them; `at` is the beginning of a bucket. The first one may begin before `from`, but contains only readings from `from` on. If the organization keeps readings for a limited time, older ones are dropped and only their hourly summaries stay: buckets of whole hours and of days count them, narrower buckets and single readings do not. A summary counts if all of its readings lie within `from` and `to`.
         */
        get: operations["listSensorReadings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/readings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read readings of many sensors
         * @description The same for up to 100 sensors at once: a group for each sensor, in the order in which they are asked for. NDJSON and CSV have a column `sensor` with its code. `limit` counts the readings of the page, `last` those of each sensor. With NDJSON and CSV the next page is in the `Link` header. A page counts as one request for each 10,000 readings, or part of them, that it writes; a reading that is only aggregated counts a hundredth. However many readings its buckets hold, a page has up to `limit` of them; `at` is the beginning of a bucket. The first one may begin before `from`, but contains only readings from `from` on. If the organization keeps readings for a limited time, older ones are dropped and only their hourly summaries stay: buckets of whole hours and of days count them, narrower buckets and single readings do not. A summary counts if all of its readings lie within `from` and `to`.
         */
        get: operations["listReadings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sensors/readings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send readings
         * @description Each reading is validated by itself. The answer comes once the accepted ones are committed and synced to disk; sending a batch again is safe if its readings have instants. Those without one, in SenML and line protocol, take the time of receipt and are stored again. A line of NDJSON that is no JSON is rejected as `bad_json`. In line protocol the tag `sensor` names the sensor, the field `value` is the value and the text field `quality` perhaps its quality; others are ignored. An instant before 1990 is rejected: the clock is not set, or the digits are no epoch milliseconds. At most 10,000 readings or 8 MiB; `Content-Encoding: gzip` is supported. Readings from before the time for which the organization keeps them are rejected as `past_retention`.
         */
        post: operations["postReadings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sensors/heartbeats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send heartbeats
         * @description Reports that sensors are alive, and their state; answered in the same way as readings.
         */
        post: operations["postHeartbeats"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Me: {
            tenant: {
                id: string;
                name: string;
            };
            entity: {
                id: string;
                code: string;
                name: string;
                /** @description IANA time zone. */
                timezone: string;
            };
            key: {
                id: string;
                /** @description The first eight characters of the secret. */
                prefix: string;
                name: string;
                /**
                 * Format: date-time
                 * @description Null if the key never expires.
                 */
                expires_at: string | null;
            };
            permissions: string[];
            /** @description Paths that this key can read or, for ingest, post to. */
            resources: string[];
            /** Format: date-time */
            server_time: string;
        };
        ResourceEntry: {
            name: string;
            path: string;
            title: string;
            /** @description Any one of these is enough. */
            permissions: string[];
            methods: ("GET" | "POST")[];
        };
        Reading: {
            /** Format: date-time */
            at: string;
            value: number;
            /**
             * @description Absent if the gateway sent none.
             * @enum {string}
             */
            quality?: "good" | "uncertain" | "bad";
        };
        ReadingBucket: {
            /**
             * Format: date-time
             * @description Beginning of the bucket, perhaps before `from`.
             */
            at: string;
            avg?: number;
            min?: number;
            max?: number;
            last?: number;
            count?: number;
        };
        SensorReadings: {
            sensor: {
                id: string;
                code: string;
            };
            data: (components["schemas"]["Reading"] | components["schemas"]["ReadingBucket"])[];
        };
        NewReading: {
            /**
             * @description The sensor's code or id in the key's entity.
             * @example OVEN-3-T1
             */
            sensor: string;
            /** @example 2026-11-20T08:15:00.123456Z */
            at: string | number;
            /**
             * @description A finite number, or a boolean for 1 and 0.
             * @example 182.4
             */
            value: number | boolean;
            /**
             * @description If given, it must be the unit of the sensor.
             * @example Cel
             */
            unit?: string | null;
            /** @enum {string|null} */
            quality?: "good" | "uncertain" | "bad" | null;
        };
        NewReadings: {
            readings: components["schemas"]["NewReading"][];
        };
        NewHeartbeat: {
            /**
             * @description The sensor's code or id in the key's entity.
             * @example OVEN-3-T1
             */
            sensor: string;
            /**
             * @description Defaults to the time of receipt.
             * @example 2026-11-20T08:15:00.123456Z
             */
            at?: string | number;
            /** @enum {string|null} */
            status?: "ok" | "degraded" | "fault" | null;
            /** @description Charge in percent. */
            battery?: number | null;
            /** @description Strength in dBm. */
            signal?: number | null;
            firmware?: string | null;
        };
        NewHeartbeats: {
            heartbeats: components["schemas"]["NewHeartbeat"][];
        };
        /** @description A SenML pack (RFC 8428). Base fields, relative times and `v` or `vb` are supported; texts, data and sums (`vs`, `vd`, `s`) are rejected. A record without an absolute time is stamped on receipt, so that a pack that is sent again is stored again. */
        SenmlPack: Record<string, never>[];
        IngestResult: {
            /** @description Number of items that were stored on disk. */
            accepted: number;
            /** @description Number of items that were stored before with the same value: a retry is safe. */
            duplicates: number;
            /** @description The items that were refused, and why. Sending them again changes nothing. */
            rejected: {
                /** @description Position in the body, from 0; lines count without blank ones and comments. */
                index: number;
                code: string;
                detail: string;
            }[];
        };
        /** @description Every error (RFC 9457). `code` is for programs and does not change; `detail` is for people and may change. */
        Problem: {
            /** Format: uri */
            type: string;
            title: string;
            status: number;
            detail: string;
            code: string;
            /** @description Report it to the operator: the log has the same id. */
            request_id: string;
            /** @description With `permission_required`: any one of these is enough. */
            permissions?: string[];
        };
        /** @description Jobs: what the plant has undertaken to make or process, for which order and by which routing. */
        Job: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example J-1001
             */
            id: string;
            /**
             * @description Number of the job as people know it.
             * @example 2026-00417
             */
            job_number: string;
            /**
             * @description What is to be done, in a few words.
             * @example Bearing housings, batch 12
             */
            name: string;
            /**
             * @description State of the job.
             * @example in_progress
             * @enum {string}
             */
            status: "planned" | "released" | "in_progress" | "on_hold" | "completed" | "closed" | "cancelled";
            /**
             * @description Order the job works for.
             * @example O-1001
             */
            order_id: string | null;
            /**
             * @description Part that is made or processed.
             * @example P-1001
             */
            part_id: string | null;
            /**
             * @description Routing assigned to the job.
             * @example R-1001
             */
            routing_id: string | null;
            /**
             * @description Project the job belongs to.
             * @example PRJ-1001
             */
            project_id: string | null;
            /**
             * @description Quantity ordered.
             * @example 120
             */
            quantity: number;
            /**
             * @description Quantity finished so far.
             * @example 84
             */
            quantity_completed: number | null;
            /**
             * @description Unit of the quantities, as a UCUM code.
             * @example {piece}
             */
            unit: string | null;
            /**
             * @description Urgency from 1 (first) to 9 (last).
             * @example 3
             */
            priority: number | null;
            /**
             * Format: date
             * @description Day on which the job came in.
             * @example 2026-11-02
             */
            received_date: string | null;
            /**
             * Format: date
             * @description Day by which the customer requires the job.
             * @example 2026-11-27
             */
            required_date: string | null;
            /**
             * Format: date
             * @description Day on which the job was delivered in full.
             * @example 2026-11-26
             */
            delivered_date: string | null;
            /**
             * Format: date
             * @description Day on which the job was invoiced.
             * @example 2026-11-30
             */
            invoiced_date: string | null;
            /**
             * Format: date-time
             * @description When work began.
             * @example 2026-11-09T06:02:11.000000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description When the last operation ended.
             * @example 2026-11-25T13:40:00.000000Z
             */
            completed_at: string | null;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Customer orders; the answer for a single one lists its priced services. */
        Order: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example O-1001
             */
            id: string;
            /**
             * @description Number of the order as people know it.
             * @example SO-2026-0831
             */
            order_number: string;
            /**
             * @description Number of the customer in the ERP system.
             * @example C-20417
             */
            customer_code: string | null;
            /**
             * @description Name of the customer.
             * @example Nordwind Getriebe GmbH
             */
            customer_name: string | null;
            /**
             * @description The customer's own order number.
             * @example 4500119876
             */
            customer_reference: string | null;
            /**
             * @description State of the order.
             * @example in_progress
             * @enum {string}
             */
            status: "draft" | "confirmed" | "in_progress" | "on_hold" | "delivered" | "invoiced" | "closed" | "cancelled";
            /**
             * @description Project the order belongs to.
             * @example PRJ-1001
             */
            project_id: string | null;
            /**
             * @description Urgency from 1 (first) to 9 (last).
             * @example 2
             */
            priority: number | null;
            /**
             * Format: date
             * @description Day on which the order came in.
             * @example 2026-11-02
             */
            received_date: string | null;
            /**
             * Format: date
             * @description Day by which the customer requires the order.
             * @example 2026-11-27
             */
            required_date: string | null;
            /**
             * Format: date
             * @description Day on which the order was delivered in full.
             * @example 2026-11-26
             */
            delivered_date: string | null;
            /**
             * Format: date
             * @description Day on which the order was invoiced.
             * @example 2026-11-30
             */
            invoiced_date: string | null;
            /**
             * @description Net amount of all services, in `currency`.
             * @example 18450.5
             */
            total_amount: number | null;
            /**
             * @description ISO 4217 code of the currency of the amount.
             * @example EUR
             */
            currency: string | null;
            /**
             * @description Free text.
             * @example Deliver to gate 2
             */
            notes: string | null;
            /**
             * @description The services of the document, in order.
             * @example [
             *       {
             *         "row_id": "SVC-01",
             *         "service_code": "ANNEAL-S",
             *         "description": "Stress relief annealing",
             *         "quantity": 740.5,
             *         "unit": "kg",
             *         "unit_price": 1.85,
             *         "currency": "EUR",
             *         "assignments": [
             *           {
             *             "resource": "assets",
             *             "id": "A-1001"
             *           }
             *         ]
             *       }
             *     ]
             */
            services: {
                /**
                 * @description The service row inside its parent; unique there.
                 * @example SVC-01
                 */
                row_id: string;
                /**
                 * @description Code of the service in the registry (`code` of services); several rows may have the same.
                 * @example ANNEAL-S
                 */
                service_code: string;
                /**
                 * @description What is done.
                 * @example Stress relief annealing
                 */
                description: string | null;
                /**
                 * @description Quantity.
                 * @example 740.5
                 */
                quantity: number;
                /**
                 * @description Unit of the quantity, as a UCUM code.
                 * @example kg
                 */
                unit: string | null;
                /**
                 * @description Net price of one unit, in `currency`.
                 * @example 1.85
                 */
                unit_price: number | null;
                /**
                 * @description ISO 4217 code of the currency of the price.
                 * @example EUR
                 */
                currency: string | null;
                /**
                 * @description People and assets assigned to the row.
                 * @example [
                 *       {
                 *         "resource": "assets",
                 *         "id": "A-1001"
                 *       }
                 *     ]
                 */
                assignments: {
                    /**
                     * @description What is assigned: a person or an asset.
                     * @example assets
                     * @enum {string}
                     */
                    resource: "people" | "assets";
                    /**
                     * @description The `id` of that person or asset.
                     * @example A-1001
                     */
                    id: string;
                }[];
            }[];
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Customer orders; the answer for a single one lists its priced services. */
        OrderSummary: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example O-1001
             */
            id: string;
            /**
             * @description Number of the order as people know it.
             * @example SO-2026-0831
             */
            order_number: string;
            /**
             * @description Number of the customer in the ERP system.
             * @example C-20417
             */
            customer_code: string | null;
            /**
             * @description Name of the customer.
             * @example Nordwind Getriebe GmbH
             */
            customer_name: string | null;
            /**
             * @description The customer's own order number.
             * @example 4500119876
             */
            customer_reference: string | null;
            /**
             * @description State of the order.
             * @example in_progress
             * @enum {string}
             */
            status: "draft" | "confirmed" | "in_progress" | "on_hold" | "delivered" | "invoiced" | "closed" | "cancelled";
            /**
             * @description Project the order belongs to.
             * @example PRJ-1001
             */
            project_id: string | null;
            /**
             * @description Urgency from 1 (first) to 9 (last).
             * @example 2
             */
            priority: number | null;
            /**
             * Format: date
             * @description Day on which the order came in.
             * @example 2026-11-02
             */
            received_date: string | null;
            /**
             * Format: date
             * @description Day by which the customer requires the order.
             * @example 2026-11-27
             */
            required_date: string | null;
            /**
             * Format: date
             * @description Day on which the order was delivered in full.
             * @example 2026-11-26
             */
            delivered_date: string | null;
            /**
             * Format: date
             * @description Day on which the order was invoiced.
             * @example 2026-11-30
             */
            invoiced_date: string | null;
            /**
             * @description Net amount of all services, in `currency`.
             * @example 18450.5
             */
            total_amount: number | null;
            /**
             * @description ISO 4217 code of the currency of the amount.
             * @example EUR
             */
            currency: string | null;
            /**
             * @description Free text.
             * @example Deliver to gate 2
             */
            notes: string | null;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Production jobs: the single operations of jobs at work units, with quantities and times named after ISO 22400. */
        ProductionJob: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example PJ-1001
             */
            id: string;
            /**
             * @description Job the operation belongs to.
             * @example J-1001
             */
            job_id: string;
            /**
             * @description Position of the operation in the job.
             * @example 20
             */
            sequence: number;
            /**
             * @description Name of the operation.
             * @example Turn outer diameter
             */
            name: string;
            /**
             * @description State of the operation.
             * @example running
             * @enum {string}
             */
            status: "scheduled" | "setup" | "running" | "interrupted" | "completed" | "cancelled";
            /**
             * @description Process that is carried out.
             * @example PR-1001
             */
            process_id: string | null;
            /**
             * @description Work unit (machine, oven, line) it runs on.
             * @example A-1001
             */
            asset_id: string | null;
            /**
             * @description Operator in charge.
             * @example PE-1001
             */
            person_id: string | null;
            /**
             * @description Planned order quantity (POQ).
             * @example 120
             */
            planned_order_quantity: number | null;
            /**
             * @description Produced quantity (PQ): good, scrap and rework together.
             * @example 88
             */
            produced_quantity: number | null;
            /**
             * @description Good quantity (GQ): meets the requirements at first pass.
             * @example 84
             */
            good_quantity: number | null;
            /**
             * @description Scrap quantity (SQ).
             * @example 3
             */
            scrap_quantity: number | null;
            /**
             * @description Rework quantity (RQ).
             * @example 1
             */
            rework_quantity: number | null;
            /**
             * @description Unit of the quantities, as a UCUM code.
             * @example {piece}
             */
            unit: string | null;
            /**
             * @description Actual unit setup time (AUST). Unit: s.
             * @example 1260
             */
            setup_time_s: number | null;
            /**
             * @description Actual unit processing time (AUPT). Unit: s.
             * @example 27340
             */
            processing_time_s: number | null;
            /**
             * Format: date-time
             * @description When the operation began.
             * @example 2026-11-20T05:04:00.000000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description When the operation ended.
             * @example 2026-11-20T13:12:30.000000Z
             */
            ended_at: string | null;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Quality figures of production: quantities and ratios named after ISO 22400. */
        ProductionQualityRecord: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example PQ-1001
             */
            id: string;
            /**
             * @description Operation the figures are of.
             * @example PJ-1001
             */
            production_job_id: string | null;
            /**
             * @description Job the figures are of.
             * @example J-1001
             */
            job_id: string | null;
            /**
             * @description Part that was produced.
             * @example P-1001
             */
            part_id: string | null;
            /**
             * @description Work unit that produced it.
             * @example A-1001
             */
            asset_id: string | null;
            /**
             * Format: date-time
             * @description When the figures were recorded.
             * @example 2026-11-20T13:15:00.000000Z
             */
            recorded_at: string;
            /**
             * @description Shift the figures are of.
             * @example early
             */
            shift: string | null;
            /**
             * @description Produced quantity (PQ).
             * @example 88
             */
            produced_quantity: number;
            /**
             * @description Good quantity (GQ).
             * @example 84
             */
            good_quantity: number;
            /**
             * @description Scrap quantity (SQ).
             * @example 3
             */
            scrap_quantity: number | null;
            /**
             * @description Rework quantity (RQ).
             * @example 1
             */
            rework_quantity: number | null;
            /**
             * @description Unit of the quantities, as a UCUM code.
             * @example {piece}
             */
            unit: string | null;
            /**
             * @description Quality ratio: good quantity by produced quantity, 0 to 1.
             * @example 0.9545
             */
            quality_ratio: number | null;
            /**
             * @description First pass yield: good parts by inspected parts, 0 to 1.
             * @example 0.96
             */
            first_pass_yield: number | null;
            /**
             * @description Scrap ratio: scrap quantity by produced quantity, 0 to 1.
             * @example 0.0341
             */
            scrap_ratio: number | null;
            /**
             * @description Code of the most frequent defect.
             * @example POR
             */
            defect_code: string | null;
            /**
             * @description Free text.
             * @example Porosity near the flange
             */
            remarks: string | null;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description OEE events: what a work unit did over a span of time, and the losses of availability, performance and quality in it. */
        OEEEvent: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example OE-1001
             */
            id: string;
            /**
             * @description Work unit the event is of.
             * @example A-1001
             */
            asset_id: string;
            /**
             * @description Operation that was running.
             * @example PJ-1001
             */
            production_job_id: string | null;
            /**
             * @description What the work unit did.
             * @example unplanned_downtime
             * @enum {string}
             */
            event_type: "production" | "setup" | "planned_downtime" | "unplanned_downtime" | "minor_stop" | "reduced_speed" | "idle" | "no_demand";
            /**
             * @description Factor of OEE that the span counts against.
             * @example availability
             * @enum {string|null}
             */
            loss_category: "none" | "availability" | "performance" | "quality" | null;
            /**
             * @description Code of the reason in the own catalogue of the plant.
             * @example E-113
             */
            reason_code: string | null;
            /**
             * @description Reason in words.
             * @example Hydraulic pressure low
             */
            reason: string | null;
            /**
             * Format: date-time
             * @description When the span began.
             * @example 2026-11-20T08:15:00.123456Z
             */
            started_at: string;
            /**
             * Format: date-time
             * @description When the span ended; null while it lasts.
             * @example 2026-11-20T08:41:30.000000Z
             */
            ended_at: string | null;
            /**
             * @description Length of the span. Unit: s.
             * @example 1589.877
             */
            duration_s: number | null;
            /**
             * @description Planned busy time (PBT) in the span. Unit: s.
             * @example 1589.877
             */
            planned_busy_time_s: number | null;
            /**
             * @description Availability: actual production time by planned busy time, 0 to 1.
             * @example 0.91
             */
            availability: number | null;
            /**
             * @description Performance (ISO 22400: effectiveness): planned by actual time per item; above 1 if faster than planned.
             * @example 0.87
             */
            performance: number | null;
            /**
             * @description Quality ratio: good by produced quantity, 0 to 1.
             * @example 0.985
             */
            quality: number | null;
            /**
             * @description OEE index: availability × performance × quality.
             * @example 0.78
             */
            oee: number | null;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Inbound documents: what announces or accompanies incoming goods; the answer for a single one lists its priced services. */
        InboundDocument: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example IN-1001
             */
            id: string;
            /**
             * @description Number of the document.
             * @example LS-88213
             */
            document_number: string;
            /**
             * @description Kind of document.
             * @example delivery_note
             * @enum {string}
             */
            document_type: "delivery_note" | "shipping_notice" | "goods_receipt" | "customer_material" | "return";
            /**
             * @description State of the document.
             * @example received
             * @enum {string}
             */
            status: "expected" | "received" | "in_inspection" | "released" | "completed" | "rejected" | "cancelled";
            /**
             * @description Number of the supplier or customer in the ERP system.
             * @example S-1044
             */
            partner_code: string | null;
            /**
             * @description Name of the supplier or customer.
             * @example Giesserei Lindental GmbH
             */
            partner_name: string | null;
            /**
             * @description Order the goods belong to.
             * @example O-1001
             */
            order_id: string | null;
            /**
             * @description Routing assigned to the goods.
             * @example R-1001
             */
            routing_id: string | null;
            /**
             * Format: date
             * @description Day on which the goods came in.
             * @example 2026-11-02
             */
            received_date: string | null;
            /**
             * Format: date
             * @description Day by which the goods are required.
             * @example 2026-11-27
             */
            required_date: string | null;
            /**
             * Format: date
             * @description Day on which the goods left again or were handed on.
             * @example 2026-11-26
             */
            delivered_date: string | null;
            /**
             * Format: date
             * @description Day on which the document was invoiced.
             * @example 2026-11-30
             */
            invoiced_date: string | null;
            /**
             * @description Person who took the goods in.
             * @example PE-1001
             */
            received_by: string | null;
            /**
             * @description Net amount of all services, in `currency`.
             * @example 2310.5
             */
            total_amount: number | null;
            /**
             * @description ISO 4217 code of the currency of the amount.
             * @example EUR
             */
            currency: string | null;
            /**
             * @description Free text.
             * @example Deliver to gate 2
             */
            notes: string | null;
            /**
             * @description The services of the document, in order.
             * @example [
             *       {
             *         "row_id": "SVC-01",
             *         "service_code": "ANNEAL-S",
             *         "description": "Stress relief annealing",
             *         "quantity": 740.5,
             *         "unit": "kg",
             *         "unit_price": 1.85,
             *         "currency": "EUR",
             *         "assignments": [
             *           {
             *             "resource": "assets",
             *             "id": "A-1001"
             *           }
             *         ]
             *       }
             *     ]
             */
            services: {
                /**
                 * @description The service row inside its parent; unique there.
                 * @example SVC-01
                 */
                row_id: string;
                /**
                 * @description Code of the service in the registry (`code` of services); several rows may have the same.
                 * @example ANNEAL-S
                 */
                service_code: string;
                /**
                 * @description What is done.
                 * @example Stress relief annealing
                 */
                description: string | null;
                /**
                 * @description Quantity.
                 * @example 740.5
                 */
                quantity: number;
                /**
                 * @description Unit of the quantity, as a UCUM code.
                 * @example kg
                 */
                unit: string | null;
                /**
                 * @description Net price of one unit, in `currency`.
                 * @example 1.85
                 */
                unit_price: number | null;
                /**
                 * @description ISO 4217 code of the currency of the price.
                 * @example EUR
                 */
                currency: string | null;
                /**
                 * @description People and assets assigned to the row.
                 * @example [
                 *       {
                 *         "resource": "assets",
                 *         "id": "A-1001"
                 *       }
                 *     ]
                 */
                assignments: {
                    /**
                     * @description What is assigned: a person or an asset.
                     * @example assets
                     * @enum {string}
                     */
                    resource: "people" | "assets";
                    /**
                     * @description The `id` of that person or asset.
                     * @example A-1001
                     */
                    id: string;
                }[];
            }[];
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Inbound documents: what announces or accompanies incoming goods; the answer for a single one lists its priced services. */
        InboundDocumentSummary: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example IN-1001
             */
            id: string;
            /**
             * @description Number of the document.
             * @example LS-88213
             */
            document_number: string;
            /**
             * @description Kind of document.
             * @example delivery_note
             * @enum {string}
             */
            document_type: "delivery_note" | "shipping_notice" | "goods_receipt" | "customer_material" | "return";
            /**
             * @description State of the document.
             * @example received
             * @enum {string}
             */
            status: "expected" | "received" | "in_inspection" | "released" | "completed" | "rejected" | "cancelled";
            /**
             * @description Number of the supplier or customer in the ERP system.
             * @example S-1044
             */
            partner_code: string | null;
            /**
             * @description Name of the supplier or customer.
             * @example Giesserei Lindental GmbH
             */
            partner_name: string | null;
            /**
             * @description Order the goods belong to.
             * @example O-1001
             */
            order_id: string | null;
            /**
             * @description Routing assigned to the goods.
             * @example R-1001
             */
            routing_id: string | null;
            /**
             * Format: date
             * @description Day on which the goods came in.
             * @example 2026-11-02
             */
            received_date: string | null;
            /**
             * Format: date
             * @description Day by which the goods are required.
             * @example 2026-11-27
             */
            required_date: string | null;
            /**
             * Format: date
             * @description Day on which the goods left again or were handed on.
             * @example 2026-11-26
             */
            delivered_date: string | null;
            /**
             * Format: date
             * @description Day on which the document was invoiced.
             * @example 2026-11-30
             */
            invoiced_date: string | null;
            /**
             * @description Person who took the goods in.
             * @example PE-1001
             */
            received_by: string | null;
            /**
             * @description Net amount of all services, in `currency`.
             * @example 2310.5
             */
            total_amount: number | null;
            /**
             * @description ISO 4217 code of the currency of the amount.
             * @example EUR
             */
            currency: string | null;
            /**
             * @description Free text.
             * @example Deliver to gate 2
             */
            notes: string | null;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Stock: what lies where, by part, lot and location. */
        InventoryItem: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example IT-1001
             */
            id: string;
            /**
             * @description Part that is in stock.
             * @example P-1001
             */
            part_id: string;
            /**
             * @description Lot or batch.
             * @example L-26-0419
             */
            lot_number: string | null;
            /**
             * @description Serial number, if the part has one.
             * @example SN-004711
             */
            serial_number: string | null;
            /**
             * @description Warehouse.
             * @example MAIN
             */
            warehouse: string | null;
            /**
             * @description Bin, rack or floor location.
             * @example R04-B12
             */
            location: string | null;
            /**
             * @description Whether it may be used.
             * @example available
             * @enum {string}
             */
            status: "available" | "reserved" | "in_inspection" | "blocked" | "in_transit" | "consumed";
            /**
             * @description Quantity that is there.
             * @example 240
             */
            quantity_on_hand: number;
            /**
             * @description Quantity promised to jobs and orders.
             * @example 120
             */
            quantity_reserved: number | null;
            /**
             * @description Unit of the quantities, as a UCUM code.
             * @example {piece}
             */
            unit: string | null;
            /**
             * @description Cost of one unit, in `currency`.
             * @example 48.5
             */
            unit_cost: number | null;
            /**
             * @description ISO 4217 code of the currency of the cost.
             * @example EUR
             */
            currency: string | null;
            /**
             * Format: date
             * @description Day on which it came in.
             * @example 2026-11-02
             */
            received_date: string | null;
            /**
             * Format: date
             * @description Last day on which it may be used.
             * @example 2027-11-01
             */
            expiry_date: string | null;
            /**
             * Format: date-time
             * @description When it was last counted.
             * @example 2026-10-31T16:20:00.000000Z
             */
            last_counted_at: string | null;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Movements of stock: receipts, issues, transfers and corrections, each with its instant. */
        InventoryMovement: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example MV-1001
             */
            id: string;
            /**
             * @description Item that was moved.
             * @example IT-1001
             */
            inventory_item_id: string | null;
            /**
             * @description Part that was moved.
             * @example P-1001
             */
            part_id: string;
            /**
             * @description What happened.
             * @example issue
             * @enum {string}
             */
            movement_type: "receipt" | "issue" | "return" | "transfer" | "adjustment" | "scrap" | "shipment";
            /**
             * @description Quantity moved; negative if an adjustment takes away.
             * @example 40
             */
            quantity: number;
            /**
             * @description Unit of the quantity, as a UCUM code.
             * @example {piece}
             */
            unit: string | null;
            /**
             * @description Lot or batch.
             * @example L-26-0419
             */
            lot_number: string | null;
            /**
             * @description Location it left.
             * @example R04-B12
             */
            from_location: string | null;
            /**
             * @description Location it went to.
             * @example LINE-2
             */
            to_location: string | null;
            /**
             * @description Job it was moved for.
             * @example J-1001
             */
            job_id: string | null;
            /**
             * @description Order it was moved for.
             * @example O-1001
             */
            order_id: string | null;
            /**
             * @description Document it came in with.
             * @example IN-1001
             */
            inbound_document_id: string | null;
            /**
             * @description Person who moved it.
             * @example PE-1001
             */
            person_id: string | null;
            /**
             * @description Reason in words.
             * @example Issued to job
             */
            reason: string | null;
            /**
             * Format: date-time
             * @description When it was moved.
             * @example 2026-11-20T06:31:12.000000Z
             */
            moved_at: string;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Inspections of incoming goods, first articles, running production and finished lots, with their results. */
        QualityInspection: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example QI-1001
             */
            id: string;
            /**
             * @description Number of the inspection.
             * @example QI-2026-1187
             */
            inspection_number: string;
            /**
             * @description When in the flow it takes place.
             * @example incoming
             * @enum {string}
             */
            inspection_type: "incoming" | "first_article" | "in_process" | "final" | "periodic";
            /**
             * @description State of the inspection.
             * @example completed
             * @enum {string}
             */
            status: "planned" | "in_progress" | "completed" | "cancelled";
            /**
             * @description Usage decision; null until there is one.
             * @example accepted
             * @enum {string|null}
             */
            result: "accepted" | "accepted_with_concession" | "rejected" | null;
            /**
             * @description Part that was inspected.
             * @example P-1001
             */
            part_id: string | null;
            /**
             * @description Job it was inspected in.
             * @example J-1001
             */
            job_id: string | null;
            /**
             * @description Document the goods came in with.
             * @example IN-1001
             */
            inbound_document_id: string | null;
            /**
             * @description Lot or batch.
             * @example L-26-0419
             */
            lot_number: string | null;
            /**
             * @description Quantity of the lot.
             * @example 240
             */
            lot_quantity: number | null;
            /**
             * @description Number of units inspected.
             * @example 13
             */
            sample_size: number | null;
            /**
             * @description Number of units with a defect.
             * @example 0
             */
            defects_found: number | null;
            /**
             * @description Unit of the lot quantity, as a UCUM code.
             * @example {piece}
             */
            unit: string | null;
            /**
             * @description Person who inspected.
             * @example PE-1001
             */
            inspector_id: string | null;
            /**
             * Format: date-time
             * @description When the inspection was done.
             * @example 2026-11-03T09:05:00.000000Z
             */
            inspected_at: string | null;
            /**
             * @description Free text.
             * @example Sampling to ISO 2859-1, level II
             */
            remarks: string | null;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Non-conformances: what did not meet its requirements, what was decided and what was done. */
        NonConformance: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example NC-1001
             */
            id: string;
            /**
             * @description Number of the non-conformance report.
             * @example NCR-26-052
             */
            ncr_number: string;
            /**
             * @description What is wrong, in a few words.
             * @example Bore diameter out of tolerance
             */
            title: string;
            /**
             * @description What is wrong, in full.
             * @example Bore 40 H7 measured at 40.041 mm on 6 of 13 units
             */
            description: string | null;
            /**
             * @description Severity.
             * @example major
             * @enum {string}
             */
            severity: "minor" | "major" | "critical";
            /**
             * @description State.
             * @example under_review
             * @enum {string}
             */
            status: "open" | "contained" | "under_review" | "in_correction" | "closed" | "cancelled";
            /**
             * @description What was decided; null until it is.
             * @example rework
             * @enum {string|null}
             */
            disposition: "use_as_is" | "rework" | "repair" | "scrap" | "return_to_supplier" | null;
            /**
             * @description Part concerned.
             * @example P-1001
             */
            part_id: string | null;
            /**
             * @description Job concerned.
             * @example J-1001
             */
            job_id: string | null;
            /**
             * @description Inspection that found it.
             * @example QI-1001
             */
            quality_inspection_id: string | null;
            /**
             * @description Lot or batch.
             * @example L-26-0419
             */
            lot_number: string | null;
            /**
             * @description Quantity concerned.
             * @example 6
             */
            quantity_affected: number | null;
            /**
             * @description Unit of the quantity, as a UCUM code.
             * @example {piece}
             */
            unit: string | null;
            /**
             * Format: date-time
             * @description When it was detected.
             * @example 2026-11-03T09:20:00.000000Z
             */
            detected_at: string | null;
            /**
             * @description Person who detected it.
             * @example PE-1001
             */
            detected_by: string | null;
            /**
             * @description Cause that was found.
             * @example Tool wear beyond limit
             */
            root_cause: string | null;
            /**
             * @description What prevents it from now on.
             * @example Tool life reduced to 400 parts
             */
            corrective_action: string | null;
            /**
             * Format: date-time
             * @description When it was closed.
             * @example 2026-11-18T15:00:00.000000Z
             */
            closed_at: string | null;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Safety incidents and near misses, without names of those hurt. */
        SafetyIncident: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example SI-1001
             */
            id: string;
            /**
             * @description Number of the incident.
             * @example SI-26-007
             */
            incident_number: string;
            /**
             * @description What happened, in a few words.
             * @example Oil on walkway at oven 3
             */
            title: string;
            /**
             * @description What happened, in full.
             * @example Leak at the quench pump; nobody hurt
             */
            description: string | null;
            /**
             * @description Kind of incident.
             * @example near_miss
             * @enum {string}
             */
            incident_type: "near_miss" | "first_aid" | "medical_treatment" | "lost_time" | "property_damage" | "environmental" | "fire";
            /**
             * @description Severity.
             * @example low
             * @enum {string}
             */
            severity: "low" | "medium" | "high" | "critical";
            /**
             * @description State.
             * @example under_investigation
             * @enum {string}
             */
            status: "reported" | "under_investigation" | "action_required" | "closed";
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-11-12T04:48:00.000000Z
             */
            occurred_at: string;
            /**
             * Format: date-time
             * @description When it was reported.
             * @example 2026-11-12T05:10:00.000000Z
             */
            reported_at: string | null;
            /**
             * @description Where it happened.
             * @example Hall 2, heat treatment
             */
            location: string | null;
            /**
             * @description Asset concerned.
             * @example A-1001
             */
            asset_id: string | null;
            /**
             * @description Person who reported it.
             * @example PE-1001
             */
            reported_by: string | null;
            /**
             * @description Number of persons hurt.
             * @example 0
             */
            persons_injured: number | null;
            /**
             * @description Days of work lost. Unit: d.
             * @example 0
             */
            lost_days: number | null;
            /**
             * @description What prevents it from now on.
             * @example Drip tray fitted, pump seal replaced
             */
            corrective_action: string | null;
            /**
             * Format: date-time
             * @description When it was closed.
             * @example 2026-11-19T10:00:00.000000Z
             */
            closed_at: string | null;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Projects that orders and jobs belong to. */
        Project: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example PRJ-1001
             */
            id: string;
            /**
             * @description Code of the project as people know it.
             * @example WIND-26
             */
            code: string;
            /**
             * @description Name of the project.
             * @example Gearbox housings for offshore turbines
             */
            name: string;
            /**
             * @description Free text.
             * @example Series of 400 housings in four lots
             */
            description: string | null;
            /**
             * @description State of the project.
             * @example active
             * @enum {string}
             */
            status: "planned" | "active" | "on_hold" | "completed" | "cancelled";
            /**
             * @description Name of the customer.
             * @example Nordwind Getriebe GmbH
             */
            customer_name: string | null;
            /**
             * @description Person in charge.
             * @example PE-1001
             */
            manager_id: string | null;
            /**
             * Format: date
             * @description First day.
             * @example 2026-09-01
             */
            start_date: string | null;
            /**
             * Format: date
             * @description Last day planned.
             * @example 2027-03-31
             */
            end_date: string | null;
            /**
             * Format: date
             * @description Day by which the customer requires the result.
             * @example 2027-03-15
             */
            required_date: string | null;
            /**
             * @description Budget, in `currency`.
             * @example 480000
             */
            budget: number | null;
            /**
             * @description ISO 4217 code of the currency of the budget.
             * @example EUR
             */
            currency: string | null;
            /**
             * @description Share that is done, 0 to 100. Unit: %.
             * @example 35
             */
            progress_percent: number | null;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Part master data: what the plant makes, buys and keeps. */
        Part: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example P-1001
             */
            id: string;
            /**
             * @description Name of the part.
             * @example Bearing housing
             */
            name: string;
            /**
             * @description The stored part number; use it to match part numbers shown in the application.
             * @example BH-2040-A
             */
            part_number: string;
            /**
             * @description Drawing or engineering revision.
             * @example C
             */
            revision: string | null;
            /**
             * @description Free text.
             * @example Cast housing, machined
             */
            description: string | null;
            /**
             * @description Whether the part may be used on new jobs and orders.
             * @example true
             */
            is_active: boolean;
            /**
             * @description Part family or commodity.
             * @example Castings
             */
            category: string | null;
            /**
             * @description Stock-keeping unit of measure, as a UCUM code.
             * @example {piece}
             */
            unit: string | null;
            /**
             * @description Material designation.
             * @example EN-GJS-400-15
             */
            material: string | null;
            /**
             * @description Net weight of one unit. Unit: kg.
             * @example 12.4
             */
            weight_kg: number | null;
            /**
             * @description Standard cost of one unit, in `currency`.
             * @example 48.5
             */
            standard_cost: number | null;
            /**
             * @description ISO 4217 code of the currency of the cost.
             * @example EUR
             */
            currency: string | null;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Assets: machines, ovens, lines, tools and their locations. */
        Asset: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example A-1001
             */
            id: string;
            /**
             * @description Code of the asset as people know it.
             * @example OVEN-3
             */
            code: string;
            /**
             * @description Name of the asset.
             * @example Chamber oven 3
             */
            name: string;
            /**
             * @description Kind of asset.
             * @example oven
             * @enum {string}
             */
            asset_type: "area" | "production_line" | "work_unit" | "machine" | "oven" | "tank" | "vehicle" | "tool" | "measuring_equipment" | "utility";
            /**
             * @description Asset this one is part of.
             * @example A-1002
             */
            parent_id: string | null;
            /**
             * @description State of the asset.
             * @example operational
             * @enum {string}
             */
            status: "operational" | "standby" | "under_maintenance" | "out_of_service" | "retired";
            /**
             * @description Manufacturer.
             * @example Lindental Ofenbau
             */
            manufacturer: string | null;
            /**
             * @description Model or type.
             * @example KOE 120
             */
            model: string | null;
            /**
             * @description Serial number.
             * @example A-2291-08
             */
            serial_number: string | null;
            /**
             * @description Location.
             * @example Hall 2, heat treatment
             */
            location: string | null;
            /**
             * @description Cost centre.
             * @example 4420
             */
            cost_center: string | null;
            /**
             * @description How much depends on it.
             * @example high
             * @enum {string|null}
             */
            criticality: "low" | "medium" | "high" | null;
            /**
             * Format: date
             * @description Day on which it went into service.
             * @example 2019-04-08
             */
            commissioned_date: string | null;
            /**
             * @description Whether it may be planned.
             * @example true
             */
            is_active: boolean;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Routings: the ordered operations by which a part is made or processed. */
        Routing: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example R-1001
             */
            id: string;
            /**
             * @description Code of the routing as people know it.
             * @example RT-BH-2040
             */
            code: string;
            /**
             * @description Name of the routing.
             * @example Bearing housing, cast and machined
             */
            name: string;
            /**
             * @description Part it makes; null if it serves several.
             * @example P-1001
             */
            part_id: string | null;
            /**
             * @description Revision.
             * @example B
             */
            revision: string | null;
            /**
             * @description State of the routing.
             * @example released
             * @enum {string}
             */
            status: "draft" | "released" | "superseded" | "retired";
            /**
             * @description Whether it may be assigned to jobs and inbound documents.
             * @example true
             */
            is_active: boolean;
            /**
             * @description Lot size the times are planned for.
             * @example 120
             */
            lot_size: number | null;
            /**
             * @description Unit of the lot size, as a UCUM code.
             * @example {piece}
             */
            unit: string | null;
            /**
             * @description Planned time from the first operation to the last. Unit: d.
             * @example 6
             */
            lead_time_days: number | null;
            /**
             * Format: date
             * @description First day on which it may be used.
             * @example 2026-01-01
             */
            effective_from: string | null;
            /**
             * Format: date
             * @description Last day on which it may be used.
             * @example 2027-12-31
             */
            effective_to: string | null;
            /**
             * @description Operations in order.
             * @example [
             *       {
             *         "sequence": 20,
             *         "name": "Turn outer diameter",
             *         "process_id": "PR-1001",
             *         "asset_id": "A-1001",
             *         "setup_time_s": 1200,
             *         "run_time_per_item_s": 310
             *       }
             *     ]
             */
            operations: {
                /**
                 * @description Position of the operation.
                 * @example 20
                 */
                sequence: number;
                /**
                 * @description Name of the operation.
                 * @example Turn outer diameter
                 */
                name: string;
                /**
                 * @description Process that is carried out.
                 * @example PR-1001
                 */
                process_id: string | null;
                /**
                 * @description Work unit it is planned on.
                 * @example A-1001
                 */
                asset_id: string | null;
                /**
                 * @description Planned unit setup time (PUST). Unit: s.
                 * @example 1200
                 */
                setup_time_s: number | null;
                /**
                 * @description Planned run time per item (PRI). Unit: s.
                 * @example 310
                 */
                run_time_per_item_s: number | null;
            }[];
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Processes: the catalogue of what the plant can do, with revisions and availability. They carry no link to routings. */
        Process: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example PR-1001
             */
            id: string;
            /**
             * @description Code of the process; the same for all its revisions.
             * @example HT-ANNEAL
             */
            code: string;
            /**
             * @description Name of the process.
             * @example Stress relief annealing
             */
            name: string;
            /**
             * @description Free text.
             * @example Below 650 Cel, furnace cooling
             */
            description: string | null;
            /**
             * @description Family of processes.
             * @example Heat treatment
             */
            category: string | null;
            /**
             * @description Whether it is a member of the catalogue that orders may draw on.
             * @example true
             */
            in_catalogue: boolean;
            /**
             * @description Catalogue it is a member of.
             * @example Standard processes
             */
            catalogue: string | null;
            /**
             * @description Revision.
             * @example 4
             */
            revision: string;
            /**
             * @description Revision this one replaces.
             * @example PR-1002
             */
            supersedes_id: string | null;
            /**
             * @description Revision that replaces this one.
             * @example PR-1003
             */
            superseded_by_id: string | null;
            /**
             * @description First revision of the line.
             * @example PR-1004
             */
            root_id: string | null;
            /**
             * @description Whether the revision is approved.
             * @example approved
             * @enum {string}
             */
            approval_status: "draft" | "in_review" | "approved" | "rejected" | "withdrawn";
            /**
             * Format: date-time
             * @description When it was approved.
             * @example 2026-02-17T12:30:00.000000Z
             */
            approved_at: string | null;
            /**
             * @description Whether it can be used now; apart from approval.
             * @example available
             * @enum {string}
             */
            availability: "available" | "limited" | "unavailable";
            /**
             * @description Why it is limited or unavailable.
             * @example Oven 3 under maintenance
             */
            availability_reason: string | null;
            /**
             * @description Standard or customer specification it follows.
             * @example DIN 17022-5
             */
            standard: string | null;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description The registry of services that orders and inbound documents price. */
        Service: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example S-1001
             */
            id: string;
            /**
             * @description Registry code; `service_code` in the services of orders and inbound documents.
             * @example ANNEAL-S
             */
            code: string;
            /**
             * @description Name of the service.
             * @example Stress relief annealing, per kilogram
             */
            name: string;
            /**
             * @description Free text.
             * @example Charged by net weight
             */
            description: string | null;
            /**
             * @description Family of services.
             * @example Heat treatment
             */
            category: string | null;
            /**
             * @description Process that is carried out.
             * @example PR-1001
             */
            process_id: string | null;
            /**
             * @description Unit the price is for, as a UCUM code.
             * @example kg
             */
            unit: string | null;
            /**
             * @description List price of one unit, in `currency`.
             * @example 1.85
             */
            unit_price: number | null;
            /**
             * @description ISO 4217 code of the currency of the price.
             * @example EUR
             */
            currency: string | null;
            /**
             * @description Least amount charged, in `currency`.
             * @example 90
             */
            minimum_charge: number | null;
            /**
             * @description Usual time until it is done. Unit: d.
             * @example 3
             */
            lead_time_days: number | null;
            /**
             * Format: date
             * @description First day the price holds.
             * @example 2026-01-01
             */
            valid_from: string | null;
            /**
             * Format: date
             * @description Last day the price holds.
             * @example 2026-12-31
             */
            valid_to: string | null;
            /**
             * @description Whether it may be used on new orders and documents.
             * @example true
             */
            is_active: boolean;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description People of the plant as planning and training know them; no private data. */
        Person: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example PE-1001
             */
            id: string;
            /**
             * @description Personnel number.
             * @example 00417
             */
            personnel_number: string;
            /**
             * @description Name.
             * @example Jana Krüger
             */
            name: string;
            /**
             * @description Position.
             * @example Heat treatment operator
             */
            job_title: string | null;
            /**
             * @description Department.
             * @example Heat treatment
             */
            department: string | null;
            /**
             * @description Team or group.
             * @example HT-2
             */
            team: string | null;
            /**
             * @description Shift model.
             * @example 3-shift
             */
            shift: string | null;
            /**
             * @description Cost centre.
             * @example 4420
             */
            cost_center: string | null;
            /**
             * @description Person reported to.
             * @example PE-1002
             */
            supervisor_id: string | null;
            /**
             * @description Kind of employment.
             * @example employee
             * @enum {string|null}
             */
            employment_type: "employee" | "temporary" | "contractor" | "apprentice" | null;
            /**
             * Format: date
             * @description First day of employment.
             * @example 2021-03-01
             */
            hired_date: string | null;
            /**
             * Format: date
             * @description Last day of employment.
             * @example 2026-12-31
             */
            left_date: string | null;
            /**
             * @description Whether the person may be assigned.
             * @example true
             */
            is_active: boolean;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Training and qualification of people: what was learned, when, and until when it holds. */
        TrainingRecord: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example TR-1001
             */
            id: string;
            /**
             * @description Person who was trained.
             * @example PE-1001
             */
            person_id: string;
            /**
             * @description Code of the course or qualification.
             * @example FORKLIFT
             */
            course_code: string;
            /**
             * @description Title of the course or qualification.
             * @example Forklift licence, yearly instruction
             */
            course_title: string;
            /**
             * @description Subject.
             * @example safety
             * @enum {string|null}
             */
            category: "safety" | "quality" | "process" | "machine" | "management" | "other" | null;
            /**
             * @description State.
             * @example completed
             * @enum {string}
             */
            status: "planned" | "in_progress" | "completed" | "failed" | "expired";
            /**
             * @description Process it qualifies for.
             * @example PR-1001
             */
            process_id: string | null;
            /**
             * @description Asset it qualifies for.
             * @example A-1001
             */
            asset_id: string | null;
            /**
             * @description Who taught it.
             * @example Training centre Lindental
             */
            trainer: string | null;
            /**
             * Format: date
             * @description Day on which it was passed.
             * @example 2026-03-12
             */
            completed_date: string | null;
            /**
             * Format: date
             * @description Last day on which it holds.
             * @example 2027-03-11
             */
            valid_until: string | null;
            /**
             * @description Result, 0 to 100. Unit: %.
             * @example 92
             */
            score_percent: number | null;
            /**
             * @description Number of the certificate.
             * @example FL-26-1184
             */
            certificate_number: string | null;
            /**
             * @description Length. Unit: h.
             * @example 4
             */
            duration_h: number | null;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
        };
        /** @description Asset sensors: what each measures, in which unit, and where. */
        Sensor: {
            /**
             * @description Identifier of the record, as the importing system gave it; unique within the entity and the resource.
             * @example SE-1001
             */
            id: string;
            /**
             * @description Code by which gateways name the sensor; unique in the entity.
             * @example OVEN-3-T1
             */
            code: string;
            /**
             * @description Name of the sensor.
             * @example Oven 3, zone 1 temperature
             */
            name: string;
            /**
             * @description Asset it is fitted to.
             * @example A-1001
             */
            asset_id: string | null;
            /**
             * @description What it measures.
             * @example temperature
             */
            quantity: string | null;
            /**
             * @description Unit of its readings, as a UCUM code; null if they have none, as for a switch.
             * @example Cel
             */
            unit: string | null;
            /**
             * @description Whether readings are expected from it.
             * @example true
             */
            is_active: boolean;
            /**
             * Format: date-time
             * @description When the record last changed here; set by the import, for use with `updated_since`.
             * @example 2026-11-20T08:15:00.123456Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description Instant of the newest reading; null before the first.
             * @example 2026-11-20T08:15:00.123456Z
             */
            last_reading_at: string | null;
            /**
             * @description Value of the newest reading.
             * @example 182.4
             */
            last_value: number | null;
            /**
             * Format: date-time
             * @description Instant of the newest heartbeat; null before the first.
             * @example 2026-11-20T08:15:00.123456Z
             */
            last_heartbeat_at: string | null;
            /**
             * @description Status of the newest heartbeat; null if it had none.
             * @example ok
             * @enum {string|null}
             */
            last_status: "ok" | "degraded" | "fault" | null;
        };
    };
    responses: {
        /** @description Nothing has changed since the answer with that `ETag`. */
        NotModified: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description A parameter is unknown, repeated or wrong, or `If-Match` names no `ETag` of the answer. Codes: `bad_parameter`, `key_in_query`. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
        /** @description The body is not JSON, a parameter is wrong, or the request has an `If-Match`, which cannot match here. Codes: `bad_json`, `bad_parameter`, `key_in_query`. */
        BadBody: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
        /** @description The key is missing, malformed, incomplete, unknown, revoked or expired, or its creator is inactive. Codes: `missing_authorization`, `malformed_authorization`, `incomplete_secret`, `unknown_key`, `key_revoked`, `key_expired`, `creator_inactive`. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
        /** @description The entity of the key is gone or inactive, or the key must not be used from this address. Codes: `entity_missing`, `entity_inactive`, `address_not_allowed`. */
        EntityForbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
        /** @description The entity of the key is gone or inactive, the key must not be used from this address, or it does not have the permission. Codes: `entity_missing`, `entity_inactive`, `address_not_allowed`, `permission_required`. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
        /** @description There is no such record in the key's entity. Codes: `not_found`. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
        /** @description The path does not support the method; `Allow` names the methods that it supports. Codes: `method_not_allowed`. */
        MethodNotAllowed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
        /** @description `Accept` names no type of this answer. Codes: `not_acceptable`. */
        NotAcceptable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
        /** @description The `sync_token` is older than 90 days, or of a store before it was restored: read the whole list again. Codes: `sync_token_expired`. */
        SyncTokenExpired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
        /** @description More than 10,000 readings, or 8 MiB after decompression. Codes: `too_large`. */
        TooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
        /** @description The `Content-Type` or `Content-Encoding` is not supported. Codes: `unsupported_media_type`. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
        /** @description The body is JSON, but of another shape. Codes: `invalid_body`. */
        InvalidBody: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
        /** @description A limit was exceeded: try again later. Codes: `too_many_requests`, `too_many_failed_checks`. */
        TooMany: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
        /** @description A limit was exceeded: try again later. Codes: `too_many_ingest_requests`, `too_many_failed_checks`. */
        TooManyIngest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
        /** @description An internal error; its cause is only in the log. Codes: `internal`. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
        /** @description The service is overloaded or shutting down, or its disk is full. Codes: `unavailable`. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    code?: string;
                };
            };
        };
    };
    parameters: {
        /** @description The `id` of the record, percent-encoded. */
        Id: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Identifies the request; problem documents and the log have the same id.
         * @example 3q2vZ0aB-1f
         */
        "X-Request-Id": string;
        /**
         * @description The rest of the limit: `r` requests in the next `t` seconds (draft-ietf-httpapi-ratelimit-headers).
         * @example "requests";r=599;t=60
         */
        RateLimit: string;
        /**
         * @description The limit of this path: `q` requests in `w` seconds. Absent if the limit is off.
         * @example "requests";q=600;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Seconds to wait before the next attempt.
         * @example 17
         */
        "Retry-After": number;
        /**
         * @description Send it as `If-None-Match` to find out whether anything changed.
         * @example "mJ3sVxkS9dHk0eT1bq7wZg"
         */
        ETag: string;
        /**
         * @description Address of the next page, `rel="next"` (RFC 8288); absent on the last page.
         * @example </api/v1/parts?limit=50&cursor=WyJ4Il0>; rel="next"
         */
        Link: string;
        /**
         * @description The methods that the path supports.
         * @example GET, HEAD
         */
        Allow: string;
        /**
         * @description The authentication scheme and the error (RFC 6750).
         * @example Bearer realm="hkctl", error="invalid_token", error_description="key_revoked"
         */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getDocumentsAtRoot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDocuments: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSpecification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entity and the permissions of the key. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tenant": {
                     *         "id": "0b9f6a1e-5a55-4c62-9a53-3f1f4c1f2f10",
                     *         "name": "Nordwerk"
                     *       },
                     *       "entity": {
                     *         "id": "5a3c52a2-6a55-4c0e-8f3c-3b7c2b8d9e01",
                     *         "code": "BER",
                     *         "name": "Plant Berlin",
                     *         "timezone": "Europe/Berlin"
                     *       },
                     *       "key": {
                     *         "id": "9c1d0f53-9a53-4f0a-9d53-6a1e5a554c62",
                     *         "prefix": "hk_4fTq9",
                     *         "name": "Reporting",
                     *         "expires_at": null
                     *       },
                     *       "permissions": [
                     *         "parts.view"
                     *       ],
                     *       "resources": [
                     *         "/api/v1/parts"
                     *       ],
                     *       "server_time": "2026-11-20T08:15:00.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["EntityForbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listResources: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entity and the permissions of the key. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "name": "parts",
                     *           "path": "/api/v1/parts",
                     *           "title": "Parts",
                     *           "permissions": [
                     *             "parts.view"
                     *           ],
                     *           "methods": [
                     *             "GET"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["ResourceEntry"][];
                    };
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["EntityForbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `job_number` equals this value. Number of the job as people know it.
                 * @example 2026-00417
                 */
                job_number?: string;
                /**
                 * @description Only records whose `status` equals this value. State of the job.
                 * @example in_progress
                 */
                status?: "planned" | "released" | "in_progress" | "on_hold" | "completed" | "closed" | "cancelled";
                /**
                 * @description Only records whose `order_id` equals this value. Order the job works for.
                 * @example O-1001
                 */
                order_id?: string;
                /**
                 * @description Only records whose `part_id` equals this value. Part that is made or processed.
                 * @example P-1001
                 */
                part_id?: string;
                /**
                 * @description Only records whose `received_date` equals this value. Day on which the job came in.
                 * @example 2026-11-02
                 */
                received_date?: string;
                /**
                 * @description Only records whose `received_date` is not before this value (inclusive).
                 * @example 2026-11-02
                 */
                received_date_from?: string;
                /**
                 * @description Only records whose `received_date` is not after this value (inclusive).
                 * @example 2026-11-02
                 */
                received_date_to?: string;
                /**
                 * @description Only records whose `received_date` lies in the week that contains this day, by the organization's week start.
                 * @example 2026-11-20
                 */
                received_date_week?: string;
                /**
                 * @description Only records whose `required_date` equals this value. Day by which the customer requires the job.
                 * @example 2026-11-27
                 */
                required_date?: string;
                /**
                 * @description Only records whose `required_date` is not before this value (inclusive).
                 * @example 2026-11-27
                 */
                required_date_from?: string;
                /**
                 * @description Only records whose `required_date` is not after this value (inclusive).
                 * @example 2026-11-27
                 */
                required_date_to?: string;
                /**
                 * @description Only records whose `required_date` lies in the week that contains this day, by the organization's week start.
                 * @example 2026-11-20
                 */
                required_date_week?: string;
                /**
                 * @description Only records whose `delivered_date` equals this value. Day on which the job was delivered in full.
                 * @example 2026-11-26
                 */
                delivered_date?: string;
                /**
                 * @description Only records whose `delivered_date` is not before this value (inclusive).
                 * @example 2026-11-26
                 */
                delivered_date_from?: string;
                /**
                 * @description Only records whose `delivered_date` is not after this value (inclusive).
                 * @example 2026-11-26
                 */
                delivered_date_to?: string;
                /**
                 * @description Only records whose `delivered_date` lies in the week that contains this day, by the organization's week start.
                 * @example 2026-11-20
                 */
                delivered_date_week?: string;
                /**
                 * @description Only records whose `invoiced_date` equals this value. Day on which the job was invoiced.
                 * @example 2026-11-30
                 */
                invoiced_date?: string;
                /**
                 * @description Only records whose `invoiced_date` is not before this value (inclusive).
                 * @example 2026-11-30
                 */
                invoiced_date_from?: string;
                /**
                 * @description Only records whose `invoiced_date` is not after this value (inclusive).
                 * @example 2026-11-30
                 */
                invoiced_date_to?: string;
                /**
                 * @description Only records whose `invoiced_date` lies in the week that contains this day, by the organization's week start.
                 * @example 2026-11-20
                 */
                invoiced_date_week?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Job"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,job_number,name,status,order_id,part_id,routing_id,project_id,quantity,quantity_completed,unit,priority,received_date,required_date,delivered_date,invoiced_date,started_at,completed_at,updated_at
                     *     J-1001,2026-00417,"Bearing housings, batch 12",in_progress,O-1001,P-1001,R-1001,PRJ-1001,120,84,{piece},3,2026-11-02,2026-11-27,2026-11-26,2026-11-30,2026-11-09T06:02:11.000000Z,2026-11-25T13:40:00.000000Z,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "J-1001",
                     *       "job_number": "2026-00417",
                     *       "name": "Bearing housings, batch 12",
                     *       "status": "in_progress",
                     *       "order_id": "O-1001",
                     *       "part_id": "P-1001",
                     *       "routing_id": "R-1001",
                     *       "project_id": "PRJ-1001",
                     *       "quantity": 120,
                     *       "quantity_completed": 84,
                     *       "unit": "{piece}",
                     *       "priority": 3,
                     *       "received_date": "2026-11-02",
                     *       "required_date": "2026-11-27",
                     *       "delivered_date": "2026-11-26",
                     *       "invoiced_date": "2026-11-30",
                     *       "started_at": "2026-11-09T06:02:11.000000Z",
                     *       "completed_at": "2026-11-25T13:40:00.000000Z",
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listOrders: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Fields of the single record that the list shows, too.
                 * @example [
                 *       "services"
                 *     ]
                 */
                include?: "services"[];
                /**
                 * @description Only records whose `order_number` equals this value. Number of the order as people know it.
                 * @example SO-2026-0831
                 */
                order_number?: string;
                /**
                 * @description Only records whose `customer_code` equals this value. Number of the customer in the ERP system.
                 * @example C-20417
                 */
                customer_code?: string;
                /**
                 * @description Only records whose `status` equals this value. State of the order.
                 * @example in_progress
                 */
                status?: "draft" | "confirmed" | "in_progress" | "on_hold" | "delivered" | "invoiced" | "closed" | "cancelled";
                /**
                 * @description Only records whose `project_id` equals this value. Project the order belongs to.
                 * @example PRJ-1001
                 */
                project_id?: string;
                /**
                 * @description Only records whose `received_date` equals this value. Day on which the order came in.
                 * @example 2026-11-02
                 */
                received_date?: string;
                /**
                 * @description Only records whose `received_date` is not before this value (inclusive).
                 * @example 2026-11-02
                 */
                received_date_from?: string;
                /**
                 * @description Only records whose `received_date` is not after this value (inclusive).
                 * @example 2026-11-02
                 */
                received_date_to?: string;
                /**
                 * @description Only records whose `received_date` lies in the week that contains this day, by the organization's week start.
                 * @example 2026-11-20
                 */
                received_date_week?: string;
                /**
                 * @description Only records whose `required_date` equals this value. Day by which the customer requires the order.
                 * @example 2026-11-27
                 */
                required_date?: string;
                /**
                 * @description Only records whose `required_date` is not before this value (inclusive).
                 * @example 2026-11-27
                 */
                required_date_from?: string;
                /**
                 * @description Only records whose `required_date` is not after this value (inclusive).
                 * @example 2026-11-27
                 */
                required_date_to?: string;
                /**
                 * @description Only records whose `required_date` lies in the week that contains this day, by the organization's week start.
                 * @example 2026-11-20
                 */
                required_date_week?: string;
                /**
                 * @description Only records whose `delivered_date` equals this value. Day on which the order was delivered in full.
                 * @example 2026-11-26
                 */
                delivered_date?: string;
                /**
                 * @description Only records whose `delivered_date` is not before this value (inclusive).
                 * @example 2026-11-26
                 */
                delivered_date_from?: string;
                /**
                 * @description Only records whose `delivered_date` is not after this value (inclusive).
                 * @example 2026-11-26
                 */
                delivered_date_to?: string;
                /**
                 * @description Only records whose `delivered_date` lies in the week that contains this day, by the organization's week start.
                 * @example 2026-11-20
                 */
                delivered_date_week?: string;
                /**
                 * @description Only records whose `invoiced_date` equals this value. Day on which the order was invoiced.
                 * @example 2026-11-30
                 */
                invoiced_date?: string;
                /**
                 * @description Only records whose `invoiced_date` is not before this value (inclusive).
                 * @example 2026-11-30
                 */
                invoiced_date_from?: string;
                /**
                 * @description Only records whose `invoiced_date` is not after this value (inclusive).
                 * @example 2026-11-30
                 */
                invoiced_date_to?: string;
                /**
                 * @description Only records whose `invoiced_date` lies in the week that contains this day, by the organization's week start.
                 * @example 2026-11-20
                 */
                invoiced_date_week?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: (components["schemas"]["Order"] | components["schemas"]["OrderSummary"])[];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,order_number,customer_code,customer_name,customer_reference,status,project_id,priority,received_date,required_date,delivered_date,invoiced_date,total_amount,currency,notes,updated_at
                     *     O-1001,SO-2026-0831,C-20417,Nordwind Getriebe GmbH,4500119876,in_progress,PRJ-1001,2,2026-11-02,2026-11-27,2026-11-26,2026-11-30,18450.5,EUR,Deliver to gate 2,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "O-1001",
                     *       "order_number": "SO-2026-0831",
                     *       "customer_code": "C-20417",
                     *       "customer_name": "Nordwind Getriebe GmbH",
                     *       "customer_reference": "4500119876",
                     *       "status": "in_progress",
                     *       "project_id": "PRJ-1001",
                     *       "priority": 2,
                     *       "received_date": "2026-11-02",
                     *       "required_date": "2026-11-27",
                     *       "delivered_date": "2026-11-26",
                     *       "invoiced_date": "2026-11-30",
                     *       "total_amount": 18450.5,
                     *       "currency": "EUR",
                     *       "notes": "Deliver to gate 2",
                     *       "services": [
                     *         {
                     *           "row_id": "SVC-01",
                     *           "service_code": "ANNEAL-S",
                     *           "description": "Stress relief annealing",
                     *           "quantity": 740.5,
                     *           "unit": "kg",
                     *           "unit_price": 1.85,
                     *           "currency": "EUR",
                     *           "assignments": [
                     *             {
                     *               "resource": "assets",
                     *               "id": "A-1001"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Order"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listProductionJobs: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `job_id` equals this value. Job the operation belongs to.
                 * @example J-1001
                 */
                job_id?: string;
                /**
                 * @description Only records whose `status` equals this value. State of the operation.
                 * @example running
                 */
                status?: "scheduled" | "setup" | "running" | "interrupted" | "completed" | "cancelled";
                /**
                 * @description Only records whose `asset_id` equals this value. Work unit (machine, oven, line) it runs on.
                 * @example A-1001
                 */
                asset_id?: string;
                /**
                 * @description Only records whose `started_at` equals this value. When the operation began.
                 * @example 2026-11-20T05:04:00.000000Z
                 */
                started_at?: string;
                /**
                 * @description Only records whose `started_at` is not before this value (inclusive; a day means all of it in the entity's time zone).
                 * @example 2026-11-20T05:04:00.000000Z
                 */
                started_at_from?: string;
                /**
                 * @description Only records whose `started_at` is not after this value (inclusive; a day means all of it in the entity's time zone).
                 * @example 2026-11-20T05:04:00.000000Z
                 */
                started_at_to?: string;
                /**
                 * @description Only records whose `started_at` lies in the week that contains this day, by the organization's week start in the entity's time zone.
                 * @example 2026-11-20
                 */
                started_at_week?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ProductionJob"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,job_id,sequence,name,status,process_id,asset_id,person_id,planned_order_quantity,produced_quantity,good_quantity,scrap_quantity,rework_quantity,unit,setup_time_s,processing_time_s,started_at,ended_at,updated_at
                     *     PJ-1001,J-1001,20,Turn outer diameter,running,PR-1001,A-1001,PE-1001,120,88,84,3,1,{piece},1260,27340,2026-11-20T05:04:00.000000Z,2026-11-20T13:12:30.000000Z,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getProductionJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "PJ-1001",
                     *       "job_id": "J-1001",
                     *       "sequence": 20,
                     *       "name": "Turn outer diameter",
                     *       "status": "running",
                     *       "process_id": "PR-1001",
                     *       "asset_id": "A-1001",
                     *       "person_id": "PE-1001",
                     *       "planned_order_quantity": 120,
                     *       "produced_quantity": 88,
                     *       "good_quantity": 84,
                     *       "scrap_quantity": 3,
                     *       "rework_quantity": 1,
                     *       "unit": "{piece}",
                     *       "setup_time_s": 1260,
                     *       "processing_time_s": 27340,
                     *       "started_at": "2026-11-20T05:04:00.000000Z",
                     *       "ended_at": "2026-11-20T13:12:30.000000Z",
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ProductionJob"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listProductionQuality: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `production_job_id` equals this value. Operation the figures are of.
                 * @example PJ-1001
                 */
                production_job_id?: string;
                /**
                 * @description Only records whose `job_id` equals this value. Job the figures are of.
                 * @example J-1001
                 */
                job_id?: string;
                /**
                 * @description Only records whose `part_id` equals this value. Part that was produced.
                 * @example P-1001
                 */
                part_id?: string;
                /**
                 * @description Only records whose `recorded_at` equals this value. When the figures were recorded.
                 * @example 2026-11-20T13:15:00.000000Z
                 */
                recorded_at?: string;
                /**
                 * @description Only records whose `recorded_at` is not before this value (inclusive; a day means all of it in the entity's time zone).
                 * @example 2026-11-20T13:15:00.000000Z
                 */
                recorded_at_from?: string;
                /**
                 * @description Only records whose `recorded_at` is not after this value (inclusive; a day means all of it in the entity's time zone).
                 * @example 2026-11-20T13:15:00.000000Z
                 */
                recorded_at_to?: string;
                /**
                 * @description Only records whose `recorded_at` lies in the week that contains this day, by the organization's week start in the entity's time zone.
                 * @example 2026-11-20
                 */
                recorded_at_week?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ProductionQualityRecord"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,production_job_id,job_id,part_id,asset_id,recorded_at,shift,produced_quantity,good_quantity,scrap_quantity,rework_quantity,unit,quality_ratio,first_pass_yield,scrap_ratio,defect_code,remarks,updated_at
                     *     PQ-1001,PJ-1001,J-1001,P-1001,A-1001,2026-11-20T13:15:00.000000Z,early,88,84,3,1,{piece},0.9545,0.96,0.0341,POR,Porosity near the flange,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getProductionQualityRecord: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "PQ-1001",
                     *       "production_job_id": "PJ-1001",
                     *       "job_id": "J-1001",
                     *       "part_id": "P-1001",
                     *       "asset_id": "A-1001",
                     *       "recorded_at": "2026-11-20T13:15:00.000000Z",
                     *       "shift": "early",
                     *       "produced_quantity": 88,
                     *       "good_quantity": 84,
                     *       "scrap_quantity": 3,
                     *       "rework_quantity": 1,
                     *       "unit": "{piece}",
                     *       "quality_ratio": 0.9545,
                     *       "first_pass_yield": 0.96,
                     *       "scrap_ratio": 0.0341,
                     *       "defect_code": "POR",
                     *       "remarks": "Porosity near the flange",
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ProductionQualityRecord"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listOEEEvents: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `asset_id` equals this value. Work unit the event is of.
                 * @example A-1001
                 */
                asset_id?: string;
                /**
                 * @description Only records whose `event_type` equals this value. What the work unit did.
                 * @example unplanned_downtime
                 */
                event_type?: "production" | "setup" | "planned_downtime" | "unplanned_downtime" | "minor_stop" | "reduced_speed" | "idle" | "no_demand";
                /**
                 * @description Only records whose `loss_category` equals this value. Factor of OEE that the span counts against.
                 * @example availability
                 */
                loss_category?: "none" | "availability" | "performance" | "quality";
                /**
                 * @description Only records whose `started_at` equals this value. When the span began.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                started_at?: string;
                /**
                 * @description Only records whose `started_at` is not before this value (inclusive; a day means all of it in the entity's time zone).
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                started_at_from?: string;
                /**
                 * @description Only records whose `started_at` is not after this value (inclusive; a day means all of it in the entity's time zone).
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                started_at_to?: string;
                /**
                 * @description Only records whose `started_at` lies in the week that contains this day, by the organization's week start in the entity's time zone.
                 * @example 2026-11-20
                 */
                started_at_week?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OEEEvent"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,asset_id,production_job_id,event_type,loss_category,reason_code,reason,started_at,ended_at,duration_s,planned_busy_time_s,availability,performance,quality,oee,updated_at
                     *     OE-1001,A-1001,PJ-1001,unplanned_downtime,availability,E-113,Hydraulic pressure low,2026-11-20T08:15:00.123456Z,2026-11-20T08:41:30.000000Z,1589.877,1589.877,0.91,0.87,0.985,0.78,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOEEEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "OE-1001",
                     *       "asset_id": "A-1001",
                     *       "production_job_id": "PJ-1001",
                     *       "event_type": "unplanned_downtime",
                     *       "loss_category": "availability",
                     *       "reason_code": "E-113",
                     *       "reason": "Hydraulic pressure low",
                     *       "started_at": "2026-11-20T08:15:00.123456Z",
                     *       "ended_at": "2026-11-20T08:41:30.000000Z",
                     *       "duration_s": 1589.877,
                     *       "planned_busy_time_s": 1589.877,
                     *       "availability": 0.91,
                     *       "performance": 0.87,
                     *       "quality": 0.985,
                     *       "oee": 0.78,
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["OEEEvent"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listInboundDocuments: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Fields of the single record that the list shows, too.
                 * @example [
                 *       "services"
                 *     ]
                 */
                include?: "services"[];
                /**
                 * @description Only records whose `document_number` equals this value. Number of the document.
                 * @example LS-88213
                 */
                document_number?: string;
                /**
                 * @description Only records whose `document_type` equals this value. Kind of document.
                 * @example delivery_note
                 */
                document_type?: "delivery_note" | "shipping_notice" | "goods_receipt" | "customer_material" | "return";
                /**
                 * @description Only records whose `status` equals this value. State of the document.
                 * @example received
                 */
                status?: "expected" | "received" | "in_inspection" | "released" | "completed" | "rejected" | "cancelled";
                /**
                 * @description Only records whose `order_id` equals this value. Order the goods belong to.
                 * @example O-1001
                 */
                order_id?: string;
                /**
                 * @description Only records whose `received_date` equals this value. Day on which the goods came in.
                 * @example 2026-11-02
                 */
                received_date?: string;
                /**
                 * @description Only records whose `received_date` is not before this value (inclusive).
                 * @example 2026-11-02
                 */
                received_date_from?: string;
                /**
                 * @description Only records whose `received_date` is not after this value (inclusive).
                 * @example 2026-11-02
                 */
                received_date_to?: string;
                /**
                 * @description Only records whose `received_date` lies in the week that contains this day, by the organization's week start.
                 * @example 2026-11-20
                 */
                received_date_week?: string;
                /**
                 * @description Only records whose `required_date` equals this value. Day by which the goods are required.
                 * @example 2026-11-27
                 */
                required_date?: string;
                /**
                 * @description Only records whose `required_date` is not before this value (inclusive).
                 * @example 2026-11-27
                 */
                required_date_from?: string;
                /**
                 * @description Only records whose `required_date` is not after this value (inclusive).
                 * @example 2026-11-27
                 */
                required_date_to?: string;
                /**
                 * @description Only records whose `required_date` lies in the week that contains this day, by the organization's week start.
                 * @example 2026-11-20
                 */
                required_date_week?: string;
                /**
                 * @description Only records whose `delivered_date` equals this value. Day on which the goods left again or were handed on.
                 * @example 2026-11-26
                 */
                delivered_date?: string;
                /**
                 * @description Only records whose `delivered_date` is not before this value (inclusive).
                 * @example 2026-11-26
                 */
                delivered_date_from?: string;
                /**
                 * @description Only records whose `delivered_date` is not after this value (inclusive).
                 * @example 2026-11-26
                 */
                delivered_date_to?: string;
                /**
                 * @description Only records whose `delivered_date` lies in the week that contains this day, by the organization's week start.
                 * @example 2026-11-20
                 */
                delivered_date_week?: string;
                /**
                 * @description Only records whose `invoiced_date` equals this value. Day on which the document was invoiced.
                 * @example 2026-11-30
                 */
                invoiced_date?: string;
                /**
                 * @description Only records whose `invoiced_date` is not before this value (inclusive).
                 * @example 2026-11-30
                 */
                invoiced_date_from?: string;
                /**
                 * @description Only records whose `invoiced_date` is not after this value (inclusive).
                 * @example 2026-11-30
                 */
                invoiced_date_to?: string;
                /**
                 * @description Only records whose `invoiced_date` lies in the week that contains this day, by the organization's week start.
                 * @example 2026-11-20
                 */
                invoiced_date_week?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: (components["schemas"]["InboundDocument"] | components["schemas"]["InboundDocumentSummary"])[];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,document_number,document_type,status,partner_code,partner_name,order_id,routing_id,received_date,required_date,delivered_date,invoiced_date,received_by,total_amount,currency,notes,updated_at
                     *     IN-1001,LS-88213,delivery_note,received,S-1044,Giesserei Lindental GmbH,O-1001,R-1001,2026-11-02,2026-11-27,2026-11-26,2026-11-30,PE-1001,2310.5,EUR,Deliver to gate 2,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getInboundDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "IN-1001",
                     *       "document_number": "LS-88213",
                     *       "document_type": "delivery_note",
                     *       "status": "received",
                     *       "partner_code": "S-1044",
                     *       "partner_name": "Giesserei Lindental GmbH",
                     *       "order_id": "O-1001",
                     *       "routing_id": "R-1001",
                     *       "received_date": "2026-11-02",
                     *       "required_date": "2026-11-27",
                     *       "delivered_date": "2026-11-26",
                     *       "invoiced_date": "2026-11-30",
                     *       "received_by": "PE-1001",
                     *       "total_amount": 2310.5,
                     *       "currency": "EUR",
                     *       "notes": "Deliver to gate 2",
                     *       "services": [
                     *         {
                     *           "row_id": "SVC-01",
                     *           "service_code": "ANNEAL-S",
                     *           "description": "Stress relief annealing",
                     *           "quantity": 740.5,
                     *           "unit": "kg",
                     *           "unit_price": 1.85,
                     *           "currency": "EUR",
                     *           "assignments": [
                     *             {
                     *               "resource": "assets",
                     *               "id": "A-1001"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["InboundDocument"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listInventoryItems: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `part_id` equals this value. Part that is in stock.
                 * @example P-1001
                 */
                part_id?: string;
                /**
                 * @description Only records whose `lot_number` equals this value. Lot or batch.
                 * @example L-26-0419
                 */
                lot_number?: string;
                /**
                 * @description Only records whose `location` equals this value. Bin, rack or floor location.
                 * @example R04-B12
                 */
                location?: string;
                /**
                 * @description Only records whose `status` equals this value. Whether it may be used.
                 * @example available
                 */
                status?: "available" | "reserved" | "in_inspection" | "blocked" | "in_transit" | "consumed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["InventoryItem"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,part_id,lot_number,serial_number,warehouse,location,status,quantity_on_hand,quantity_reserved,unit,unit_cost,currency,received_date,expiry_date,last_counted_at,updated_at
                     *     IT-1001,P-1001,L-26-0419,SN-004711,MAIN,R04-B12,available,240,120,{piece},48.5,EUR,2026-11-02,2027-11-01,2026-10-31T16:20:00.000000Z,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getInventoryItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "IT-1001",
                     *       "part_id": "P-1001",
                     *       "lot_number": "L-26-0419",
                     *       "serial_number": "SN-004711",
                     *       "warehouse": "MAIN",
                     *       "location": "R04-B12",
                     *       "status": "available",
                     *       "quantity_on_hand": 240,
                     *       "quantity_reserved": 120,
                     *       "unit": "{piece}",
                     *       "unit_cost": 48.5,
                     *       "currency": "EUR",
                     *       "received_date": "2026-11-02",
                     *       "expiry_date": "2027-11-01",
                     *       "last_counted_at": "2026-10-31T16:20:00.000000Z",
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["InventoryItem"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listInventoryMovements: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `inventory_item_id` equals this value. Item that was moved.
                 * @example IT-1001
                 */
                inventory_item_id?: string;
                /**
                 * @description Only records whose `part_id` equals this value. Part that was moved.
                 * @example P-1001
                 */
                part_id?: string;
                /**
                 * @description Only records whose `movement_type` equals this value. What happened.
                 * @example issue
                 */
                movement_type?: "receipt" | "issue" | "return" | "transfer" | "adjustment" | "scrap" | "shipment";
                /**
                 * @description Only records whose `job_id` equals this value. Job it was moved for.
                 * @example J-1001
                 */
                job_id?: string;
                /**
                 * @description Only records whose `moved_at` equals this value. When it was moved.
                 * @example 2026-11-20T06:31:12.000000Z
                 */
                moved_at?: string;
                /**
                 * @description Only records whose `moved_at` is not before this value (inclusive; a day means all of it in the entity's time zone).
                 * @example 2026-11-20T06:31:12.000000Z
                 */
                moved_at_from?: string;
                /**
                 * @description Only records whose `moved_at` is not after this value (inclusive; a day means all of it in the entity's time zone).
                 * @example 2026-11-20T06:31:12.000000Z
                 */
                moved_at_to?: string;
                /**
                 * @description Only records whose `moved_at` lies in the week that contains this day, by the organization's week start in the entity's time zone.
                 * @example 2026-11-20
                 */
                moved_at_week?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["InventoryMovement"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,inventory_item_id,part_id,movement_type,quantity,unit,lot_number,from_location,to_location,job_id,order_id,inbound_document_id,person_id,reason,moved_at,updated_at
                     *     MV-1001,IT-1001,P-1001,issue,40,{piece},L-26-0419,R04-B12,LINE-2,J-1001,O-1001,IN-1001,PE-1001,Issued to job,2026-11-20T06:31:12.000000Z,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getInventoryMovement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "MV-1001",
                     *       "inventory_item_id": "IT-1001",
                     *       "part_id": "P-1001",
                     *       "movement_type": "issue",
                     *       "quantity": 40,
                     *       "unit": "{piece}",
                     *       "lot_number": "L-26-0419",
                     *       "from_location": "R04-B12",
                     *       "to_location": "LINE-2",
                     *       "job_id": "J-1001",
                     *       "order_id": "O-1001",
                     *       "inbound_document_id": "IN-1001",
                     *       "person_id": "PE-1001",
                     *       "reason": "Issued to job",
                     *       "moved_at": "2026-11-20T06:31:12.000000Z",
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["InventoryMovement"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listQualityInspections: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `inspection_type` equals this value. When in the flow it takes place.
                 * @example incoming
                 */
                inspection_type?: "incoming" | "first_article" | "in_process" | "final" | "periodic";
                /**
                 * @description Only records whose `result` equals this value. Usage decision; null until there is one.
                 * @example accepted
                 */
                result?: "accepted" | "accepted_with_concession" | "rejected";
                /**
                 * @description Only records whose `part_id` equals this value. Part that was inspected.
                 * @example P-1001
                 */
                part_id?: string;
                /**
                 * @description Only records whose `job_id` equals this value. Job it was inspected in.
                 * @example J-1001
                 */
                job_id?: string;
                /**
                 * @description Only records whose `inspected_at` equals this value. When the inspection was done.
                 * @example 2026-11-03T09:05:00.000000Z
                 */
                inspected_at?: string;
                /**
                 * @description Only records whose `inspected_at` is not before this value (inclusive; a day means all of it in the entity's time zone).
                 * @example 2026-11-03T09:05:00.000000Z
                 */
                inspected_at_from?: string;
                /**
                 * @description Only records whose `inspected_at` is not after this value (inclusive; a day means all of it in the entity's time zone).
                 * @example 2026-11-03T09:05:00.000000Z
                 */
                inspected_at_to?: string;
                /**
                 * @description Only records whose `inspected_at` lies in the week that contains this day, by the organization's week start in the entity's time zone.
                 * @example 2026-11-20
                 */
                inspected_at_week?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["QualityInspection"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,inspection_number,inspection_type,status,result,part_id,job_id,inbound_document_id,lot_number,lot_quantity,sample_size,defects_found,unit,inspector_id,inspected_at,remarks,updated_at
                     *     QI-1001,QI-2026-1187,incoming,completed,accepted,P-1001,J-1001,IN-1001,L-26-0419,240,13,0,{piece},PE-1001,2026-11-03T09:05:00.000000Z,"Sampling to ISO 2859-1, level II",2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getQualityInspection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "QI-1001",
                     *       "inspection_number": "QI-2026-1187",
                     *       "inspection_type": "incoming",
                     *       "status": "completed",
                     *       "result": "accepted",
                     *       "part_id": "P-1001",
                     *       "job_id": "J-1001",
                     *       "inbound_document_id": "IN-1001",
                     *       "lot_number": "L-26-0419",
                     *       "lot_quantity": 240,
                     *       "sample_size": 13,
                     *       "defects_found": 0,
                     *       "unit": "{piece}",
                     *       "inspector_id": "PE-1001",
                     *       "inspected_at": "2026-11-03T09:05:00.000000Z",
                     *       "remarks": "Sampling to ISO 2859-1, level II",
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["QualityInspection"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listNonConformances: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `severity` equals this value. Severity.
                 * @example major
                 */
                severity?: "minor" | "major" | "critical";
                /**
                 * @description Only records whose `status` equals this value. State.
                 * @example under_review
                 */
                status?: "open" | "contained" | "under_review" | "in_correction" | "closed" | "cancelled";
                /**
                 * @description Only records whose `part_id` equals this value. Part concerned.
                 * @example P-1001
                 */
                part_id?: string;
                /**
                 * @description Only records whose `job_id` equals this value. Job concerned.
                 * @example J-1001
                 */
                job_id?: string;
                /**
                 * @description Only records whose `detected_at` equals this value. When it was detected.
                 * @example 2026-11-03T09:20:00.000000Z
                 */
                detected_at?: string;
                /**
                 * @description Only records whose `detected_at` is not before this value (inclusive; a day means all of it in the entity's time zone).
                 * @example 2026-11-03T09:20:00.000000Z
                 */
                detected_at_from?: string;
                /**
                 * @description Only records whose `detected_at` is not after this value (inclusive; a day means all of it in the entity's time zone).
                 * @example 2026-11-03T09:20:00.000000Z
                 */
                detected_at_to?: string;
                /**
                 * @description Only records whose `detected_at` lies in the week that contains this day, by the organization's week start in the entity's time zone.
                 * @example 2026-11-20
                 */
                detected_at_week?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["NonConformance"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,ncr_number,title,description,severity,status,disposition,part_id,job_id,quality_inspection_id,lot_number,quantity_affected,unit,detected_at,detected_by,root_cause,corrective_action,closed_at,updated_at
                     *     NC-1001,NCR-26-052,Bore diameter out of tolerance,Bore 40 H7 measured at 40.041 mm on 6 of 13 units,major,under_review,rework,P-1001,J-1001,QI-1001,L-26-0419,6,{piece},2026-11-03T09:20:00.000000Z,PE-1001,Tool wear beyond limit,Tool life reduced to 400 parts,2026-11-18T15:00:00.000000Z,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getNonConformance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "NC-1001",
                     *       "ncr_number": "NCR-26-052",
                     *       "title": "Bore diameter out of tolerance",
                     *       "description": "Bore 40 H7 measured at 40.041 mm on 6 of 13 units",
                     *       "severity": "major",
                     *       "status": "under_review",
                     *       "disposition": "rework",
                     *       "part_id": "P-1001",
                     *       "job_id": "J-1001",
                     *       "quality_inspection_id": "QI-1001",
                     *       "lot_number": "L-26-0419",
                     *       "quantity_affected": 6,
                     *       "unit": "{piece}",
                     *       "detected_at": "2026-11-03T09:20:00.000000Z",
                     *       "detected_by": "PE-1001",
                     *       "root_cause": "Tool wear beyond limit",
                     *       "corrective_action": "Tool life reduced to 400 parts",
                     *       "closed_at": "2026-11-18T15:00:00.000000Z",
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["NonConformance"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSafetyIncidents: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `incident_type` equals this value. Kind of incident.
                 * @example near_miss
                 */
                incident_type?: "near_miss" | "first_aid" | "medical_treatment" | "lost_time" | "property_damage" | "environmental" | "fire";
                /**
                 * @description Only records whose `severity` equals this value. Severity.
                 * @example low
                 */
                severity?: "low" | "medium" | "high" | "critical";
                /**
                 * @description Only records whose `status` equals this value. State.
                 * @example under_investigation
                 */
                status?: "reported" | "under_investigation" | "action_required" | "closed";
                /**
                 * @description Only records whose `occurred_at` equals this value. When it happened.
                 * @example 2026-11-12T04:48:00.000000Z
                 */
                occurred_at?: string;
                /**
                 * @description Only records whose `occurred_at` is not before this value (inclusive; a day means all of it in the entity's time zone).
                 * @example 2026-11-12T04:48:00.000000Z
                 */
                occurred_at_from?: string;
                /**
                 * @description Only records whose `occurred_at` is not after this value (inclusive; a day means all of it in the entity's time zone).
                 * @example 2026-11-12T04:48:00.000000Z
                 */
                occurred_at_to?: string;
                /**
                 * @description Only records whose `occurred_at` lies in the week that contains this day, by the organization's week start in the entity's time zone.
                 * @example 2026-11-20
                 */
                occurred_at_week?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SafetyIncident"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,incident_number,title,description,incident_type,severity,status,occurred_at,reported_at,location,asset_id,reported_by,persons_injured,lost_days,corrective_action,closed_at,updated_at
                     *     SI-1001,SI-26-007,Oil on walkway at oven 3,Leak at the quench pump; nobody hurt,near_miss,low,under_investigation,2026-11-12T04:48:00.000000Z,2026-11-12T05:10:00.000000Z,"Hall 2, heat treatment",A-1001,PE-1001,0,0,"Drip tray fitted, pump seal replaced",2026-11-19T10:00:00.000000Z,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSafetyIncident: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "SI-1001",
                     *       "incident_number": "SI-26-007",
                     *       "title": "Oil on walkway at oven 3",
                     *       "description": "Leak at the quench pump; nobody hurt",
                     *       "incident_type": "near_miss",
                     *       "severity": "low",
                     *       "status": "under_investigation",
                     *       "occurred_at": "2026-11-12T04:48:00.000000Z",
                     *       "reported_at": "2026-11-12T05:10:00.000000Z",
                     *       "location": "Hall 2, heat treatment",
                     *       "asset_id": "A-1001",
                     *       "reported_by": "PE-1001",
                     *       "persons_injured": 0,
                     *       "lost_days": 0,
                     *       "corrective_action": "Drip tray fitted, pump seal replaced",
                     *       "closed_at": "2026-11-19T10:00:00.000000Z",
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SafetyIncident"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `code` equals this value. Code of the project as people know it.
                 * @example WIND-26
                 */
                code?: string;
                /**
                 * @description Only records whose `status` equals this value. State of the project.
                 * @example active
                 */
                status?: "planned" | "active" | "on_hold" | "completed" | "cancelled";
                /**
                 * @description Only records whose `required_date` equals this value. Day by which the customer requires the result.
                 * @example 2027-03-15
                 */
                required_date?: string;
                /**
                 * @description Only records whose `required_date` is not before this value (inclusive).
                 * @example 2027-03-15
                 */
                required_date_from?: string;
                /**
                 * @description Only records whose `required_date` is not after this value (inclusive).
                 * @example 2027-03-15
                 */
                required_date_to?: string;
                /**
                 * @description Only records whose `required_date` lies in the week that contains this day, by the organization's week start.
                 * @example 2026-11-20
                 */
                required_date_week?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Project"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,code,name,description,status,customer_name,manager_id,start_date,end_date,required_date,budget,currency,progress_percent,updated_at
                     *     PRJ-1001,WIND-26,Gearbox housings for offshore turbines,Series of 400 housings in four lots,active,Nordwind Getriebe GmbH,PE-1001,2026-09-01,2027-03-31,2027-03-15,480000,EUR,35,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "PRJ-1001",
                     *       "code": "WIND-26",
                     *       "name": "Gearbox housings for offshore turbines",
                     *       "description": "Series of 400 housings in four lots",
                     *       "status": "active",
                     *       "customer_name": "Nordwind Getriebe GmbH",
                     *       "manager_id": "PE-1001",
                     *       "start_date": "2026-09-01",
                     *       "end_date": "2027-03-31",
                     *       "required_date": "2027-03-15",
                     *       "budget": 480000,
                     *       "currency": "EUR",
                     *       "progress_percent": 35,
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listParts: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `part_number` equals this value. The stored part number; use it to match part numbers shown in the application.
                 * @example BH-2040-A
                 */
                part_number?: string;
                /**
                 * @description Only records whose `is_active` equals this value. Whether the part may be used on new jobs and orders.
                 * @example true
                 */
                is_active?: boolean;
                /**
                 * @description Only records whose `category` equals this value. Part family or commodity.
                 * @example Castings
                 */
                category?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Part"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,name,part_number,revision,description,is_active,category,unit,material,weight_kg,standard_cost,currency,updated_at
                     *     P-1001,Bearing housing,BH-2040-A,C,"Cast housing, machined",true,Castings,{piece},EN-GJS-400-15,12.4,48.5,EUR,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "P-1001",
                     *       "name": "Bearing housing",
                     *       "part_number": "BH-2040-A",
                     *       "revision": "C",
                     *       "description": "Cast housing, machined",
                     *       "is_active": true,
                     *       "category": "Castings",
                     *       "unit": "{piece}",
                     *       "material": "EN-GJS-400-15",
                     *       "weight_kg": 12.4,
                     *       "standard_cost": 48.5,
                     *       "currency": "EUR",
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Part"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAssets: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `code` equals this value. Code of the asset as people know it.
                 * @example OVEN-3
                 */
                code?: string;
                /**
                 * @description Only records whose `asset_type` equals this value. Kind of asset.
                 * @example oven
                 */
                asset_type?: "area" | "production_line" | "work_unit" | "machine" | "oven" | "tank" | "vehicle" | "tool" | "measuring_equipment" | "utility";
                /**
                 * @description Only records whose `parent_id` equals this value. Asset this one is part of.
                 * @example A-1002
                 */
                parent_id?: string;
                /**
                 * @description Only records whose `status` equals this value. State of the asset.
                 * @example operational
                 */
                status?: "operational" | "standby" | "under_maintenance" | "out_of_service" | "retired";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Asset"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,code,name,asset_type,parent_id,status,manufacturer,model,serial_number,location,cost_center,criticality,commissioned_date,is_active,updated_at
                     *     A-1001,OVEN-3,Chamber oven 3,oven,A-1002,operational,Lindental Ofenbau,KOE 120,A-2291-08,"Hall 2, heat treatment",4420,high,2019-04-08,true,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "A-1001",
                     *       "code": "OVEN-3",
                     *       "name": "Chamber oven 3",
                     *       "asset_type": "oven",
                     *       "parent_id": "A-1002",
                     *       "status": "operational",
                     *       "manufacturer": "Lindental Ofenbau",
                     *       "model": "KOE 120",
                     *       "serial_number": "A-2291-08",
                     *       "location": "Hall 2, heat treatment",
                     *       "cost_center": "4420",
                     *       "criticality": "high",
                     *       "commissioned_date": "2019-04-08",
                     *       "is_active": true,
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Asset"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRoutings: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `code` equals this value. Code of the routing as people know it.
                 * @example RT-BH-2040
                 */
                code?: string;
                /**
                 * @description Only records whose `part_id` equals this value. Part it makes; null if it serves several.
                 * @example P-1001
                 */
                part_id?: string;
                /**
                 * @description Only records whose `status` equals this value. State of the routing.
                 * @example released
                 */
                status?: "draft" | "released" | "superseded" | "retired";
                /**
                 * @description Only records whose `is_active` equals this value. Whether it may be assigned to jobs and inbound documents.
                 * @example true
                 */
                is_active?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Routing"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,code,name,part_id,revision,status,is_active,lot_size,unit,lead_time_days,effective_from,effective_to,operations,updated_at
                     *     R-1001,RT-BH-2040,"Bearing housing, cast and machined",P-1001,B,released,true,120,{piece},6,2026-01-01,2027-12-31,"[{""sequence"":20,""name"":""Turn outer diameter"",""process_id"":""PR-1001"",""asset_id"":""A-1001"",""setup_time_s"":1200,""run_time_per_item_s"":310}]",2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getRouting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "R-1001",
                     *       "code": "RT-BH-2040",
                     *       "name": "Bearing housing, cast and machined",
                     *       "part_id": "P-1001",
                     *       "revision": "B",
                     *       "status": "released",
                     *       "is_active": true,
                     *       "lot_size": 120,
                     *       "unit": "{piece}",
                     *       "lead_time_days": 6,
                     *       "effective_from": "2026-01-01",
                     *       "effective_to": "2027-12-31",
                     *       "operations": [
                     *         {
                     *           "sequence": 20,
                     *           "name": "Turn outer diameter",
                     *           "process_id": "PR-1001",
                     *           "asset_id": "A-1001",
                     *           "setup_time_s": 1200,
                     *           "run_time_per_item_s": 310
                     *         }
                     *       ],
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Routing"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listProcesses: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `code` equals this value. Code of the process; the same for all its revisions.
                 * @example HT-ANNEAL
                 */
                code?: string;
                /**
                 * @description Only records whose `category` equals this value. Family of processes.
                 * @example Heat treatment
                 */
                category?: string;
                /**
                 * @description Only records whose `in_catalogue` equals this value. Whether it is a member of the catalogue that orders may draw on.
                 * @example true
                 */
                in_catalogue?: boolean;
                /**
                 * @description Only records whose `availability` equals this value. Whether it can be used now; apart from approval.
                 * @example available
                 */
                availability?: "available" | "limited" | "unavailable";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Process"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,code,name,description,category,in_catalogue,catalogue,revision,supersedes_id,superseded_by_id,root_id,approval_status,approved_at,availability,availability_reason,standard,updated_at
                     *     PR-1001,HT-ANNEAL,Stress relief annealing,"Below 650 Cel, furnace cooling",Heat treatment,true,Standard processes,4,PR-1002,PR-1003,PR-1004,approved,2026-02-17T12:30:00.000000Z,available,Oven 3 under maintenance,DIN 17022-5,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "PR-1001",
                     *       "code": "HT-ANNEAL",
                     *       "name": "Stress relief annealing",
                     *       "description": "Below 650 Cel, furnace cooling",
                     *       "category": "Heat treatment",
                     *       "in_catalogue": true,
                     *       "catalogue": "Standard processes",
                     *       "revision": "4",
                     *       "supersedes_id": "PR-1002",
                     *       "superseded_by_id": "PR-1003",
                     *       "root_id": "PR-1004",
                     *       "approval_status": "approved",
                     *       "approved_at": "2026-02-17T12:30:00.000000Z",
                     *       "availability": "available",
                     *       "availability_reason": "Oven 3 under maintenance",
                     *       "standard": "DIN 17022-5",
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Process"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listServices: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `code` equals this value. Registry code; `service_code` in the services of orders and inbound documents.
                 * @example ANNEAL-S
                 */
                code?: string;
                /**
                 * @description Only records whose `category` equals this value. Family of services.
                 * @example Heat treatment
                 */
                category?: string;
                /**
                 * @description Only records whose `is_active` equals this value. Whether it may be used on new orders and documents.
                 * @example true
                 */
                is_active?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Service"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,code,name,description,category,process_id,unit,unit_price,currency,minimum_charge,lead_time_days,valid_from,valid_to,is_active,updated_at
                     *     S-1001,ANNEAL-S,"Stress relief annealing, per kilogram",Charged by net weight,Heat treatment,PR-1001,kg,1.85,EUR,90,3,2026-01-01,2026-12-31,true,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "S-1001",
                     *       "code": "ANNEAL-S",
                     *       "name": "Stress relief annealing, per kilogram",
                     *       "description": "Charged by net weight",
                     *       "category": "Heat treatment",
                     *       "process_id": "PR-1001",
                     *       "unit": "kg",
                     *       "unit_price": 1.85,
                     *       "currency": "EUR",
                     *       "minimum_charge": 90,
                     *       "lead_time_days": 3,
                     *       "valid_from": "2026-01-01",
                     *       "valid_to": "2026-12-31",
                     *       "is_active": true,
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Service"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPeople: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `personnel_number` equals this value. Personnel number.
                 * @example 00417
                 */
                personnel_number?: string;
                /**
                 * @description Only records whose `department` equals this value. Department.
                 * @example Heat treatment
                 */
                department?: string;
                /**
                 * @description Only records whose `is_active` equals this value. Whether the person may be assigned.
                 * @example true
                 */
                is_active?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Person"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,personnel_number,name,job_title,department,team,shift,cost_center,supervisor_id,employment_type,hired_date,left_date,is_active,updated_at
                     *     PE-1001,00417,Jana Krüger,Heat treatment operator,Heat treatment,HT-2,3-shift,4420,PE-1002,employee,2021-03-01,2026-12-31,true,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "PE-1001",
                     *       "personnel_number": "00417",
                     *       "name": "Jana Krüger",
                     *       "job_title": "Heat treatment operator",
                     *       "department": "Heat treatment",
                     *       "team": "HT-2",
                     *       "shift": "3-shift",
                     *       "cost_center": "4420",
                     *       "supervisor_id": "PE-1002",
                     *       "employment_type": "employee",
                     *       "hired_date": "2021-03-01",
                     *       "left_date": "2026-12-31",
                     *       "is_active": true,
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Person"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTrainingRecords: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `person_id` equals this value. Person who was trained.
                 * @example PE-1001
                 */
                person_id?: string;
                /**
                 * @description Only records whose `course_code` equals this value. Code of the course or qualification.
                 * @example FORKLIFT
                 */
                course_code?: string;
                /**
                 * @description Only records whose `status` equals this value. State.
                 * @example completed
                 */
                status?: "planned" | "in_progress" | "completed" | "failed" | "expired";
                /**
                 * @description Only records whose `valid_until` equals this value. Last day on which it holds.
                 * @example 2027-03-11
                 */
                valid_until?: string;
                /**
                 * @description Only records whose `valid_until` is not before this value (inclusive).
                 * @example 2027-03-11
                 */
                valid_until_from?: string;
                /**
                 * @description Only records whose `valid_until` is not after this value (inclusive).
                 * @example 2027-03-11
                 */
                valid_until_to?: string;
                /**
                 * @description Only records whose `valid_until` lies in the week that contains this day, by the organization's week start.
                 * @example 2026-11-20
                 */
                valid_until_week?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TrainingRecord"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,person_id,course_code,course_title,category,status,process_id,asset_id,trainer,completed_date,valid_until,score_percent,certificate_number,duration_h,updated_at
                     *     TR-1001,PE-1001,FORKLIFT,"Forklift licence, yearly instruction",safety,completed,PR-1001,A-1001,Training centre Lindental,2026-03-12,2027-03-11,92,FL-26-1184,4,2026-11-20T08:15:00.123456Z
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTrainingRecord: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the record, percent-encoded. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "TR-1001",
                     *       "person_id": "PE-1001",
                     *       "course_code": "FORKLIFT",
                     *       "course_title": "Forklift licence, yearly instruction",
                     *       "category": "safety",
                     *       "status": "completed",
                     *       "process_id": "PR-1001",
                     *       "asset_id": "A-1001",
                     *       "trainer": "Training centre Lindental",
                     *       "completed_date": "2026-03-12",
                     *       "valid_until": "2027-03-11",
                     *       "score_percent": 92,
                     *       "certificate_number": "FL-26-1184",
                     *       "duration_h": 4,
                     *       "updated_at": "2026-11-20T08:15:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["TrainingRecord"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSensors: {
        parameters: {
            query?: {
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /**
                 * @description Only records that changed at or after this instant, or since the start of this day in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                updated_since?: string;
                /** @description The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days. */
                sync_token?: string;
                /**
                 * @description Only records whose `code` equals this value. Code by which gateways name the sensor; unique in the entity.
                 * @example OVEN-3-T1
                 */
                code?: string;
                /**
                 * @description Only records whose `asset_id` equals this value. Asset it is fitted to.
                 * @example A-1001
                 */
                asset_id?: string;
                /**
                 * @description Only records whose `is_active` equals this value. Whether readings are expected from it.
                 * @example true
                 */
                is_active?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Sensor"][];
                        /** @description Only in answer to `sync_token`: the ids of records that were removed since. */
                        removed?: string[];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                        /** @description On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since the first page was read. Null elsewhere. */
                        sync_token: string | null;
                    };
                    /**
                     * @example id,code,name,asset_id,quantity,unit,is_active,updated_at,last_reading_at,last_value,last_heartbeat_at,last_status
                     *     SE-1001,OVEN-3-T1,"Oven 3, zone 1 temperature",A-1001,temperature,Cel,true,2026-11-20T08:15:00.123456Z,2026-11-20T08:15:00.123456Z,182.4,2026-11-20T08:15:00.123456Z,ok
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["SyncTokenExpired"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSensor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The sensor's id or code, percent-encoded. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "SE-1001",
                     *       "code": "OVEN-3-T1",
                     *       "name": "Oven 3, zone 1 temperature",
                     *       "asset_id": "A-1001",
                     *       "quantity": "temperature",
                     *       "unit": "Cel",
                     *       "is_active": true,
                     *       "updated_at": "2026-11-20T08:15:00.123456Z",
                     *       "last_reading_at": "2026-11-20T08:15:00.123456Z",
                     *       "last_value": 182.4,
                     *       "last_heartbeat_at": "2026-11-20T08:15:00.123456Z",
                     *       "last_status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Sensor"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSensorReadings: {
        parameters: {
            query?: {
                /**
                 * @description First instant, inclusive: RFC 3339 with an offset, or whole epoch milliseconds from 100,000,000,000 on (less would be epoch seconds); or a day: its start in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                from?: string | number;
                /**
                 * @description Last instant, exclusive: in the same forms as `from`; or a day: its start in the entity's time zone.
                 * @example 2026-11-21T00:00:00Z
                 */
                to?: string | number;
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /** @description With `desc` the newest row comes first. */
                order?: "asc" | "desc";
                /**
                 * @description Only the newest rows, so many of each sensor: readings or, with `bucket`, buckets that hold any. Without `limit` they are one page, up to 100,000.
                 * @example 10
                 */
                last?: number;
                /**
                 * @description Length of the buckets: a number followed by s, m, h, d or w; at most 36500d. Those in `s`, `m` and `h` (so `24h`, too) start at multiples of it since 1970-01-01T00:00:00Z. Those in `d` and `w` start at midnight in the entity's time zone (where midnight is skipped, with the day's first instant), weeks on the organization's first day, and last as long as they do there: a day may have 23 or 25 hours. Several days or weeks count from the one with 1970-01-01.
                 * @example 5m
                 */
                bucket?: string;
                /**
                 * @description With `bucket`: the aggregates of each bucket; the default is `avg`.
                 * @example [
                 *       "avg",
                 *       "max"
                 *     ]
                 */
                agg?: ("avg" | "min" | "max" | "last" | "count")[];
            };
            header?: never;
            path: {
                /** @description The sensor's id or code, percent-encoded. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Reading"][];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                    } | {
                        data: components["schemas"]["ReadingBucket"][];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                    };
                    /** @example {"at":"2026-11-20T08:15:00.123456Z","value":182.4} */
                    "application/x-ndjson": string;
                    /**
                     * @example at,value,quality
                     *     2026-11-20T08:15:00.123456Z,182.4,good
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listReadings: {
        parameters: {
            query: {
                /**
                 * @description Codes or ids of up to 100 sensors; each is read once. An unknown one, or one of another entity, is 400.
                 * @example [
                 *       "OVEN-3-T1",
                 *       "OVEN-3-T2"
                 *     ]
                 */
                sensor: string[];
                /**
                 * @description First instant, inclusive: RFC 3339 with an offset, or whole epoch milliseconds from 100,000,000,000 on (less would be epoch seconds); or a day: its start in the entity's time zone.
                 * @example 2026-11-20T08:15:00.123456Z
                 */
                from?: string | number;
                /**
                 * @description Last instant, exclusive: in the same forms as `from`; or a day: its start in the entity's time zone.
                 * @example 2026-11-21T00:00:00Z
                 */
                to?: string | number;
                /** @description The most records in one page; it may hold fewer, even if more follow. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with all other parameters unchanged. */
                cursor?: string;
                /** @description With `desc` the newest row comes first. */
                order?: "asc" | "desc";
                /**
                 * @description Only the newest rows, so many of each sensor: readings or, with `bucket`, buckets that hold any. Without `limit` they are one page, up to 100,000.
                 * @example 10
                 */
                last?: number;
                /**
                 * @description Length of the buckets: a number followed by s, m, h, d or w; at most 36500d. Those in `s`, `m` and `h` (so `24h`, too) start at multiples of it since 1970-01-01T00:00:00Z. Those in `d` and `w` start at midnight in the entity's time zone (where midnight is skipped, with the day's first instant), weeks on the organization's first day, and last as long as they do there: a day may have 23 or 25 hours. Several days or weeks count from the one with 1970-01-01.
                 * @example 5m
                 */
                bucket?: string;
                /**
                 * @description With `bucket`: the aggregates of each bucket; the default is `avg`.
                 * @example [
                 *       "avg",
                 *       "max"
                 *     ]
                 */
                agg?: ("avg" | "min" | "max" | "last" | "count")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of readings. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "sensor": {
                     *             "id": "SE-1001",
                     *             "code": "OVEN-3-T1"
                     *           },
                     *           "data": [
                     *             {
                     *               "at": "2026-11-20T08:15:00.123456Z",
                     *               "value": 182.4,
                     *               "quality": "good"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["SensorReadings"][];
                        /** @description Send it as `cursor` to get the next page; null on the last page, and only there. */
                        next_cursor: string | null;
                    };
                    /** @example {"sensor":"OVEN-3-T1","at":"2026-11-20T08:15:00.123456Z","value":182.4} */
                    "application/x-ndjson": string;
                    /**
                     * @example sensor,at,value,quality
                     *     OVEN-3-T1,2026-11-20T08:15:00.123456Z,182.4,good
                     */
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    postReadings: {
        parameters: {
            query?: {
                /** @description Only with line protocol: the unit of its timestamps. */
                precision?: "ns" | "us" | "ms" | "s";
                /** @description Only with line protocol: with `measurement.field` each numeric field is a reading of the sensor of that name, such as `oven.temperature`; a boolean field is one if there is such a sensor. */
                name?: "measurement.field";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "readings": [
                 *         {
                 *           "sensor": "OVEN-3-T1",
                 *           "at": "2026-11-20T08:15:00.123456Z",
                 *           "value": 182.4
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewReadings"];
                /** @example {"sensor":"OVEN-3-T1","at":"2026-11-20T08:15:00.123456Z","value":182.4} */
                "application/x-ndjson": string;
                /** @example oven,sensor=OVEN-3-T1 value=182.4 1795162500123456000 */
                "application/vnd.influx.line-protocol": string;
                /**
                 * @example [
                 *       {
                 *         "bn": "OVEN-3-",
                 *         "bt": 1795162500,
                 *         "n": "T1",
                 *         "u": "Cel",
                 *         "v": 182.4
                 *       }
                 *     ]
                 */
                "application/senml+json": components["schemas"]["SenmlPack"];
            };
        };
        responses: {
            /** @description Every item was validated; the accepted ones are on disk. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accepted": 998,
                     *       "duplicates": 1,
                     *       "rejected": [
                     *         {
                     *           "index": 7,
                     *           "code": "unknown_sensor",
                     *           "detail": "No sensor of this entity has the code or id \"OVEN-9\"."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["IngestResult"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["TooManyIngest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    postHeartbeats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "heartbeats": [
                 *         {
                 *           "sensor": "OVEN-3-T1",
                 *           "status": "ok",
                 *           "battery": 87,
                 *           "signal": -61,
                 *           "firmware": "2.4.1"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewHeartbeats"];
                /** @example {"sensor":"OVEN-3-T1","status":"ok","battery":87,"signal":-61,"firmware":"2.4.1"} */
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description Every item was validated; the accepted ones are on disk. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accepted": 998,
                     *       "duplicates": 1,
                     *       "rejected": [
                     *         {
                     *           "index": 7,
                     *           "code": "unknown_sensor",
                     *           "detail": "No sensor of this entity has the code or id \"OVEN-9\"."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["IngestResult"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["TooManyIngest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
}
