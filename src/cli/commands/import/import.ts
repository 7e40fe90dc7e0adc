import { HkctlError } from '../../../core/errors.ts';
import type { ResourceDefinition } from '../../../core/fields/fields.ts';
import type { ImportSummary } from '../../../core/port/records.ts';
import { csvTemplate } from '../../../core/records/columns.ts';
import {
  importFormats,
  importRecords as importIntoStore,
  type RemovalCounts,
  removalToConfirm,
} from '../../../core/records/imports.ts';
import { defineCommand, yesFlag } from '../../command/command.ts';
import type { Context, Services } from '../../command/context.ts';
import { list, oneOf, requireOneOf, text, toggle } from '../../command/flags.ts';
import { printSentence } from '../../command/output.ts';
import { entityOrAsk } from '../../questions/choices.ts';
import { requireConfirmation } from '../../questions/values.ts';
import { openSource, readingsTemplate, runReadingsImport } from './import-readings.ts';

export default defineCommand({
  summary: 'Load business records, sensors or readings from a file',
  description:
    'Records are inserted, or updated by id: all of them or none, while clients still read the old set. CSV, JSON and NDJSON, each also gzipped. Errors name line and field. Readings are each validated by itself, as in a request.',
  arguments: [
    { spelling: '<RESOURCE>', doc: 'what the file holds: parts, jobs, orders, sensors, readings …' },
    { spelling: '[FILE]', doc: 'path, or - for standard input' },
  ],
  flags: {
    entity: text(
      '--entity <CODE>',
      'the entity (site) the records belong to; may be left out if there is one active entity',
    ),
    format: oneOf('--format <FORMAT>', importFormats, 'format of the file, if its name and content do not show it'),
    map: list('--map <COLUMN=FIELD>', 'read a column as this field; COLUMN=- leaves it out (repeatable)', parseMapping),
    replace: toggle('--replace', 'also remove records that are not in the file; asks for more than half of them'),
    dryRun: toggle('--dry-run', 'report what would change, change nothing'),
    template: toggle('--template', 'print an empty CSV with the header and a commented example instead'),
    yes: yesFlag,
  },
  examples: [
    ['hkctl import parts parts.csv --entity BER', 'insert or update'],
    ['hkctl import sensors --template > sensors.csv', 'a file to fill in'],
    ['hkctl import readings history.csv --entity BER', 'columns sensor, at, value and quality'],
    ['hkctl import jobs jobs.ndjson.gz --entity BER --replace --dry-run', 'what would a full load change?'],
    ['erp-export | hkctl import orders - --entity BER --map AUFNR=id --map KUNDE=customer_name', 'from an ERP'],
  ],
  async needs({ entity = '', template }, [name = ''], { services }) {
    const kind = name === 'readings' ? name : (await findResource(services, name)).name;
    // The declarations alone make a template: neither a store nor a profile is needed.
    if (template) return undefined;
    if (kind === 'readings') return ['readings.import', entity];
    const target = entity === '' ? kind : `${entity}/${kind}`;
    return ['records.import', target];
  },
  async run(context, flags, [name = '', file]) {
    if (name === 'readings') {
      if (flags.template) printTemplate(context, name, readingsTemplate, file);
      else await runReadingsImport(context, flags, requireFile(name, file));
      return;
    }
    const resource = await findResource(context.services, name);
    if (flags.template) {
      printTemplate(context, resource.name, csvTemplate(resource), file);
      return;
    }
    const path = requireFile(resource.name, file);
    const { domain, actor } = await context.session();
    const entity = await entityOrAsk(context, flags.entity);
    const readRows = await context.services.rowReader();
    const { bytes, options, progress } = openSource(context, path, flags, resource.name);
    const rows = readRows(resource, bytes, options);
    const { replace, dryRun } = flags;
    const confirmRemoval = async ({ removed, existing }: RemovalCounts) => {
      progress.end();
      const question = `${removed} of the ${existing} records of ${entity.code}/${resource.name} are not in the file. Remove them?`;
      await requireConfirmation(context, question, 'Remove them');
    };
    const input = { resource, entity: entity.code, rows, replace, dryRun, confirmRemoval };
    const summary = await importIntoStore(domain, actor, input).finally(progress.end);
    printSummary(context, { resource, entity: entity.code, dryRun }, summary);
  },
});

function requireFile(resource: string, file: string | undefined): string {
  if (file !== undefined) return file;
  throw new HkctlError('usage', 'FILE is missing: name a file of records, or - for standard input.', {
    hint: `An empty one: hkctl import ${resource} --template`,
  });
}

function printTemplate(context: Context, resource: string, template: string, file: string | undefined): void {
  if (file !== undefined) {
    throw new HkctlError('usage', `--template reads no file: leave ${file} out.`);
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
    const asks = dryRun && { needs_confirmation: removal !== undefined };
    context.printJson({ resource: resource.name, entity, dry_run: dryRun, ...summary, ...asks });
    return;
  }
  const { inserted, updated, unchanged, removed } = summary;
  const counts = `${inserted} inserted, ${updated} updated, ${removed} removed, ${unchanged} unchanged`;
  if (dryRun) {
    printSentence(context, `Nothing was changed. This would be: ${counts}`);
    if (removal)
      printSentence(context, `It would remove ${removal.removed} of ${removal.existing} records, and so needs --yes.`);
  } else context.confirm(`${resource.title} of ${entity}: ${counts}`);
}

async function findResource(services: Services, name: string): Promise<ResourceDefinition> {
  const resources = await services.resources();
  const wanted = requireOneOf(name, [...resources.map((resource) => resource.name), 'readings']);
  const found = resources.find((resource) => resource.name === wanted);
  if (!found) throw new HkctlError('usage', `"${name}" is not a resource.`);
  return found;
}

function parseMapping(given: string): [column: string, field: string] {
  const cut = given.lastIndexOf('=');
  if (cut < 1 || cut === given.length - 1) {
    throw new HkctlError('usage', `"${given}" is not a mapping: give COLUMN=FIELD, such as MATNR=part_number.`);
  }
  return [given.slice(0, cut), given.slice(cut + 1)];
}
