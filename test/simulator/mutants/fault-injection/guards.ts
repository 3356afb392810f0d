import { makeMirrorFolder } from "../../../../src/mirror/local/marker.ts";
import type { Fault } from "../../../variants/variant.ts";
import { ROOT } from "../../mirror.ts";
import { RESTORED } from "./restored.ts";
import { type FaultTest, faultTest, type Stage, textOf } from "./stage.ts";

/**
 * Changes that look like deletions and are none; and deletions that no user would want without
 * approval.
 */

const many = (count: number, folder = "") => Array.from({ length: count }, (_, n) => `${folder}note-${n}.md`);

const HTML: Fault = { status: 502, headers: { "content-type": "text/html" }, body: "<html>bad gateway</html>" };
const problem = (status: number, code: string): Fault => ({
  status,
  headers: { "content-type": "application/problem+json" },
  body: JSON.stringify({ status, code, title: code, detail: "injected", requestId: "req_injected" }),
});

const keepsLocal = (stage: Stage, promise: string, count: number) =>
  stage.expect(`${promise} local files went`, stage.mirror.texts().size === count);
const keepsRemote = (stage: Stage, promise: string, count: number) =>
  stage.expect(`${promise} documents of the service went`, stage.rig.app.files().size === count);

export const GUARDS: readonly FaultTest[] = [
  ...RESTORED,
  faultTest("fifteen of thirty are deleted there", {}, async (stage) => {
    await stage.begin(many(30));
    for (const path of many(15)) stage.rig.app.remove(path);
    const report = await stage.mirror.sync();
    keepsLocal(stage, "I21", 30);
    stage.expect("I21 nobody is asked", report?.state === "stopped");
  }),
  faultTest("fifteen of thirty are deleted locally", {}, async (stage) => {
    await stage.begin(many(30));
    for (const path of many(15)) stage.mirror.disk.user.remove(stage.mirror.path(path));
    await stage.mirror.sync();
    keepsRemote(stage, "I21", 30);
  }),
  faultTest("eight a run are deleted there, run after run", {}, async (stage) => {
    await stage.begin(many(40));
    for (let run = 0; run < 3; run++) {
      for (const path of many(8 * (run + 1)).slice(8 * run)) stage.rig.app.remove(path);
      await stage.mirror.sync();
    }
    stage.expect("I21 more than ten went within an hour", stage.mirror.texts().size >= 30);
  }),
  faultTest("all six are deleted there", {}, async (stage) => {
    await stage.begin(many(6));
    for (const path of many(6)) stage.rig.app.remove(path);
    await stage.mirror.sync();
    keepsLocal(stage, "I21", 6);
  }),
  faultTest("all six are deleted locally", {}, async (stage) => {
    await stage.begin(many(6));
    for (const path of many(6)) stage.mirror.disk.user.remove(stage.mirror.path(path));
    await stage.mirror.sync();
    keepsRemote(stage, "I21", 6);
  }),
  faultTest("the folder is an empty mount point", {}, async (stage) => {
    await stage.begin(many(3));
    const { user } = stage.mirror.disk;
    user.rename(ROOT, `${ROOT}-away`);
    user.makeFolder(ROOT);
    await stage.mirror.sync();
    keepsRemote(stage, "I04", 3);
  }),
  faultTest("the folder is another mirror's", {}, async (stage) => {
    await stage.begin(many(3));
    const { disk } = stage.mirror;
    disk.user.rename(ROOT, `${ROOT}-away`);
    disk.user.makeFolder(ROOT);
    makeMirrorFolder(disk, ROOT, "marker-other");
    await stage.mirror.sync();
    keepsRemote(stage, "I04", 3);
  }),
  faultTest("the folder is another disk, with a copy of one document", {}, async (stage) => {
    await stage.begin(many(3));
    const { user } = stage.mirror.disk;
    user.rename(ROOT, `${ROOT}-away`);
    user.makeFolder(ROOT);
    user.write(stage.mirror.path("note-0.md"), textOf("note-0.md"));
    await stage.mirror.sync();
    keepsRemote(stage, "I04", 3);
  }),
  faultTest("a folder here cannot be read", {}, async (stage) => {
    await stage.begin([...many(3, "shut/"), "open.md"]);
    const { disk, path } = stage.mirror;
    const end = disk.fail({ call: "readdir", path: path("shut"), code: "EACCES" });
    await stage.mirror.sync();
    await stage.mirror.sync();
    keepsRemote(stage, "I04", 4);
    end();
    await stage.settle();
  }),
  faultTest("the key is refused", {}, async (stage) => {
    await stage.begin(many(3));
    stage.befall = () => problem(401, "unauthenticated");
    await stage.mirror.sync();
    keepsLocal(stage, "I19", 3);
    await stage.settle();
  }),
  faultTest("a document is missing in the list, and reading it is forbidden", {}, async (stage) => {
    await stage.begin(many(3));
    stage.befall = (request) =>
      hideOne(stage, request.path) ?? (request.path.includes(stage.id("note-1.md")) ? problem(403, "forbidden") : null);
    await stage.mirror.sync();
    keepsLocal(stage, "I19", 3);
    await stage.settle();
  }),
  faultTest("a document is missing in the list, and there", {}, async (stage) => {
    await stage.begin(many(3));
    stage.befall = ({ path }) => hideOne(stage, path);
    await stage.mirror.sync();
    keepsLocal(stage, "I04", 3);
    await stage.settle();
  }),
  ...["", "/v1/files", "/v1/folders"].map((route) =>
    faultTest(`a later page of ${route === "" ? "every list" : route} fails`, { maxPageSize: 2 }, async (stage) => {
      await stage.begin([...many(5), ...many(3, "box/"), "crate/x.md"]);
      for (const folder of ["empty-1", "empty-2", "empty-3", "empty-4"]) stage.rig.app.makeFolder(folder);
      await stage.mirror.sync();
      const folders = () =>
        ["empty-1", "empty-2", "empty-3", "empty-4"].filter((one) =>
          stage.mirror.disk.user.exists(stage.mirror.path(one)),
        );
      stage.befall = ({ path }) => (path.startsWith(route) && path.includes("cursor=") ? HTML : null);
      await stage.mirror.sync();
      keepsLocal(stage, "I20", 9);
      stage.expect("I20 empty folders went", folders().length === 4);
      await stage.settle();
    }),
  ),
  faultTest("lists come in pages, and some pages are empty", { maxPageSize: 2 }, async (stage) => {
    await stage.begin(many(7));
    stage.expect("I20 some documents were not seen", stage.mirror.texts().size === 7);
    await stage.settle();
  }),
  faultTest("an editor is between the two steps of a save", {}, async (stage) => {
    await stage.begin(many(3));
    const { mirror, rig } = stage;
    const at = mirror.path("note-0.md");
    const { sleep } = rig.clock;
    mirror.disk.user.remove(at);
    rig.clock.sleep = (ms, signal) => {
      if (ms === 2_000 && !mirror.disk.user.exists(at)) mirror.disk.user.write(at, `${textOf("note-0.md")}saved\n`);
      return sleep(ms, signal);
    };
    await mirror.sync();
    rig.clock.sleep = sleep;
    stage.expect("I04 one look was enough to delete", rig.app.files().get("note-0.md")?.id === stage.id("note-0.md"));
  }),
];

/** Returns the list without one of its documents, as a list that is read during a move may be. */
function hideOne(stage: Stage, path: string): Fault | null {
  if (!/^\/v1\/files(?:\?|$)/.test(path)) return null;
  const { json } = stage.rig.app.call("GET", path);
  const page = json as { data: { id: string }[] };
  const data = page.data.filter(({ id }) => id !== stage.id("note-1.md"));
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ ...page, data }) };
}
