import type { ResourceDefinition } from '../core/records/fields.ts';
import { assets } from './assets.ts';
import { inboundDocuments } from './inbound-documents.ts';
import { inventoryItems } from './inventory-items.ts';
import { inventoryMovements } from './inventory-movements.ts';
import { jobs } from './jobs.ts';
import { nonConformances } from './non-conformances.ts';
import { oeeEvents } from './oee-events.ts';
import { orders } from './orders.ts';
import { parts } from './parts.ts';
import { people } from './people.ts';
import { processes } from './processes.ts';
import { productionJobs } from './production-jobs.ts';
import { productionQuality } from './production-quality.ts';
import { projects } from './projects.ts';
import { qualityInspections } from './quality-inspections.ts';
import { routings } from './routings.ts';
import { safetyIncidents } from './safety-incidents.ts';
import { sensors } from './sensors.ts';
import { services } from './services.ts';
import { trainingRecords } from './training-records.ts';

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
