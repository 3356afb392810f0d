import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { HostOptions } from "../../folder/open-mirror.ts";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { checkFiles } from "../../state/damage.ts";
import { readConfig } from "../../settings/config.ts";
import { findKey } from "../../settings/key.ts";
import { openDisk } from "../../folder/open-local.ts";
import type { Result } from "../../../common/trouble.ts";
import { openWire, parseRoute } from "../../trust/connect.ts";
import { admit } from "../../trust/gate.ts";
import { makeBad, type DoctorCheck, makeGood, makeNote } from "./check.ts";
import { checkDisk, checkNeighbours, checkWatches, checkHistory } from "./disk.ts";
import { checkService } from "./service.ts";
import { checkTraits } from "./traits.ts";

type ExamineOptions = HostOptions & { readonly keyFile: string | null };

/** Runs each check of `doctor` separately, so that an error in one check hides no other result. */
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
    ...checkWatches(
      disk.walk(
        () => null,
        () => undefined,
      ).folders.size,
    ),
    ...checkNeighbours(root),
  ];
}

async function examineConnection(root: string, { env, cwd, keyFile, clock }: ExamineOptions): Promise<DoctorCheck[]> {
  const folder = join(root, MIRROR_FOLDER);
  const config = readConfig(folder);
  if (config.kind === "trouble") return [makeBadCheck("config", config)];
  const admission = admit(root, config.value, { mode: "read", env, cwd, keyFile });
  if (admission.kind === "trouble") {
    const about = admission.trouble.code === "untrusted" ? "trust" : "config";
    return [makeBadCheck(about, admission)];
  }
  const { origin, notes } = admission.value;
  const trustNotes = notes.map((text) => makeNote("trust", text));
  const foundKey = findKey({ folder, keyFile, cwd, env, origin });
  if (foundKey.kind === "trouble")
    return [makeGood("config", "it can be read"), ...trustNotes, makeBadCheck("key", foundKey)];
  const wire = openWire(origin);
  try {
    const { key, from } = foundKey.value;
    return [
      makeGood("config", "it can be read"),
      ...trustNotes,
      makeGood("key-source", from === "stored" ? ".mdmirror/key, which nobody else may read" : from),
      ...(await checkService(wire, key, { origin: new URL(origin.url).origin, route: parseRoute(origin.url) }, clock)),
    ];
  } finally {
    await wire.close();
  }
}

function makeBadCheck(about: string, result: Extract<Result<unknown>, { kind: "trouble" }>): DoctorCheck {
  const { kind, what, next } = result.trouble;
  return makeBad(about, kind, what, next);
}

function examineState(folder: string, marker: string | null): DoctorCheck[] {
  const missingCheck = makeBad(
    "marker",
    "fault",
    ".mdmirror/marker is missing: this may be an empty mount point",
    "mount the disk of the linked folder; or move .mdmirror/ away and link the folder again",
  );
  const damages = checkFiles(folder).map((damage) => {
    const detail =
      "detail" in damage ? damage.detail : `its schema is ${damage.version}, this mdmirror knows ${damage.known}`;
    const nextStep = "mdmirror sync replaces a damaged file with a new one; nothing is lost";
    return makeBad("state", "fault", `${damage.file}: ${damage.kind}: ${detail}`, nextStep);
  });
  const state = damages.length > 0 ? damages : [makeGood("state", "it has no damage")];
  return marker === null ? [missingCheck, ...state] : state;
}
