import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { HostOptions } from "../../folder/open-mirror.ts";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { checkFiles } from "../../state/damage.ts";
import { readConfig } from "../../settings/config.ts";
import { findKey } from "../../settings/key.ts";
import { openDisk } from "../../folder/open-local.ts";
import type { Result } from "../../../common/trouble.ts";
import { openWire, chooseServiceRoute } from "../../trust/connect.ts";
import { admit } from "../../trust/gate.ts";
import { type DoctorCheck, makeFailure, makePass, makeNote, makeWarning } from "./check.ts";
import { checkDisk, checkHistory, checkNeighbours, checkWatches } from "./disk.ts";
import { FILES } from "../../../contract/resources.ts";
import { describeFailure, type Wire, type WireResult } from "../../../common/wire.ts";
import type { Clock } from "../../../common/clock.ts";
import { formatAge } from "../../../common/quantities.ts";
import { GIVE_VALID_KEY } from "../../folder/trouble.ts";
import type { ServiceRoute } from "../../remote/address.ts";
import { SHELL_METACHARACTERS } from "../../../contract/names.ts";
import { META } from "../../engine/run/meta.ts";
import { readBacksLeft } from "../../model/text-form.ts";
import type { RemoteTraits } from "../../ports/remote.ts";
import { completeTraits } from "../../remote/traits.ts";
import { readStateSummary } from "../../state/read-beside.ts";

type ExamineOptions = HostOptions & { readonly keyFile: string | null };

/** Runs all checks of `doctor`. Even if the connection fails, the other checks run. */
export async function runChecks(dir: string, options: ExamineOptions): Promise<DoctorCheck[]> {
  const root = existsSync(dir) ? realpathSync(dir) : dir;
  const folder = join(root, MIRROR_FOLDER);
  const { random } = options;
  const disk = openDisk(root, { random });
  return [
    ...(await examineConnection(root, options)),
    ...checkTraits(folder),
    ...examineState(folder, disk.identify()?.markerId ?? null),
    checkHistory(folder),
    ...checkDisk(disk, folder, random),
    ...checkWatches(disk.walk().folders.size),
    ...checkNeighbours(root),
  ];
}

async function examineConnection(root: string, { env, cwd, keyFile, clock }: ExamineOptions): Promise<DoctorCheck[]> {
  const folder = join(root, MIRROR_FOLDER);
  const config = readConfig(folder);
  if (config.kind === "trouble") return [makeTroubleCheck("config", config)];
  const admission = admit(root, config.value, { mode: "read", env, cwd, keyFile });
  if (admission.kind === "trouble") {
    const about = admission.trouble.code === "untrusted" ? "trust" : "config";
    return [makeTroubleCheck(about, admission)];
  }
  const { origin, notes } = admission.value;
  const trustNotes = notes.map((text) => makeNote("trust", text));
  const foundKey = findKey({ folder, keyFile, cwd, env, origin });
  if (foundKey.kind === "trouble")
    return [makePass("config", "it can be read"), ...trustNotes, makeTroubleCheck("key", foundKey)];
  const wire = openWire(origin);
  try {
    const { key, from } = foundKey.value;
    return [
      makePass("config", "it can be read"),
      ...trustNotes,
      makePass("key-source", from === "stored" ? ".mdmirror/key, which nobody else may read" : from),
      ...(await checkService(
        wire,
        key,
        { origin: new URL(origin.url).origin, route: chooseServiceRoute(origin.url) },
        clock,
      )),
    ];
  } finally {
    await wire.close();
  }
}

function makeTroubleCheck(about: string, result: Extract<Result<unknown>, { kind: "trouble" }>): DoctorCheck {
  const { kind, what, next } = result.trouble;
  return makeFailure(about, kind, what, next);
}

function examineState(folder: string, marker: string | null): DoctorCheck[] {
  const missingCheck = makeFailure(
    "marker",
    "fault",
    ".mdmirror/marker is missing: this may be an empty mount point",
    "mount the disk of the linked folder; or move .mdmirror/ away and link the folder again",
  );
  const damageChecks = checkFiles(folder).map((damage) => {
    const detail =
      "detail" in damage ? damage.detail : `its schema is ${damage.version}, this mdmirror knows ${damage.known}`;
    const nextStep = "mdmirror sync replaces a damaged file with a new one; nothing is lost";
    return makeFailure("state", "fault", `${damage.file}: ${damage.kind}: ${detail}`, nextStep);
  });
  const state = damageChecks.length > 0 ? damageChecks : [makePass("state", "it has no damage")];
  return marker === null ? [missingCheck, ...state] : state;
}

/**
 * LIMIT: milliseconds by which the local clock may differ from the service's clock. A larger
 * difference makes folder dates, the retention of history and the waits after `Retry-After` wrong.
 * No difference affects a decision about content (I29).
 */
const MAX_SKEW_MS = 60_000;
/** Milliseconds by which a `Date` header may be too early, because it has whole seconds. */
const DATE_HEADER_MS = 1_000;

const REQUEST_BOUNDS = { deadlineMs: 15_000, maxBytes: 1024 * 1024 } as const;

/** Checks with one request that the service answers, accepts the key, and has the right time. */
export async function checkService(
  wire: Wire,
  key: string,
  { origin, route }: ServiceAddress,
  clock: Clock,
): Promise<DoctorCheck[]> {
  const beganAt = clock.monotonic();
  const headers = { authorization: `Bearer ${key}`, accept: "application/json, application/problem+json" };
  const wireResult = await wire.send({ method: "GET", path: `${FILES}?limit=1`, headers, body: null }, REQUEST_BOUNDS);
  const durationMs = Math.round(clock.monotonic() - beganAt);
  if (wireResult.kind !== "answer") return [reportUnreachable(wireResult, origin)];
  const { status, body, headers: received } = wireResult.response;
  const answeredCheck = makePass("service", `${origin} answers in ${durationMs} ms${describeRoute(route)}`);
  const skewChecks = checkClock(received["date"], clock.now());
  if (status === 200 && isDocumentList(body))
    return [answeredCheck, makePass("key", "the service accepts it"), ...skewChecks];
  if (status === 401)
    return [answeredCheck, rejectKey("the service refuses it (unauthenticated)", GIVE_VALID_KEY), ...skewChecks];
  if (status === 404 && readErrorCode(body) === "workspace_not_found") {
    const nextStep = "give the key of a workspace that exists";
    return [answeredCheck, rejectKey("it gives access to no workspace (workspace_not_found)", nextStep), ...skewChecks];
  }
  if (status !== 503) return [reportForeignAnswer(status, origin), ...skewChecks];
  return [makeFailure("service", "offline", `${origin} is not available now (503)`, "try again later"), ...skewChecks];
}

type ServiceAddress = { readonly origin: string; readonly route: ServiceRoute };

function describeRoute(route: ServiceRoute): string {
  return route.kind === "proxy" ? `, by the proxy ${route.origin} (${route.variable})` : "";
}

function rejectKey(what: string, next: string): DoctorCheck {
  return makeFailure("key", "offline", what, next);
}

function reportUnreachable({ why }: Exclude<WireResult, { kind: "answer" }>, origin: string): DoctorCheck {
  return makeFailure(
    "service",
    "offline",
    `${origin} cannot be reached: ${describeFailure(why)}`,
    "check the address, the network and the proxy (HTTPS_PROXY, NO_PROXY)",
  );
}

function reportForeignAnswer(status: number, origin: string): DoctorCheck {
  if (status >= 300 && status < 400) {
    return makeFailure(
      "service",
      "usage",
      `${origin} answers with a redirect (${status}), which is never followed`,
      "give the target of the redirect as the URL",
    );
  }
  return makeFailure(
    "service",
    "usage",
    `what answers at ${origin} is not the service (status ${status})`,
    "check the URL, with its path prefix if it has one",
  );
}

function isDocumentList(body: string): boolean {
  return /"object"\s*:\s*"list"/.test(body);
}

function readErrorCode(body: string): string | null {
  return /"code"\s*:\s*"([a-z_]{1,64})"/.exec(body)?.[1] ?? null;
}

export function checkClock(date: string | undefined, now: number): DoctorCheck[] {
  const serviceTime = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(serviceTime)) return [];
  const clockSkew = now - serviceTime;
  if (Math.abs(clockSkew) <= MAX_SKEW_MS + DATE_HEADER_MS)
    return [makePass("clock", "this computer and the service agree on the time")];
  const skewWords = clockSkew > 0 ? "ahead of" : "behind";
  return [
    makeWarning(
      "clock",
      `this computer is ${formatAge(Math.abs(clockSkew))} ${skewWords} the service`,
      "set the clock (NTP): dates in logs and in the trash depend on it; no decision does",
    ),
  ];
}

/**
 * Returns one check for each trait of the service that syncs have learned. Reads only the state
 * file. If a trait does not have its preferred value, syncs send more requests or change names, but
 * still work.
 */
function checkTraits(folder: string): DoctorCheck[] {
  const stateSummary = readStateSummary(folder);
  // Another check of `doctor` reports a state file that cannot be read, so this check reports
  // nothing.
  if (stateSummary.kind !== "read") return [];
  const traitsText = stateSummary.value.meta.get(META.traits) ?? null;
  return traitsText === null
    ? [makePass("traits", "mdmirror learns the properties of the service in the first sync")]
    : checkEachTrait(completeTraits(JSON.parse(traitsText) as Partial<RemoteTraits>));
}

export function checkEachTrait(traits: RemoteTraits): DoctorCheck[] {
  return TRAITS.map(({ about, learnedIn, preferred = "yes", effect }) => {
    const learnedValue = learnedIn(traits);
    const trait = { learned: learnedValue, liked: preferred };
    if (learnedValue === "unknown") return { ...makePass(about, "not known yet; nothing to do"), trait };
    if (learnedValue === preferred) return { ...makePass(about, learnedValue), trait };
    return { ...makeNote(about, `${effect} (recommended: ${preferred})`), trait };
  });
}

type Trait = {
  readonly about: string;
  readonly learnedIn: (traits: RemoteTraits) => string;
  /** Preferred value of the trait; undefined for `yes`. */
  readonly preferred?: string;
  readonly effect: string;
};

const NO_FOLDER_PATCH = "folders cannot be renamed or moved: mdmirror moves each document in them by one request";
const NO_FOLDER_DELETE = "folders cannot be deleted: a folder that is deleted locally stays on the service, empty";
const NO_MOVE_TO_ROOT =
  "nothing can be moved to the root: such a document keeps its place on the service, and its edits are still synced";
const EDIT_REFUSED =
  "an edit that cannot be combined with another is refused: mdmirror merges it locally and uploads it again";
const FOLDED_NAMES = "two names that differ in this way are one name on the service: of two such files one is blocked";
const CONTENT_CHANGED =
  "the service changes content when it saves it: mdmirror reads each new document back, by one more request";
const FEWER_CHARACTERS =
  "names may contain everything except white space and these: a local name with one of them gets a hyphen on the service";

const TRAITS: readonly Trait[] = [
  { about: "folder-tree", learnedIn: (one) => one.folderTree, effect: "each scan lists each folder of the root" },
  {
    about: "path-spelling",
    learnedIn: ({ leadingSlash }) => (leadingSlash ? "absolute" : "relative"),
    preferred: "absolute",
    effect: "paths begin without a slash",
  },
  { about: "move-to-root", learnedIn: ({ moveToRoot }) => moveToRoot, effect: NO_MOVE_TO_ROOT },
  { about: "folder-changes", learnedIn: ({ folderPatch }) => folderPatch, effect: NO_FOLDER_PATCH },
  { about: "folder-deletion", learnedIn: ({ folderDelete }) => folderDelete, effect: NO_FOLDER_DELETE },
  { about: "conflicting-edits", learnedIn: (one) => one.conflicts, preferred: "reviewed", effect: EDIT_REFUSED },
  { about: "name-case", learnedIn: (one) => describeCase(one.foldsCase), preferred: "kept", effect: FOLDED_NAMES },
  {
    about: "name-unicode",
    learnedIn: (one) => describeCase(one.foldsUnicode),
    preferred: "kept",
    effect: FOLDED_NAMES,
  },
  {
    about: "legal-characters",
    learnedIn: ({ refusedCharacters: refused }) =>
      [...refused].every((one) => SHELL_METACHARACTERS.includes(one)) ? SHELL_METACHARACTERS : refused,
    preferred: SHELL_METACHARACTERS,
    effect: FEWER_CHARACTERS,
  },
  { about: "texts", learnedIn: describeForms, preferred: "kept", effect: CONTENT_CHANGED },
];

function describeCase(isFolded: boolean): string {
  return isFolded ? "folded" : "kept";
}

function describeForms({ keptForms }: RemoteTraits): string {
  if (Object.values(keptForms).includes(0)) return "changed";
  return readBacksLeft(keptForms) === 0 ? "kept" : "unknown";
}
