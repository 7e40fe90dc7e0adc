/** Splits an `Accept` or `Accept-Encoding` header into lower-case names with their weights (RFC 9110, section 12.4.2). */
export function parseAccept(header: string): { name: string; weight: number }[] {
  return header
    .toLowerCase()
    .split(',')
    .map((part) => {
      const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return { name, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
    });
}
