import { describe, expect, it } from 'vitest';
import { isTimezone } from '../../../src/core/time/calendar.ts';
import { meantZone, shownZone, zoneNamed } from '../../../src/core/time/zones.ts';

/** Names of the IANA database beyond those that Intl lists: links, abbreviations and others of irregular spelling. */
const others = [
  ...[
    'Asia/Kolkata',
    'Asia/Calcutta',
    'Europe/Kyiv',
    'Europe/Kiev',
    'US/Eastern',
    'US/Indiana-Starke',
  ],
  ...[
    'America/Port_of_Spain',
    'America/Port-au-Prince',
    'Africa/Dar_es_Salaam',
    'Europe/Isle_of_Man',
  ],
  ...['America/Argentina/ComodRivadavia', 'America/Argentina/Buenos_Aires', 'America/Knox_IN'],
  ...[
    'Antarctica/DumontDUrville',
    'Antarctica/McMurdo',
    'Australia/ACT',
    'Australia/NSW',
    'Australia/LHI',
  ],
  ...[
    'America/North_Dakota/New_Salem',
    'Brazil/DeNoronha',
    'Chile/EasterIsland',
    'Mexico/BajaNorte',
  ],
  ...[
    'UTC',
    'Etc/UTC',
    'GMT',
    'Etc/GMT+5',
    'Etc/GMT-14',
    'Etc/Greenwich',
    'Etc/Zulu',
    'Etc/UCT',
    'Zulu',
  ],
  ...[
    'CET',
    'EST',
    'EST5EDT',
    'NZ',
    'NZ-CHAT',
    'GB-Eire',
    'GB',
    'W-SU',
    'PRC',
    'ROK',
    'Iran',
    'GMT0',
  ],
  ...['America/Blanc-Sablon', 'Asia/Ust-Nera', 'Asia/Ho_Chi_Minh', 'Africa/Porto-Novo', 'Hongkong'],
];
const zones = [...Intl.supportedValuesOf('timeZone'), ...others];

describe('a time zone', () => {
  it('has the spelling of IANA, however it is typed', () => {
    for (const zone of zones) {
      if (!isTimezone(zone)) continue;
      for (const typed of [zone, zone.toLowerCase(), zone.toUpperCase()])
        expect([typed, zoneNamed(typed)]).toEqual([typed, zone]);
    }
    expect(zones.filter(isTimezone).length).toBeGreaterThan(450);
  });

  it.each(['', 'Berlin', 'Europe/Berln', 'IST', 'jst', '+01:00', 'Europe/Berlin ', 'Mars/Base'])(
    'is not called %j',
    (typed) => expect(zoneNamed(typed)).toBeUndefined(),
  );

  it('is shown in that spelling, and as it is stored if it is none', () => {
    expect(shownZone('europe/berlin')).toBe('Europe/Berlin');
    expect(shownZone('Europe/Gone')).toBe('Europe/Gone');
  });

  it.each([
    ['Europe/Berln', 'Europe/Berlin'],
    ['europe/berln', 'Europe/Berlin'],
    ['Berlin', 'Europe/Berlin'],
    ['Berln', 'Europe/Berlin'],
    ['America/Chigaco', 'America/Chicago'],
    ['new york', 'America/New_York'],
    ['America/New York', 'America/New_York'],
    ['Europe/Zurick', 'Europe/Zurich'],
    ['Eurpe/Berln', 'Europe/Berlin'],
    ['Asia/Berlin', 'Europe/Berlin'],
    ['America/Argentina/San Luiz', 'America/Argentina/San_Luis'],
  ])('is meant by %s', (typed, zone) => expect(meantZone(typed)).toBe(zone));

  it.each([
    'xyzzyx',
    'Europe/Nowhere',
    'Europe/Hamburg',
    'America/Denvor City',
    'Mars/Base',
    'Asia/',
  ])('is not meant by %j, which is like none', (typed) => expect(meantZone(typed)).toBeUndefined());
});
