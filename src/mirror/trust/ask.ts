import { join } from "node:path";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { readConfig } from "../settings/config.ts";
import type { LinkedPart } from "../settings/settings.ts";
import { quoteForShell } from "../model/shell-word.ts";
import { ok, refusal, type Result } from "../../common/trouble.ts";
import { toAddress, pickUrl } from "./address.ts";
import { countDocuments, describeKeySource, findMirror, readRootMarker } from "./gate.ts";
import { checkOwner, readOwnerName } from "./owner.ts";
import { type Environment, type KnownMirror, locateRegistry } from "./registry.ts";

/**
 * Facts that `mdmirror trust` shows before the question whether to trust a folder. To collect these
 * facts, mdmirror sends nothing, and runs nothing from the folder.
 */
export type TrustQuestion = {
  readonly root: string;
  readonly marker: string;
  readonly address: string;
  /** Linked part of the workspace; "" is the whole workspace. */
  readonly remote: LinkedPart;
  readonly owner: string;
  readonly documents: string;
  /** Source of the key, as a clause. */
  readonly key: string;
  readonly known: KnownMirror | null;
  readonly isTrusted: boolean;
};

/**
 * Collects the facts that the user needs for the decision. Returns trouble if the folder cannot be
 * trusted.
 * @param allowHttp hosts for which the user allows plain http with this command
 */
export function collectTrustFacts(
  root: string,
  { env, cwd, allowHttp }: { readonly env: Environment; readonly cwd: string; readonly allowHttp: readonly string[] },
): Result<TrustQuestion> {
  const ownerResult = checkOwner(root, env);
  if (ownerResult.kind === "trouble") return ownerResult;
  const config = readConfig(join(root, MIRROR_FOLDER));
  if (config.kind === "trouble") return config;
  const marker = readRootMarker(root);
  if (marker === null)
    return refusal(
      `${root} has no .mdmirror/marker: it is not a complete linked folder`,
      `link it again: mdmirror init ${quoteForShell(root)} --url URL`,
    );
  const foundMirror = findMirror(locateRegistry(env), root);
  const knownMirror = foundMirror.kind === "known" ? foundMirror.mirror : null;
  const { url, remote } = config.value;
  // Trust applies only to the URL in the folder's configuration, so `MDMIRROR_URL` is ignored.
  const pickedUrl = pickUrl(url, { env: {} })!;
  const address = toAddress(pickedUrl, config.value.allowHttp);
  if (address.kind === "trouble") return address;
  const allowedHosts = [...allowHttp, ...(knownMirror?.allowHttp ?? [])];
  if (toAddress(pickedUrl, allowedHosts).kind === "trouble") return refusePlainHttp(root, url);
  return ok({
    root,
    marker,
    address: address.value,
    remote,
    owner: readOwnerName(root),
    documents: countDocuments(root),
    key: describeKeySource(root, pickedUrl, { env, cwd }),
    known: knownMirror,
    isTrusted: knownMirror !== null && isAllowedBy(knownMirror, address.value, allowHttp),
  });
}

/** Returns trouble about plain http, which the user has to allow by naming the host. */
function refusePlainHttp(root: string, url: string): Result<never> {
  return refusal(
    `${url} is plain http: others on the network can read the key and all documents`,
    `to allow it anyway: mdmirror trust ${quoteForShell(root)} --allow-http ${quoteForShell(new URL(url).host)}`,
  );
}

function isAllowedBy({ addresses, allowHttp }: KnownMirror, address: string, hosts: readonly string[]): boolean {
  return addresses.includes(address) && hosts.every((host) => allowHttp.includes(host));
}
