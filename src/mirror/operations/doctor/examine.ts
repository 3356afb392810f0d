import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Wire, StreamEnd } from "../../../common/wire.ts";
import type { Clock } from "../../../common/clock.ts";
import type { Random } from "../../../common/random.ts";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { checkFiles } from "../../state/damage.ts";
import { type Config, readConfig } from "../../settings/config.ts";
import { findKey } from "../../settings/key.ts";
import { openDisk } from "../../folder/open-disk.ts";
import type { Result } from "../../../common/trouble.ts";
import { openWire, routeOf } from "../../trust/connect.ts";
import { admit, hookMemoryOf, hooksFileOf } from "../../trust/gate.ts";
import { bad, type Check, good, note, warn } from "./check.ts";
import { checkDisk, checkNeighbours, checkWatches } from "./disk.ts";
import { checkHistory } from "./history.ts";
import { checkService, type ServiceAddress } from "./service.ts";
import { checkTraits } from "./traits.ts";
import { ageText } from "../../../common/age.ts";
import { failedHooks } from "../../hooks/failed.ts";
import { readHooks } from "../../hooks/read-hooks.ts";
import { EVENT_STREAM } from "../../../contract/events.ts";
import { EVENTS } from "../../../contract/routes.ts";

type ExamineOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly keyFile: string | null;
};

/** Runs every check of `doctor` separately, so that a check that fails hides no other check. */
export async function examine(dir: string, options: ExamineOptions): Promise<Check[]> {
  const root = existsSync(dir) ? realpathSync(dir) : dir;
  const folder = join(root, MIRROR_FOLDER);
  const { env, cwd, clock, random, keyFile } = options;
  const disk = openDisk(root, { random });
  return [
    ...(await examineWay(root, { env, cwd, keyFile, clock })),
    ...checkTraits(folder),
    ...examineState(folder, disk.identify()?.markerId ?? null),
    checkHistory(folder),
    ...checkDisk(disk, folder, random),
    ...checkWatches(
      disk.walk(
        () => null,
        () => undefined,
      ).folders.size,
    ),
    ...checkNeighbours(root),
    ...checkHooks(root, env, clock.now()),
  ];
}

async function examineWay(
  root: string,
  options: Pick<ExamineOptions, "env" | "cwd" | "keyFile" | "clock">,
): Promise<Check[]> {
  const { env, cwd, keyFile, clock } = options;
  const folder = join(root, MIRROR_FOLDER);
  const config = readConfig(folder);
  if (config.kind === "trouble") return [badBy("config", config)];
  const admitted = admit(root, config.value, { mode: "read", env, cwd, keyFile });
  if (admitted.kind === "trouble") {
    const about = admitted.trouble.code === "untrusted" ? "trust" : "config";
    return [badBy(about, admitted)];
  }
  const { origin, notes } = admitted.value;
  const told = notes.map((text) => note("trust", text));
  const found = findKey({ folder, keyFile, cwd, env, origin });
  if (found.kind === "trouble") return [good("config", "it can be read"), ...told, badBy("key", found)];
  const wire = openWire(origin);
  try {
    const { key, from } = found.value;
    return [
      good("config", "it can be read"),
      good("links", saidOfLinks(config.value.links)),
      ...told,
      good("key-source", from === "stored" ? ".mdmirror/key, which nobody else may read" : from),
      ...(await checkWay(wire, key, { origin: new URL(origin.url).origin, route: routeOf(origin.url) }, clock)),
    ];
  } finally {
    await wire.close();
  }
}

function saidOfLinks({ mode, wiki }: Config["links"]): string {
  if (mode === "keep") return "unchanged on both sides";
  return `by path in local files, and by id on the service${wiki ? ", wiki links too" : ""}`;
}

/**
 * Checks the connection to the service. Asks about events only if the service answers and accepts
 * the key.
 */
async function checkWay(wire: Wire, key: string, address: ServiceAddress, clock: Clock): Promise<Check[]> {
  const checks = await checkService(wire, key, address, clock);
  return checks.some(({ state }) => state === "bad") ? checks : [...checks, ...(await checkNews(wire, key))];
}

function badBy(about: string, result: Extract<Result<unknown>, { kind: "trouble" }>): Check {
  const { kind, what, next } = result.trouble;
  return bad(about, kind === "offline" ? "offline" : kind === "fault" ? "fault" : "usage", what, next);
}

function examineState(folder: string, marker: string | null): Check[] {
  const checks: Check[] = [];
  if (marker === null) {
    checks.push(
      bad(
        "marker",
        "fault",
        ".mdmirror/marker is missing: this may be an empty mount point",
        "mount the disk of the linked folder; or move .mdmirror/ away and link the folder again",
      ),
    );
  }
  const damages = checkFiles(folder);
  for (const damage of damages) {
    const detail =
      "detail" in damage ? damage.detail : `its schema is ${damage.version}, this mdmirror knows ${damage.known}`;
    checks.push(
      bad(
        "state",
        "fault",
        `${damage.file}: ${damage.kind}: ${detail}`,
        "mdmirror sync replaces a damaged file with a new one; nothing is lost",
      ),
    );
  }
  if (damages.length === 0) checks.push(good("state", "it has no damage"));
  return checks;
}

/**
 * Checks the user's hooks, if there are any: the file, and the last result of each hook for this
 * folder.
 */
function checkHooks(root: string, env: Readonly<Record<string, string | undefined>>, now: number): Check[] {
  const file = hooksFileOf(env);
  if (file === null) return [];
  const read = readHooks(env);
  if (read.kind === "trouble") return [bad("hooks", "usage", read.trouble.what, read.trouble.next)];
  const memory = hookMemoryOf(root, env);
  const failed = memory === null ? [] : failedHooks(memory, env);
  if (failed.length === 0)
    return [good("hooks", `${file}: ${read.value.map(({ name }) => name).join(", ") || "none"}`)];
  return failed.map(({ name, event, at, why }) =>
    warn("hooks", `"${name}" failed ${ageText(now - at)} ago on ${event}: ${why}`, `mdmirror hooks test ${name}`),
  );
}

const WAIT_MS = 5_000;

/** Checks whether the service reports its changes: listens until the first bytes of the stream. */
async function checkNews(wire: Wire, key: string): Promise<Check[]> {
  if (wire.stream === undefined) return [];
  const heard = new AbortController();
  const headers = { authorization: `Bearer ${key}`, accept: EVENT_STREAM };
  const bounds = { deadlineMs: WAIT_MS, silenceMs: WAIT_MS, maxBytes: 64 * 1024, signal: heard.signal };
  const end = await wire.stream({ method: "GET", path: EVENTS, headers, body: null }, bounds, () => heard.abort());
  if (heard.signal.aborted) return [good("events", "the service reports its changes")];
  if (end.kind === "answer" && end.response.status === 404)
    return [good("events", "the service reports no changes, so mdmirror asks it for changes regularly")];
  return [note("events", `${whyNone(end)}, so mdmirror polls the service`)];
}

function whyNone(end: StreamEnd): string {
  if (end.kind === "answer") return `they are refused (${end.response.status})`;
  return end.kind === "ended" ? "no event arrives: a proxy may delay the answers" : "no answer came";
}
