import { chmodSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";

const rig = useRig();

/** Every file of `.mdmirror` but the key's own, as bytes. */
function filesWith(secret: string): string[] {
  const folder = join(rig.root, ".mdmirror");
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => {
    const whole = join(folder, path);
    return path !== "key" && statSync(whole).isFile() && readFileSync(whole).includes(secret);
  });
}

describe("I30 the key", () => {
  test("is in no output and no file but .mdmirror/key, with any error of a command", async () => {
    rig.createRemotely("a.md", "a\n");
    await rig.init();
    rig.write("b.md", "b\n");
    // A text that holds the key is the user's own matter; a name that does is not made of it here.
    const env = { MDMIRROR_LOG: "debug", MDMIRROR_API_KEY: rig.key };
    for (const argv of [
      ["sync", "w"],
      ["sync", "w", "--json"],
      ["plan", "w", "--json"],
      ["status", "w", "--json"],
      ["doctor", "w", "--json"],
      ["protect", "w/a.md"],
      ["approve", "w"],
      ["fix-names", "w"],
      ["init", "w"],
    ]) {
      await rig.run(argv, { env });
    }
    for (const { id } of rig.service.admin.keys()) rig.service.admin.setGrants(id, [{ on: null, level: "read" }]);
    rig.write("b.md", "refused\n");
    await rig.run(["sync", "w"], { env });
    for (const { id } of rig.service.admin.keys()) rig.service.admin.removeKey(id);
    await rig.run(["sync", "w"], { env });
    await rig.stopService();
    await rig.run(["sync", "w"], { env });
    await rig.run(["doctor", "w"], { env });
    expect(rig.printed.length).toBeGreaterThan(30);
    expect(rig.printed.filter((line) => line.includes(rig.key))).toEqual([]);
    expect(filesWith(rig.key)).toEqual([]);
    // Proves that the search would find the key: the log exists, and does not contain the key.
    expect(readFileSync(join(rig.root, ".mdmirror/log/mdmirror.log"), "utf8")).toContain("remote.exchange");
  });

  test("is refused from a stored file that others may read, with the command that corrects it", async () => {
    await rig.init();
    chmodSync(join(rig.root, ".mdmirror/key"), 0o640);
    const { code, err } = await rig.run(["sync", "w"]);
    expect(code).toBe(2);
    expect(err[0]).toMatch(
      /^mdmirror: other users may read .*\.mdmirror\/key \(mode 640\), so mdmirror does not use the key in it$/,
    );
    expect(err[1]).toMatch(/^ {2}next: chmod 600 /);
    expect(err.join()).not.toContain(rig.key);
  });

  test("comes from --key-file before MDMIRROR_API_KEY before the stored one", async () => {
    await rig.init();
    const wrong = join(rig.dir, "wrong");
    writeFileSync(wrong, "mdm_wrong\n");
    expect((await rig.run(["sync", "w"], { env: { MDMIRROR_API_KEY: "mdm_wrong" } })).code).toBe(5);
    expect((await rig.run(["sync", "w", "--key-file", wrong], { env: { MDMIRROR_API_KEY: rig.key } })).code).toBe(5);
    expect(
      (await rig.run(["sync", "w", "--key-file", rig.keyFile], { env: { MDMIRROR_API_KEY: "mdm_wrong" } })).code,
    ).toBe(0);
    unlinkSync(join(rig.root, ".mdmirror/key"));
    expect((await rig.run(["sync", "w"])).err).toEqual([
      "mdmirror: there is no API key",
      "  next: give one with --key-file FILE, or in MDMIRROR_API_KEY; mdmirror init stores it",
    ]);
  });
});
