import { nearest } from '../text/words.ts';
import { isTimezone } from './calendar.ts';

/**
 * The name of a time zone in the spelling of the IANA database, however its letters are written; undefined for any other text.
 * `Intl` itself gives another name for many: Asia/Calcutta for Asia/Kolkata, since ICU keeps the first name that a zone had.
 */
export function zoneNamed(zoneName: string): string | undefined {
  if (!isTimezone(zoneName)) return undefined;
  const isAbbreviation = icuAbbreviations.has(zoneName.toUpperCase());
  return isAbbreviation ? undefined : spelledZone(zoneName);
}

/** A zone of the store as it is shown: older versions have stored names as they were typed. */
export function shownZone(storedName: string): string {
  return zoneNamed(storedName) ?? storedName;
}

/** The zone that a wrong name probably means: the one of that city, else the one that is spelled nearly so. */
export function meantZone(typedName: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  const normalizedName = typedName
    .trim()
    .replace(/[\s_]+/g, '_')
    .toLowerCase();
  const city = cityOf(normalizedName);
  const zoneOfCity = zones.find((zone) => cityOf(zone).toLowerCase() === city);
  if (zoneOfCity !== undefined) return zoneOfCity;

  const region = regionOf(normalizedName);
  const isNearRegion = (zone: string) => Boolean(nearest(region, [regionOf(zone)]));
  const candidates = region === '' ? zones : zones.filter(isNearRegion);
  const nearestCity = nearest(city, candidates.map(cityOf));
  return candidates.find((zone) => cityOf(zone) === nearestCity);
}

function cityOf(zoneName: string): string {
  return zoneName.slice(zoneName.lastIndexOf('/') + 1);
}

/** The text before the city; empty for a zone without a region, such as UTC. */
function regionOf(zoneName: string): string {
  return zoneName.slice(0, Math.max(0, zoneName.lastIndexOf('/')));
}

/** Abbreviations that ICU accepts, and the IANA database does not know: IST is India, Israel or Ireland. */
const icuAbbreviations: ReadonlySet<string> = new Set([
  ...['ACT', 'AET', 'AGT', 'ART', 'AST', 'BET', 'BST', 'CAT', 'CNT', 'CST', 'CTT', 'EAT', 'ECT'],
  ...['IET', 'IST', 'JST', 'MIT', 'NET', 'NST', 'PLT', 'PNT', 'PRT', 'PST', 'SST', 'VST'],
]);

/** Parts of names that are not written with one capital at the beginning of each word. */
const irregularParts = [
  ...['ACT', 'LHI', 'NSW', 'US', 'GMT', 'UCT', 'UTC', 'GB-Eire'],
  ...['Isle_of_Man', 'Dar_es_Salaam', 'Port_of_Spain', 'Port-au-Prince', 'Knox_IN', 'McMurdo'],
  ...['DumontDUrville', 'ComodRivadavia', 'DeNoronha', 'EasterIsland', 'BajaNorte', 'BajaSur'],
];
const irregularSpellings = new Map(irregularParts.map((part) => [part.toLowerCase(), part]));

/** Spells a zone that exists; the rule covers every name of the database, also the old ones. */
function spelledZone(zoneName: string): string {
  const parts = zoneName.toLowerCase().split('/');
  const spell = (part: string) => {
    return irregularSpellings.get(part) ?? spelledPart(part, parts.length);
  };
  return parts.map(spell).join('/');
}

function spelledPart(part: string, partCount: number): string {
  // EST5EDT, GMT+1, GMT0, NZ-CHAT, W-SU, PRC: these are abbreviations, and stand alone or after Etc.
  const isShortOrNumbered = part.length <= 3 || /[-\d]/.test(part);
  const isAbbreviation = partCount === 1 && isShortOrNumbered;
  if (isAbbreviation || /^gmt[-+\d]/.test(part)) {
    return part.toUpperCase();
  }
  return part.replace(/(?<=^|[-_+])[a-z]/g, (letter) => letter.toUpperCase());
}
