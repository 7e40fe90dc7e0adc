/** What stands where the data of a removed entity could not be deleted at once. */
export const dataLeft = 'The entity was removed, and its keys are refused. Its records and readings are deleted later.';
