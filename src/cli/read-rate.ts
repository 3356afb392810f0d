type Rate = { readonly requests: number; readonly seconds: number };

/**
 * Reads a rate of requests per seconds: `10/1`, `none`. Returns undefined if it is not given, null
 * for none.
 */
export function readRate(text: string | null): Rate | null | undefined | "bad" {
  if (text === null) return undefined;
  if (text === "none") return null;
  const [, requests, seconds] = /^([1-9]\d{0,6})\/([1-9]\d{0,6})$/.exec(text) ?? [];
  return requests === undefined ? "bad" : { requests: Number(requests), seconds: Number(seconds) };
}
