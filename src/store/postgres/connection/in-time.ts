/**
 * Waits for a value until an instant (`performance.now()`), and then rejects with `late()`. A value that comes after that is
 * given to `onLate`.
 */
export async function inTime<T>(
  value: Promise<T>,
  endsAt: number,
  late: () => Error,
  onLate: (value: T) => void = () => {},
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(late());
    }, endsAt - performance.now());
  });
  const used = value.then((found) => {
    if (isLate) onLate(found);
    return found;
  });
  try {
    return await Promise.race([used, end]);
  } finally {
    clearTimeout(timer);
  }
}
