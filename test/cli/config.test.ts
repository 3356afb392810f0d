import { describe, expect, test } from "vitest";
import { listSettings } from "../../src/mirror/settings/settings.ts";
import { snapshot } from "../temporary-folder.ts";
import { isChange, useWatchedFolder } from "./watch-rig.ts";

const watched = useWatchedFolder();
const run = (...argv: string[]) => watched.rig.run(["config", ...argv]);
const settings = () => JSON.parse(watched.rig.read(".mdmirror/config.json")) as Record<string, unknown>;

describe("config", () => {
  test("I23 list shows every setting with its value, and get one of them; neither writes anything", async () => {
    const before = snapshot(watched.rig.root);
    const { out, code } = await run("list", "w");
    const shown = listSettings().map(({ name }) => out.some((line) => line.startsWith(`${name}: `)));
    expect([code, shown.includes(false)]).toEqual([0, false]);
    expect(out).toContain(`url: ${watched.rig.url}`);
    expect(out).toContain("events.pollEvery: 60s (default)");
    expect((await run("get", "events.pollEvery", "w")).out).toEqual(["60s"]);
    expect(await watched.rig.json(["config", "get", "gitignore", "w"])).toEqual({
      exit: 0,
      name: "gitignore",
      value: false,
    });
    expect(snapshot(watched.rig.root)).toEqual(before);
  });

  test("set writes a word, a number or JSON, and unset restores the default", async () => {
    for (const [name, text] of [
      ["conflicts", "copy"],
      ["polling.requestsPerMinute", "30"],
      ["allowHttp", '["nas.local"]'],
    ] as const)
      expect((await run("set", name, text, "w")).code).toBe(0);
    expect(settings()).toMatchObject({
      conflicts: "copy",
      polling: { requestsPerMinute: 30 },
      allowHttp: ["nas.local"],
    });
    expect((await run("unset", "polling.requestsPerMinute", "w")).out).toEqual([
      "polling.requestsPerMinute is now 60, the default",
    ]);
    expect(settings()).toMatchObject({ conflicts: "copy", polling: {} });
  });

  test("set and unset correct a value that no other command accepts", async () => {
    const valid = settings();
    for (const argv of [
      ["set", "names", "map"],
      ["unset", "names"],
    ]) {
      watched.rig.write(".mdmirror/config.json", JSON.stringify({ ...valid, names: "no word" }));
      expect((await run("list", "w")).code).toBe(2);
      expect((await run(...argv, "w")).code).toBe(0);
      expect((await run("get", "names", "w")).out).toEqual(["map"]);
    }
    watched.rig.write(".mdmirror/config.json", "{");
    expect((await run("unset", "names", "w")).code).toBe(2);
    expect(watched.rig.read(".mdmirror/config.json")).toBe("{");
  });

  test.each([
    [["set", "event.listen", "false"], 'did you mean "events.listen"?'],
    [["set", "gitignore", "maybe"], "gitignore must be true or false"],
    [["set", "conflicts", '[{"paths":"*","policy":"mine"}]'], "conflicts[0].policy must be one of"],
    [["set", "url", "https://example.org"], "url is not changed in the configuration alone"],
    [["set", "remote", "other"], "remote is not changed in the configuration alone"],
    [["set", "key", "mdm_secret"], '"key" is not a setting'],
    [["set", "gitignore"], "set takes NAME and VALUE"],
    [["get", "gitignore", "w", "w"], "get takes no more than DIR"],
    [["put", "gitignore"], '"put" is unknown'],
  ])("%j is refused, changes nothing and repeats no value", async (argv, why) => {
    const before = settings();
    const { code, out, err } = await watched.rig.run(["config", ...argv], { cwd: watched.rig.root });
    expect([code, out, err[0]]).toEqual([2, [], expect.stringContaining(why)]);
    expect(err.at(-1)).toMatch(/^ {2}next: /);
    expect(err.join("\n")).not.toContain("mdm_secret");
    expect(settings()).toEqual(before);
  });

  test("a running daemon lends the folder and continues with the new value", async () => {
    const watch = await watched.watchingHere();
    const from = watch.events.length;
    expect((await run("set", "names", "block", "w")).code).toBe(0);
    await watch.until(({ kind }) => kind === "returned", from);
    watched.rig.write("My note.md", "not sent\n");
    watched.rig.write("b.md", "sent\n");
    await watch.until(isChange("b.md"));
    expect((await watched.rig.json(["status", "w"])).exit).toBe(3);
    expect(watched.rig.remote("My-note.md")).toBeNull();
  });
});
