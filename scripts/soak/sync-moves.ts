/**
 * Edits, a folder of 200 files renamed, a swap and a deletion, on each side, against each kind of
 * deployment.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProfileName } from "../../test/variants/profiles.ts";
import type { Variant } from "../../test/variants/variant.ts";
import { differences, type Fixture, line, localTree, openFixture, remoteTree, runToEnd } from "./sync-fixture.ts";

const VARIANTS: readonly (readonly [string, Variant])[] = [
  ["nothing else", {}],
  ["no leading slashes, documented members alone", { noLeadingSlashes: true, documentedMembersOnly: true }],
  ["no folder PATCH or DELETE (405)", { noFolderPatchOrDelete: 405 }],
  ["no such folder route (404)", { noFolderPatchOrDelete: 404 }],
  ["change ids move on rename, unknown members", { changeIdMovesOnRename: true, unknownMembers: true }],
  ["pages of 7", { maxPageSize: 7 }],
  ["texts normalised on save", { normalise: true }],
];

const DOCUMENTS = 205;

const text = (name: string) =>
  `# ${name}\n\n${Array.from({ length: 6 }, (_, n) => `Paragraph ${n} of ${name}.\n`).join("\n")}`;

/** @param profile the one in use; with `deployed`, single traits as well */
export async function proveMoves(profile: ProfileName): Promise<void> {
  for (const [name, variant] of profile === "deployed" ? VARIANTS : [[`the profile ${profile}`, {}] as const]) {
    const fixture = await openFixture(variant, undefined, DOCUMENTS);
    const notes = join(fixture.folder, "notes");
    mkdirSync(join(notes, "two-hundred"), { recursive: true });
    for (let n = 0; n < 200; n++) writeFileSync(join(notes, `two-hundred/doc-${n}.md`), text(`doc ${n}`));
    for (const one of ["edit", "swap-a", "swap-b", "delete", "keep"])
      writeFileSync(join(notes, `${one}.md`), text(one));
    await expectOk(fixture, ["init", notes, "--url", fixture.server.url, "--yes"]);
    await expectOk(fixture, ["sync", notes]);
    await provePass(fixture, notes, `here, ${name}`, actHere);
    await provePass(fixture, notes, `there, ${name}`, actThere);
    await fixture.end();
  }
}

async function provePass(
  fixture: Fixture,
  notes: string,
  name: string,
  act: (fixture: Fixture, notes: string) => Promise<ReadonlyMap<string, string>>,
): Promise<void> {
  const before = await remoteTree(fixture);
  const expected = await act(fixture, notes);
  fixture.writes.length = 0;
  await expectOk(fixture, ["sync", notes]);
  const writes = fixture.writes.length;
  const after = await remoteTree(fixture);
  const differing = differences(localTree(notes), after);
  const lost = [...expected].filter(
    ([was, is]) => before.get(was)?.id !== after.get(is)?.id || after.get(is) === undefined,
  );
  line(
    `edit, folder of 200 renamed, swap, delete ${name}`,
    `${writes} write requests, ${expected.size - lost.length}/${expected.size} ids kept, ${after.size} documents, ${differing.length} differ`,
    lost.length === 0 && differing.length === 0,
  );
  fixture.writes.length = 0;
  const second = await runToEnd(fixture, ["sync", notes, "--json"]);
  line(
    `  a second sync ${name}`,
    `${fixture.writes.length} writes, exit ${second.code}`,
    fixture.writes.length === 0 && second.code === 0,
  );
}

/** @returns path before → path after of every document that must keep its id */
async function moved(fixture: Fixture, from: string, to: string, swap: boolean): Promise<Map<string, string>> {
  const expected = new Map<string, string>();
  for (const path of (await remoteTree(fixture)).keys()) {
    if (path.startsWith(`${from}/`)) expected.set(path, `${to}${path.slice(from.length)}`);
    else if (swap && path === "swap-a.md") expected.set(path, "swap-b.md");
    else if (swap && path === "swap-b.md") expected.set(path, "swap-a.md");
    else if (!path.startsWith("delete")) expected.set(path, path);
  }
  return expected;
}

async function actHere(fixture: Fixture, notes: string): Promise<ReadonlyMap<string, string>> {
  const expected = await moved(fixture, "two-hundred", "renamed", true);
  const at = (path: string) => join(notes, path);
  writeFileSync(at("edit.md"), readFileSync(at("edit.md"), "utf8").replace("Paragraph 2", "EDITED HERE 2"));
  renameSync(at("two-hundred"), at("renamed"));
  renameSync(at("swap-a.md"), at("swap-t.md"));
  renameSync(at("swap-b.md"), at("swap-a.md"));
  renameSync(at("swap-t.md"), at("swap-b.md"));
  rmSync(at("delete.md"));
  writeFileSync(at("delete-2.md"), text("delete 2"));
  return expected;
}

async function actThere(fixture: Fixture): Promise<ReadonlyMap<string, string>> {
  const expected = await moved(fixture, "renamed", "again", true);
  const tree = await remoteTree(fixture);
  const must = async (method: string, path: string, body?: object) => {
    const answer = await fixture.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return answer.body === ""
      ? {}
      : (JSON.parse(answer.body) as { content: string; lastChangeId: string; data: { id: string }[] });
  };
  const id = (path: string) => tree.get(path)!.id;
  const edited = (await must("GET", `/v1/files/${id("edit.md")}`)) as { content: string; lastChangeId: string };
  await must("PUT", `/v1/files/${id("edit.md")}/content`, {
    baseChangeId: edited.lastChangeId,
    content: edited.content.replace("Paragraph 4", "EDITED THERE 4"),
  });
  const folder = ((await must("GET", "/v1/folders?path=renamed")) as { data: { id: string }[] }).data[0]!.id;
  await must("PATCH", `/v1/folders/${folder}`, { name: "again" });
  await must("PATCH", `/v1/files/${id("swap-a.md")}`, { name: "swap-t.md" });
  await must("PATCH", `/v1/files/${id("swap-b.md")}`, { name: "swap-a.md" });
  await must("PATCH", `/v1/files/${id("swap-a.md")}`, { name: "swap-b.md" });
  await must("DELETE", `/v1/files/${id("delete-2.md")}`);
  return expected;
}

async function expectOk(fixture: Fixture, args: readonly string[]): Promise<void> {
  const ran = await runToEnd(fixture, args);
  if (ran.code !== 0) line(`mdmirror ${args[0]}`, `exit ${ran.code}: ${ran.out.trim()}`, false);
}
