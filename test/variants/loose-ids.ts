import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";

/**
 * Ids of another form than the service's own: each gets some more letters. Ids that have them
 * already stay the same, as do requests without them.
 */

const MORE = "looser";
const STRICT = /"((?:doc|dir|chg)_[a-z0-9]{14})"/g;
const LOOSE = new RegExp(`((?:doc|dir|chg)_[a-z0-9]{14})${MORE}`, "g");

/**
 * Adds the letters to all ids.
 * @param json an answer of the service
 */
export function loosenIds(json: string): string {
  return json.replace(STRICT, `"$1${MORE}"`);
}

/** Returns a service whose ids have this form for all its clients. */
export function loosenService(answer: (request: WireRequest) => WireResponse): (request: WireRequest) => WireResponse {
  return (request) => {
    const body = request.body === null ? null : tightenIds(request.body);
    const response = answer({ ...request, path: tightenIds(request.path), body });
    return { ...response, body: loosenIds(response.body) };
  };
}

/**
 * Removes the letters from all ids.
 * @param text path or body of a client's request
 */
export function tightenIds(text: string): string {
  return text.replace(LOOSE, "$1");
}
