import type { ResourceDefinition } from '../core/fields/fields.ts';
import { inboundDocuments, inventoryItems, inventoryMovements } from './inbound-and-inventory.ts';
import { jobs, orders } from './jobs-and-orders.ts';
import { people, trainingRecords } from './people-and-training.ts';
import { oeeEvents, productionJobs, productionQuality } from './production.ts';
import { assets, parts, processes, projects, routings, services } from './projects-and-settings.ts';
import { nonConformances, qualityInspections, safetyIncidents } from './quality-and-safety.ts';
import { sensors } from './sensor-lookup.ts';

/** Every resource of the client API, in the order of hkctl-api(7). */
export const resources: readonly ResourceDefinition[] = [
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
];
