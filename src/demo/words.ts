/** Words of the made-up plant. */
export const partNames = [
  'Bearing housing',
  'Gear shaft',
  'Planet carrier',
  'Ring gear',
  'Flange',
  'Valve body',
  'Coupling hub',
];
export const materials = ['EN-GJS-400-15', '42CrMo4', '18CrNiMo7-6', '1.4301', 'EN AW-6082', '100Cr6', 'C45'];
export const categories = ['Castings', 'Shafts', 'Gears', 'Turned parts', 'Forgings'];
export const firstNames = [
  'Jana',
  'Marcus',
  'Elif',
  'Tomasz',
  'Grace',
  'Anders',
  'Leila',
  'Pedro',
  'Hanna',
  'Kwame',
  'Mei',
  'Ola',
];
export const lastNames = [
  'Krüger',
  'Hill',
  'Yılmaz',
  'Nowak',
  'Okafor',
  'Berg',
  'Haddad',
  'Santos',
  'Weber',
  'Mensah',
  'Lin',
  'Dahl',
];
export const customers = [
  'Nordwind Getriebe GmbH',
  'Great Lakes Drives Inc.',
  'Alpenbahn AG',
  'Hafenkran SE',
  'Prairie Ag Machinery',
];
export const departments = ['Heat treatment', 'Machining', 'Assembly', 'Quality', 'Logistics', 'Maintenance'];
export const treatments = [
  'Stress relief annealing',
  'Case hardening',
  'Nitriding',
  'Tempering',
  'Turning',
  'Milling',
  'Grinding',
];
export const courses = [
  'Forklift licence',
  'Crane operation',
  'Measuring equipment',
  'Fire protection',
  'Internal auditor',
];
export const faults = [
  'Bore out of tolerance',
  'Surface hardness too low',
  'Porosity',
  'Wrong marking',
  'Transport damage',
];
export const incidents = ['Oil on walkway', 'Blocked escape route', 'Missing machine guard', 'Minor cut at deburring'];
export const serviceCodes = ['ANNEAL', 'CASEHARD', 'NITRIDE', 'TEMPER', 'TURN', 'MILL', 'GRIND', 'INSPECT'];

/** Machines in the order of their ids; all have the sensors below. */
export const assetList = [
  ['OVEN-1', 'Chamber oven 1', 'oven'],
  ['OVEN-2', 'Chamber oven 2', 'oven'],
  ['OVEN-3', 'Chamber oven 3', 'oven'],
  ['QUENCH-1', 'Quench tank 1', 'tank'],
  ['LATHE-1', 'CNC lathe 1', 'machine'],
  ['LATHE-2', 'CNC lathe 2', 'machine'],
  ['MILL-1', 'Machining centre 1', 'machine'],
  ['GRIND-1', 'Cylindrical grinder 1', 'machine'],
  ['WASH-1', 'Washing line 1', 'production_line'],
  ['COMP-1', 'Compressor 1', 'utility'],
] as const;

/** The sensors of every machine: five kinds at ten machines make fifty. */
export const sensorKinds = [
  ['T1', 'zone 1 temperature', 'temperature', 'Cel'],
  ['T2', 'zone 2 temperature', 'temperature', 'Cel'],
  ['P1', 'pressure', 'pressure', 'bar'],
  ['E1', 'active power', 'power', 'kW'],
  ['S1', 'door contact', 'state', null],
] as const;
