import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type Serving, startService } from "../../src/service/serve.ts";
import { openData } from "../../src/service/data.ts";
import { TEST_CERT, TEST_KEY } from "../service/tls-fixture.ts";
import { useRig } from "./rig.ts";

const rig = useRig();
let data: string;
beforeEach(async () => {
  data = join(rig.dir, "data");
  await (await openData(data)).close();
});

const admin = (...argv: string[]) => rig.run(["serve", "admin", ...argv, "--data", "data"]);
const serve = async (more: Partial<Parameters<typeof startService>[0]> = {}): Promise<Serving> => {
  const common = { data, host: "127.0.0.1", port: 0, tls: null, insecureHttp: false, onFault: () => undefined };
  const started = await startService({ ...common, ...more });
  if (started.kind === "trouble") throw new Error(started.trouble.what);
  return started.value;
};
describe("which service", () => {
  test("a folder that is no service's is left as it is", async () => {
    mkdirSync(join(rig.dir, "other"));
    const ran = await rig.run(["serve", "admin", "keys", "--data", "other"]);
    expect([ran.code, ran.err[0]]).toEqual([2, expect.stringContaining("(ENOENT)")]);
    expect(existsSync(join(rig.dir, "other/admin-key"))).toBe(false);
  });

  test("the address is for this user alone, goes at the end, and a dead service's is seen through", async () => {
    const serving = await serve();
    const address = join(data, "address");
    expect(statSync(address).mode & 0o777).toBe(0o600);
    const left = readFileSync(address, "utf8");
    await serving.close();
    expect(existsSync(address)).toBe(false);
    // This process lives, and holds nothing: a number that was given anew.
    writeFileSync(address, left, { mode: 0o600 });
    expect((await admin("keys")).code).toBe(0);
    expect(existsSync(address)).toBe(false);
  });

  test("one with a certificate, or beyond this machine, is reached by a door that leads to /admin alone", async () => {
    const [certFile, keyFile] = [join(rig.dir, "c.pem"), join(rig.dir, "k.pem")];
    writeFileSync(certFile, TEST_CERT);
    writeFileSync(keyFile, TEST_KEY);
    const serving = await serve({ tls: { certFile, keyFile } });
    const door = JSON.parse(readFileSync(join(data, "address"), "utf8")).url;
    const headers = { "x-api-key": serving.key };
    const statuses = [];
    for (const path of ["/v1/files", "/admin/keys", "/"]) statuses.push((await fetch(door + path, { headers })).status);
    const ran = await admin("keys");
    await serving.close();
    expect([new URL(door).hostname, statuses, ran.code]).toEqual(["127.0.0.1", [404, 401, 404], 0]);
  });

  test("one on another machine takes its URL and admin key, over plain http only where that is said", async () => {
    const serving = await serve();
    const there = ["--url", serving.url, "--admin-key-file", serving.adminKeyFile];
    const ask = (...argv: string[]) => rig.run(["serve-admin", "keys", ...argv]);
    expect((await ask(...there)).code).toBe(0);
    const refused = await ask("--url", serving.url, "--admin-key-file", serving.keyFile);
    expect(refused.code).toBe(5);
    await serving.close();
    const gone = await ask(...there);
    expect(gone.code).toBe(5);
    const plain = await ask("--url", "http://192.0.2.1", "--admin-key-file", serving.adminKeyFile);
    expect([plain.code, plain.err[0]]).toEqual([2, expect.stringContaining("plain http would show the key")]);
    expect((await ask("--url", serving.url)).err[0]).toContain("--url and --admin-key-file go together");
  });
});
