export const partNames =
  'Bearing housing, Gear shaft, Planet carrier, Ring gear, Flange, Valve body, Coupling hub'.split(
    ', ',
  );
export const materials =
  'EN-GJS-400-15, 42CrMo4, 18CrNiMo7-6, 1.4301, EN AW-6082, 100Cr6, C45'.split(', ');
export const firstNames =
  'Jana, Marcus, Elif, Tomasz, Grace, Anders, Leila, Pedro, Hanna, Kwame, Mei, Ola'.split(', ');
export const lastNames =
  'Krüger, Hill, Yılmaz, Nowak, Okafor, Berg, Haddad, Santos, Weber, Mensah, Lin, Dahl'.split(', ');
export const customers =
  'Nordwind Getriebe GmbH, Great Lakes Drives Inc., Alpenbahn AG, Hafenkran SE, Prairie Ag Machinery'.split(
    ', ',
  );
export const departments =
  'Heat treatment, Machining, Assembly, Quality, Logistics, Maintenance'.split(', ');
export const treatments =
  'Stress relief annealing, Case hardening, Nitriding, Tempering, Turning, Milling, Grinding'.split(
    ', ',
  );

/** Machines in the order of their ids; at rest and at work Cel, the minutes to get there, bar and kW. */
export const assetList = [
  ['OVEN-1', 'Chamber oven 1', 'oven', [310, 922, 42, 1.01, 1.04, 6, 84]],
  ['OVEN-2', 'Chamber oven 2', 'oven', [240, 652, 38, 1.01, 1.03, 5, 61]],
  ['OVEN-3', 'Chamber oven 3', 'oven', [164, 183, 12, 1.01, 1.02, 3, 22]],
  ['QUENCH-1', 'Quench tank 1', 'tank', [58, 71, 55, 2.1, 2.6, 2, 9]],
  ['LATHE-1', 'CNC lathe 1', 'machine', [23, 47, 35, 42, 61, 0.8, 13]],
  ['LATHE-2', 'CNC lathe 2', 'machine', [23, 44, 35, 41, 58, 0.8, 11]],
  ['MILL-1', 'Machining centre 1', 'machine', [24, 49, 40, 55, 68, 1.1, 19]],
  ['GRIND-1', 'Cylindrical grinder 1', 'machine', [23, 39, 30, 33, 45, 0.7, 8]],
  ['WASH-1', 'Washing line 1', 'production_line', [41, 63, 25, 1.2, 3.4, 1.5, 17]],
  ['COMP-1', 'Compressor 1', 'utility', [38, 82, 18, 6.9, 7.3, 9, 37]],
] as const;

/** The sensors of every machine: five kinds at ten machines make fifty. */
export const sensorKinds = [
  ['T1', 'zone 1 temperature', 'temperature', 'Cel'],
  ['T2', 'zone 2 temperature', 'temperature', 'Cel'],
  ['P1', 'pressure', 'pressure', 'bar'],
  ['E1', 'active power', 'power', 'kW'],
  ['S1', 'door contact', 'state', null],
] as const;
