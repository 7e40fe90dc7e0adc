import type { ResourceDefinition } from '../core/records/fields.ts';
import { inboundDocuments } from './inbound-and-inventory/inbound-documents.ts';
import { inventoryItems } from './inbound-and-inventory/inventory-items.ts';
import { inventoryMovements } from './inbound-and-inventory/inventory-movements.ts';
import { jobs } from './jobs-and-orders/jobs.ts';
import { orders } from './jobs-and-orders/orders.ts';
import { people } from './people-and-training/people.ts';
import { trainingRecords } from './people-and-training/training-records.ts';
import { oeeEvents } from './production/oee-events.ts';
import { productionJobs } from './production/production-jobs.ts';
import { productionQuality } from './production/production-quality.ts';
import { assets } from './projects-and-settings/assets.ts';
import { parts } from './projects-and-settings/parts.ts';
import { processes } from './projects-and-settings/processes.ts';
import { projects } from './projects-and-settings/projects.ts';
import { routings } from './projects-and-settings/routings.ts';
import { services } from './projects-and-settings/services.ts';
import { nonConformances } from './quality-and-safety/non-conformances.ts';
import { qualityInspections } from './quality-and-safety/quality-inspections.ts';
import { safetyIncidents } from './quality-and-safety/safety-incidents.ts';
import { sensors } from './sensor-lookup/sensors.ts';

/** Every resource of the client API, in the order of the contract's table (section 5). */
export const resources = [
  jobs,
  orders,
  productionJobs,
  productionQuality,
  oeeEvents,
  inboundDocuments,
  inventoryItems,
  inventoryMovements,
  qualityInspections,
  nonConformances,
  safetyIncidents,
  projects,
  parts,
  assets,
  routings,
  processes,
  services,
  people,
  trainingRecords,
  sensors,
] as const satisfies readonly ResourceDefinition[];
