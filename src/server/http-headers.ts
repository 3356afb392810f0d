import type { IncomingHttpHeaders } from "node:http";

/** Headers in the form of the core; repeated ones are joined. */
export function wireHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return joined;
}
