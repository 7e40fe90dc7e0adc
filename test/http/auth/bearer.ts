/** The options of a request with a secret, and with other headers. */
export const bearer = (secret: string, more: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${secret}`, ...more },
});

/** The status of an answer that succeeded, else the code of its problem document. */
export async function outcome(response: Response): Promise<string> {
  return response.ok ? String(response.status) : ((await response.json()) as { code: string }).code; // as documented, which every face checks
}
