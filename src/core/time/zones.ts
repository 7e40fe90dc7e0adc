import { nearest } from '../text/words.ts';
import { isTimezone } from './calendar.ts';

/**
 * The name of a time zone in the spelling of the IANA database, however its letters are written; undefined for what is no zone.
 * `Intl` itself gives another name for many: Asia/Calcutta for Asia/Kolkata, since ICU keeps the first name that a zone had.
 */
export function zoneNamed(text: string): string | undefined {
  return isTimezone(text) && !icuAbbreviations.has(text.toUpperCase()) ? spelled(text) : undefined;
}

/** A zone of the store as it is shown: older versions have stored names as they were typed. */
export function shownZone(stored: string): string {
  return zoneNamed(stored) ?? stored;
}

/** The zone that a wrong name probably means: the one of that city, else the one that is spelled nearly so. */
export function meantZone(text: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  const typed = text
    .trim()
    .replace(/[\s_]+/g, '_')
    .toLowerCase();
  const city = cityOf(typed);
  const ofCity = zones.find((zone) => cityOf(zone).toLowerCase() === city);
  if (ofCity !== undefined) return ofCity;

  const region = regionOf(typed);
  const near = region === '' ? zones : zones.filter((zone) => nearest(region, [regionOf(zone)]));
  const meant = nearest(city, near.map(cityOf));
  return near.find((zone) => cityOf(zone) === meant);
}

function cityOf(zone: string): string {
  return zone.slice(zone.lastIndexOf('/') + 1);
}

/** What stands before the city; empty for a zone without a region, such as UTC. */
function regionOf(zone: string): string {
  return zone.slice(0, Math.max(0, zone.lastIndexOf('/')));
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
const irregular = new Map(irregularParts.map((part) => [part.toLowerCase(), part]));

/** Spells a zone that exists; the rule covers every name of the database, also the old ones. */
function spelled(zone: string): string {
  const parts = zone.toLowerCase().split('/');
  return parts.map((part) => irregular.get(part) ?? spelledPart(part, parts.length)).join('/');
}

function spelledPart(part: string, count: number): string {
  // EST5EDT, GMT+1, GMT0, NZ-CHAT, W-SU, PRC: these are abbreviations, and stand alone or after Etc.
  const isAbbreviation = count === 1 && (part.length <= 3 || /[-\d]/.test(part));
  if (isAbbreviation || /^gmt[-+\d]/.test(part)) return part.toUpperCase();
  return part.replace(/(?<=^|[-_+])[a-z]/g, (letter) => letter.toUpperCase());
}
