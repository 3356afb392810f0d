import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";

/**
 * Ids of another form than services issue: each of the service's own with some letters after it.
 * What has them already, and what comes without, stays as it is.
 */

const MORE = "looser";
const STRICT = /"((?:doc|dir|chg)_[a-z0-9]{14})"/g;
const LOOSE = new RegExp(`((?:doc|dir|chg)_[a-z0-9]{14})${MORE}`, "g");

/** @param json an answer of the service */
export function loosenIds(json: string): string {
  return json.replace(STRICT, `"$1${MORE}"`);
}

/** A service whose ids are such for everybody, not for one client alone. */
export function loosenService(answer: (request: WireRequest) => WireResponse): (request: WireRequest) => WireResponse {
  return (request) => {
    const body = request.body === null ? null : tightenIds(request.body);
    const response = answer({ ...request, path: tightenIds(request.path), body });
    return { ...response, body: loosenIds(response.body) };
  };
}

/** @param text a path or a body as a client sends it */
export function tightenIds(text: string): string {
  return text.replace(LOOSE, "$1");
}
