import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { linkMirror } from "../../src/lib/index.ts";
import { errorOf, makeLibRig } from "./rig.ts";

/** Arguments of a program without type checks. */

it("no document is named by anything but a path", async () => {
  const { mirror, write, read } = await makeLibRig();
  for (const text of ["one\n", "two\n"]) {
    write("a.md", text);
    await mirror.sync();
  }
  for (const path of [undefined, null, "", 5, {}, []] as unknown as string[])
    for (const call of [
      mirror.restore({ paths: [path], n: 1 }),
      mirror.restore({ paths: [path] }),
      mirror.show({ path }),
      mirror.history({ path }),
      mirror.diff({ path, n: 1 }),
      mirror.resolve({ paths: [path], way: "mine" }),
    ])
      expect([path, await errorOf(call)]).toMatchObject([path, { kind: "usage", code: "usage" }]);
  expect(read("a.md")).toBe("two\n");
});

const odd = (value: unknown) => value as never;

it("what else is not what it must be is named, and changes nothing", async () => {
  const { mirror, write, read } = await makeLibRig();
  write("a.md", "one\n");
  await mirror.sync();
  for (const call of [
    mirror.restore({ paths: ["a.md"], n: 0 }),
    mirror.show({ path: "a.md", n: odd("1") }),
    mirror.restore({ paths: odd("a.md") }),
    mirror.restore({ paths: ["a.md"], asOf: odd(new Date("no date")) }),
    mirror.restore(odd({ paths: ["a.md"], version: 1 })),
    mirror.restore(odd(undefined)),
    mirror.resolve(odd({ paths: ["a.md"] })),
    mirror.resolve({ paths: ["a.md"], way: odd("both") }),
    mirror.resolve(odd("mine")),
  ])
    expect(await errorOf(call)).toMatchObject({ kind: "usage", message: expect.stringMatching(/ is not /) });
  expect(read("a.md")).toBe("one\n");
});

it("an unknown direction is refused: nothing is sent, and no folder is linked", async () => {
  const { mirror, service, dir, options, write } = await makeLibRig();
  write("a.md", "not sent\n");
  const target = { url: service.url, key: service.key, ...options };
  for (const call of [
    mirror.sync({ direction: odd("pull-only") }),
    linkMirror(join(dir, "other"), { ...target, direction: odd("pull-only") }),
  ])
    expect(await errorOf(call)).toMatchObject({ kind: "usage", code: "usage" });
  expect((await mirror.plan()).steps).toMatchObject([{ path: "a.md" }]);
  expect(existsSync(join(dir, "other"))).toBe(false);
});

it("an empty list of folders links nothing, and a list of one keeps the folder's path", async () => {
  const { service, dir, options } = await makeLibRig();
  const link = (name: string, remote: readonly string[]) =>
    linkMirror(join(dir, name), { url: service.url, key: service.key, remote, ...options });
  expect(await errorOf(link("none", []))).toMatchObject({ kind: "usage", code: "usage" });
  expect(existsSync(join(dir, "none"))).toBe(false);
  const mirror = await link("one", ["guides"]);
  onTestFinished(() => mirror.close());
  expect((await mirror.status()).remote).toEqual(["guides"]);
});
