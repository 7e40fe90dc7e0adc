import { HkctlError } from '../../../core/errors.ts';
import type { ResourceDefinition } from '../../../core/fields/fields.ts';
import type { ImportSummary } from '../../../core/port/records.ts';
import { importReadings } from '../../../core/readings/imports.ts';
import { requireSensor } from '../../../core/readings/sensors.ts';
import { csvTemplate } from '../../../core/records/columns.ts';
import {
  importFormats,
  importRecords as importIntoStore,
  type RemovalCounts,
  removalToConfirm,
} from '../../../core/records/imports.ts';
import { nounFor } from '../../../core/text/words.ts';
import { defineCommand, yesFlag } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import {
  type FlagValues,
  listFlag,
  oneOf,
  requireOneOf,
  textFlag,
  toggle,
} from '../../command/flags.ts';
import { printSentence } from '../../command/output.ts';
import type { Services } from '../../command/services.ts';
import { entityOrAsk } from '../../questions/choices.ts';
import { requireConfirmation } from '../../questions/values.ts';
import { streamNamedFile } from '../../terminal/named-files.ts';
import { createProgress } from '../../terminal/progress.ts';
import {
  isRefused,
  printReadings,
  readingsTemplate,
  requireNoReadingFlags,
  requireOnlyAdding,
} from './import-readings.ts';

const flags = {
  entity: textFlag(
    '--entity <CODE>',
    'the entity the records belong to; may be left out if there is one active entity',
  ),
  format: oneOf(
    '--format <FORMAT>',
    importFormats,
    'format of the file, if its name and content do not show it',
  ),
  map: listFlag(
    '--map <COLUMN=FIELD>',
    'read a column as this field; COLUMN=- leaves it out (repeatable)',
    parseMapping,
  ),
  replace: toggle(
    '--replace',
    'also remove records that are not in the file; asks for more than half of them',
  ),
  dryRun: toggle('--dry-run', 'report what would change or be stored, change nothing'),
  template: toggle(
    '--template',
    'print an empty CSV with the header and a commented example instead',
  ),
  sensor: textFlag('--sensor <CODE>', 'readings: the sensor of a file without such a column'),
  local: toggle('--local', "readings: times without an offset are those of the entity's time zone"),
  strict: toggle('--strict', 'readings: exit 5 if any was rejected, and not only if all were'),
  yes: yesFlag,
};

export default defineCommand({
  summary: 'Load business records, sensors or readings from a file',
  description:
    'Records are inserted, or updated by id: all of them or none, while clients still read the old set. CSV, JSON and NDJSON, each also gzipped. Errors name line and field. Readings are each validated by itself, as in a request.',
  arguments: [
    {
      spelling: '<RESOURCE>',
      doc: 'what the file holds: parts, jobs, orders, sensors, readings …',
    },
    { spelling: '[FILE]', doc: 'path, or - for standard input' },
  ],
  fields: [
    'resource',
    'entity',
    'dry_run',
    ...['inserted', 'updated', 'unchanged', 'removed', 'needs_confirmation'],
    ...['accepted', 'duplicates', 'rejected', 'rejected_count', 'rejected_codes'],
    'template',
  ],
  flags,
  examples: [
    ['hkctl import parts parts.csv --entity BER', 'insert or update'],
    ['hkctl import sensors --template > sensors.csv', 'a file to fill in'],
    ['hkctl import readings history.csv --entity BER', 'columns sensor, at, value and quality'],
    [
      'hkctl import readings oven.csv --sensor OVEN-3-T1 --local --strict',
      'one sensor, times of the plant, exit 5 if any is rejected',
    ],
    [
      'hkctl import jobs jobs.ndjson.gz --entity BER --replace --dry-run',
      'what would a full load change?',
    ],
    [
      'erp-export | hkctl import orders - --entity BER --map AUFNR=id --map KUNDE=customer_name',
      'from an ERP',
    ],
  ],
  async needs({ entity = '', template }, [resourceName = ''], { services }) {
    const resource = await findResource(services, resourceName);
    // The declarations alone make a template: neither a store nor a profile is needed.
    if (template) return undefined;
    if (!resource) return ['readings.import', entity];
    return ['records.import', entity === '' ? resource.name : `${entity}/${resource.name}`];
  },
  async run(context, flags, [typedName = '', typedFile], session) {
    const { services } = context;
    const resource = await findResource(services, typedName);
    const resourceName = resource?.name ?? 'readings';
    if (flags.template) {
      const template = resource ? csvTemplate(resource) : readingsTemplate;
      printTemplate(context, resourceName, template, typedFile);
      return;
    }

    const filePath = requireFile(resourceName, typedFile);
    const { replace, dryRun } = flags;
    if (resource) requireNoReadingFlags(flags);
    else requireOnlyAdding(flags);

    const { domain, actor } = session;
    const entity = await entityOrAsk(context, session, flags.entity);
    const { code } = entity;
    const { bytes, options, progress } = openSource(context, filePath, flags, resourceName);
    if (!resource) {
      const { sensor, local, strict } = flags;
      if (sensor !== undefined) await requireSensor(domain, entity, sensor);
      const readReadings = await services.readingReader();
      const rows = readReadings(bytes, { ...options, sensor });
      const input = { entity: code, rows, dryRun, local };
      const summary = await importReadings(domain, actor, input).finally(progress.end);
      printReadings(context, { entity: code, dryRun, local }, summary);
      return isRefused(summary, strict) ? 5 : 0;
    }

    const readRows = await services.rowReader();
    const rows = readRows(resource, bytes, options);
    const confirmRemoval = async (counts: RemovalCounts) => {
      progress.end();
      const question = removalQuestion(counts, `${code}/${resourceName}`);
      await requireConfirmation(context, question, 'Remove them');
    };
    const input = { resource, entity: code, rows, replace, dryRun, confirmRemoval };
    const summary = await importIntoStore(domain, actor, input).finally(progress.end);
    printSummary(context, { resource, entity: code, dryRun }, summary);
  },
});

function removalQuestion({ removed, existing }: RemovalCounts, target: string): string {
  const records = `${existing} ${nounFor(existing, 'record')}`;
  const verb = removed === 1 ? 'is' : 'are';
  const pronoun = removed === 1 ? 'it' : 'them';
  return `${removed} of the ${records} of ${target} ${verb} not in the file. Remove ${pronoun}?`;
}

/** Opens the file of an import at once, so that a wrong path is reported before anything is read; `-` is standard input. */
function openSource(
  context: Context,
  filePath: string,
  { format, map }: FlagValues<typeof flags>,
  subject: string,
) {
  const isInput = filePath === '-';
  const source = isInput
    ? { stream: bytesOf(context.io.stdin), bytes: undefined }
    : streamNamedFile(filePath, 'a file of records');
  const progress = createProgress(context, `Importing ${subject}`);
  const bytes = progress.watch(source.stream, source.bytes);
  const fileName = isInput ? undefined : filePath;
  return { bytes, options: { fileName, format, map: Object.fromEntries(map) }, progress };
}

async function* bytesOf(stream: NodeJS.ReadableStream): AsyncIterable<Uint8Array> {
  for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

function requireFile(resource: string, typedFile: string | undefined): string {
  if (typedFile !== undefined) return typedFile;
  throw new HkctlError(
    'usage',
    'FILE is missing: name a file of records, or - for standard input.',
    {
      hint: `An empty one: hkctl import ${resource} --template`,
    },
  );
}

function printTemplate(
  context: Context,
  resource: string,
  template: string,
  typedFile: string | undefined,
): void {
  if (typedFile !== undefined) {
    throw new HkctlError('usage', `--template reads no file: leave ${typedFile} out.`);
  }
  context.printDocument(template.trimEnd(), { resource, template });
}

function printSummary(
  context: Context,
  { resource, entity, dryRun }: { resource: ResourceDefinition; entity: string; dryRun: boolean },
  summary: ImportSummary,
): void {
  const removal = removalToConfirm(summary);
  if (context.json) {
    const confirmation = dryRun && { needs_confirmation: removal !== undefined };
    context.printJson({
      resource: resource.name,
      entity,
      dry_run: dryRun,
      ...summary,
      ...confirmation,
    });
    return;
  }
  const { inserted, updated, unchanged, removed } = summary;
  const counts = `${inserted} inserted, ${updated} updated, ${removed} removed, ${unchanged} unchanged`;
  if (dryRun) {
    printSentence(context, `Nothing was changed. This would be: ${counts}`);
    if (removal) {
      const records = `${removal.existing} ${nounFor(removal.existing, 'record')}`;
      printSentence(
        context,
        `It would remove ${removal.removed} of ${records}, and so needs --yes.`,
      );
    }
  } else context.confirm(`${resource.title} of ${entity}: ${counts}`);
}

/** The declaration of a resource by its name; undefined for readings, which have none. */
async function findResource(
  services: Services,
  typedName: string,
): Promise<ResourceDefinition | undefined> {
  const resources = await services.resources();
  const resourceNames = resources.map((resource) => resource.name);
  const matchingName = requireOneOf(typedName, [...resourceNames, 'readings']);
  return resources.find((resource) => resource.name === matchingName);
}

function parseMapping(mapping: string): [column: string, field: string] {
  const separatorIndex = mapping.lastIndexOf('=');
  if (separatorIndex < 1 || separatorIndex === mapping.length - 1) {
    throw new HkctlError(
      'usage',
      `"${mapping}" is not a mapping: give COLUMN=FIELD, such as MATNR=part_number.`,
    );
  }
  return [mapping.slice(0, separatorIndex), mapping.slice(separatorIndex + 1)];
}
