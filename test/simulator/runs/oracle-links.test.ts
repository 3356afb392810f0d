import { describe, expect, it } from "vitest";
import type { Actors } from "./actors.ts";
import { actInApp } from "./app-acts.ts";
import { actInFolder } from "./local-acts.ts";
import { checkLocalLinks, checkServiceLinks } from "./oracle-links.ts";
import { ROOT } from "../mirror.ts";
import { create, open, sync } from "./oracle-fixture.ts";
import { linkLine, linksIn } from "./contents.ts";

/** Links in documents and files, which the oracle of links must judge. */

describe("a link to a document whose local version was kept in a conflict", () => {
  const fault = [expect.stringContaining("I01 the link")];

  it.each([
    ["leads to that text where the service refuses it", (_: Actors, mine: string) => mine, []],
    ["does not lead to a text of another document at its path", ({ history }: Actors) => history.newText(7), fault],
  ])("%s", async (_, textAtPath, failures) => {
    const actors = open(["read"], {}, {}, true);
    const { history, simulatedWorld } = actors;
    const [mirror] = actors.mirrors;
    for (const path of ["a.md", "b.md"]) create(actors, path);
    for (const { id } of simulatedWorld.files())
      expect(actInApp(simulatedWorld, history, "link", 1, id)).toContain(" to ");
    const mine = history.newText(5);
    mirror!.disk.user.write(`${ROOT}/a.md`, mine);
    await sync(actors, 0);
    expect(actInFolder(mirror!.userFolder, history, "end-conflict", 3)).toBe(
      "here 0: end-conflict a (theirs).md removed",
    );
    await sync(actors, 0);
    mirror!.disk.user.write(`${ROOT}/a.md`, textAtPath(actors, mine));
    expect(checkLocalLinks(actors, mirror!)).toBe(1);
    expect(history.failures).toEqual(failures);
  });
});

it("a link leads to its document after a conflict, although another document has the former content", async () => {
  const actors = open(["full"], {}, {}, true);
  const { history, simulatedWorld } = actors;
  const [mirror] = actors.mirrors;
  for (const path of ["a.md", "b.md"]) create(actors, path);
  const { id } = simulatedWorld.files().find(({ path }) => path === "b.md")!;
  expect(actInApp(simulatedWorld, history, "link", 1, id)).toContain(" to ");
  const former = simulatedWorld.files().find(({ path }) => path === "a.md")!.text;
  mirror!.disk.user.write(`${ROOT}/a.md`, history.newText(5));
  await sync(actors, 0);
  expect(actInFolder(mirror!.userFolder, history, "end-conflict", 3)).toBe(
    "here 0: end-conflict a (theirs).md removed",
  );
  await sync(actors, 0);
  mirror!.disk.user.write(`${ROOT}/c.md`, former);
  await sync(actors, 0);
  expect(simulatedWorld.files().map(({ path }) => path)).toEqual(["a.md", "b.md", "c.md"]);
  checkServiceLinks(actors);
  checkLocalLinks(actors, mirror!);
  expect(history.failures).toEqual([]);
});

it("a link ends in its line, although an unfinished link in a half-saved file has no end", () => {
  const whole = linkLine("2", "5", "doc_a", 1);
  const text = `mark 1; see [document 4](../b.md#part\r\n\r\n${whole}\r\n`;
  expect(linksIn(text)).toEqual([{ mark: "2", to: "5", said: "doc_a" }]);
});

describe("a link that stays inert", () => {
  const fault = [
    expect.stringContaining("of a.md on the service leads to ref://gone.md"),
    expect.stringContaining("of a.md in mirror 0 leads to gone.md"),
  ];

  it.each([
    ["may, because its document is protected and a key could not read its target", true, true, []],
    ["is a fault if its document is not protected", false, true, fault],
    ["is a fault if each key could always read its target", true, false, fault],
  ])("%s", async (_, isProtected, wasHidden, failures) => {
    const actors = open(["full"], {}, {}, true);
    const { history, simulatedWorld } = actors;
    for (const path of ["a.md", "b.md"]) create(actors, path);
    const [a, b] = simulatedWorld.files();
    expect(actInApp(simulatedWorld, history, "link", 1, a!.id)).toContain(" to ");
    const { changeId, text } = simulatedWorld.files()[0]!;
    const content = text.replace(b!.id, "ref://gone.md");
    expect(simulatedWorld.ask("PUT", `/v1/files/${a!.id}/content`, { baseChangeId: changeId, content })).not.toBeNull();
    expect(simulatedWorld.ask("PATCH", `/v1/files/${a!.id}`, { protected: isProtected })).not.toBeNull();
    if (wasHidden) {
      simulatedWorld.grant(0, "none", 0);
      actors.startSync(0);
      simulatedWorld.grant(0, "full", 0);
    }
    await sync(actors, 0);
    checkServiceLinks(actors);
    checkLocalLinks(actors, actors.mirrors[0]!);
    expect(history.failures).toEqual(failures);
  });
});
