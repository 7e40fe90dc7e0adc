/** Whether an object in a text has a member twice, of which JSON.parse keeps the last; `value` is what the text means. */
export function hasMemberTwice(jsonText: string, value: unknown): boolean {
  return typeof value === 'object' && value !== null && memberCount(value) < colonCount(jsonText);
}

/** The members of a value and of all values in it; with its own stack, since a value may be nested deeply. */
function memberCount(root: object): number {
  let count = 0;
  const containers: object[] = [root];
  for (let container = containers.pop(); container; container = containers.pop()) {
    const members: unknown[] = Object.values(container);
    if (!Array.isArray(container)) count += members.length;
    for (const member of members)
      if (typeof member === 'object' && member !== null) containers.push(member);
  }
  return count;
}

/** The colons outside of strings, each of which is behind the name of a member. */
function colonCount(jsonText: string): number {
  let count = 0;
  let isInString = false;
  for (let index = 0; index < jsonText.length; index++) {
    const code = jsonText.charCodeAt(index);
    if (code === 34) isInString = !isInString;
    else if (code === 58 && !isInString) count++;
    else if (code === 92) index++;
  }
  return count;
}
