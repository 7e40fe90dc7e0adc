import { atEndOfFile } from '../ends.ts';
import { type Face, listening } from './faces.ts';
import { HttpPlant } from './plant.ts';

/** A plant, a daemon that serves it until the end of the file of tests, and the secret of a key with every permission. */
export async function servedPlant(): Promise<{
  plant: HttpPlant;
  face: Face & { url: string };
  secret: string;
}> {
  const plant = await HttpPlant.open();
  const face = await listening(plant);
  atEndOfFile(() => face.close());
  const { secret } = await plant.key();
  return { plant, face, secret };
}
