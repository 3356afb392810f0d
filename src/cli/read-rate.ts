type Rate = { readonly requests: number; readonly seconds: number };

/**
 * The value of an option for how many requests may be made in how many seconds: `10/1`, `none`.
 * @returns undefined: it is not given; null: none
 */
export function readRate(text: string | null): Rate | null | undefined | "bad" {
  if (text === null) return undefined;
  if (text === "none") return null;
  const [, requests, seconds] = /^([1-9]\d{0,6})\/([1-9]\d{0,6})$/.exec(text) ?? [];
  return requests === undefined ? "bad" : { requests: Number(requests), seconds: Number(seconds) };
}
