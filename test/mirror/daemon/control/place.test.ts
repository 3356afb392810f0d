import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  chooseSocketPath,
  removeSocketPath,
  writeSocketPath,
} from "../../../../src/mirror/daemon/control/choose-socket.ts";
import { readSocketPath } from "../../../../src/mirror/daemon/control/socket-path.ts";
import { answering, dir, env, folder, listening, placed, root, useFolders } from "./rig.ts";

useFolders();

describe("the place of the socket", () => {
  test("is twelve hex digits in the runtime folder, the same for the same root", () => {
    expect(placed()).toMatch(new RegExp(`^${dir}/mdmirror/[0-9a-f]{12}\\.sock$`));
    expect(placed()).toBe(placed());
    expect(chooseSocketPath(join(dir, "other"), { env: env() })).not.toEqual({ kind: "ok", value: placed() });
  });

  test("takes the next folder if one is too long for a socket, or open to others", () => {
    const long = join(dir, "x".repeat(90));
    const shared = join(dir, "shared");
    mkdirSync(shared, { mode: 0o777 });
    chmodSync(shared, 0o777);
    const good = join(dir, "good");
    const place = chooseSocketPath(root, { env: {}, folders: [long, shared, good] });
    expect(place).toMatchObject({ kind: "ok" });
    expect(place.kind === "ok" && dirname(place.value)).toBe(good);
    expect(existsSync(long)).toBe(false);
  });

  test.each([
    ["linux", 107, true],
    ["linux", 108, false],
    ["darwin", 103, true],
    ["darwin", 104, false],
  ] as const)("on %s a path of %i bytes is short enough: %s", (platform, bytes, fits) => {
    const name = "/0123456789ab.sock";
    const exact = join(dir, "x".repeat(bytes - dir.length - 1 - name.length));
    const other = join(dir, "other");
    const place = chooseSocketPath(root, { env: {}, folders: [exact, other], platform });
    expect(place.kind === "ok" && dirname(place.value)).toBe(fits ? exact : other);
    expect(place.kind === "ok" && fits ? place.value.length : bytes).toBe(bytes);
  });

  test("is trouble where there is none, and says what to set", () => {
    const place = chooseSocketPath(root, { env: {}, folders: [join(dir, "x".repeat(90))] });
    expect(place).toMatchObject({ kind: "trouble", trouble: { kind: "fault" } });
    expect(JSON.stringify(place)).toContain("XDG_RUNTIME_DIR");
  });

  test.each<[string, (socket: string) => void]>([
    ["its folder was opened to others", (socket) => chmodSync(dirname(socket), 0o755)],
    ["it is no JSON", () => writeFileSync(join(folder, "daemon.json"), "{")],
    [
      "it names a file that is no socket",
      (socket) => writeSocketPath(folder, { socket: `${socket}.txt`, pid: 1, since: 0 }),
    ],
    ["it names a relative path", () => writeSocketPath(folder, { socket: "w.sock", pid: 1, since: 0 })],
    ["it was removed", () => removeSocketPath(folder)],
  ])("is not trusted when %s", async (_name, change) => {
    const { socket } = await listening(answering);
    writeFileSync(`${socket}.txt`, "");
    expect(readSocketPath(folder)).not.toBeNull();
    change(socket);
    expect(readSocketPath(folder)).toBeNull();
  });
});
