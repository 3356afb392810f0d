import { describe, expect, test } from "vitest";
import { ADMIN_KEY } from "../fixture.ts";
import { type Browser, HOST, openRig, text } from "./fixture.ts";

const ORIGIN = `http://${HOST}`;
const FORM = "application/x-www-form-urlencoded";
/** Headers of a form that the sign-in page sends. */
const OWN_FORM = { host: HOST, origin: ORIGIN, "content-type": FORM };

/** Every page and form, so that the tests forget none. */
const READS = ["/app", "/app/keys", "/app/keys/new", "/app/reviews", "/app/reviews/chg_1", "/app/sign-out"];
const WRITES = ["/app/keys", "/app/keys/key_1", "/app/keys/key_1/revoke", "/app/reviews/chg_1/accept"];
const MORE_WRITES = ["/app/reviews/chg_1/reject", "/app/workspaces", "/app/workspaces/wsp_1/state"];
const FORMS = [...WRITES, ...MORE_WRITES, "/app/workspaces/wsp_1/remove", "/app/sign-out"];

describe("a request", () => {
  test.each([
    ["another name", "evil.example"],
    ["a name that means this machine now", "evil.example:8420"],
    ["no port", "127.0.0.1"],
    ["another port", "127.0.0.1:1"],
    ["an address that is written otherwise", "127.1:8420"],
    ["a dot at its end", "localhost.:8420"],
    ["nothing", ""],
  ])("for a Host of %s is refused, signed in or not", async (_what, host) => {
    const { ask, signIn } = await openRig();
    const { cookie } = await signIn();
    for (const path of [...READS, "/app/sign-in", "/app/assets/1-page.js", "/app/nothing"]) {
      const answer = await ask("GET", path, { host, cookie });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(text(answer)).toContain("is for another host");
    }
  });

  test("for each name of loopback is answered; for the host that it was started with, too", async () => {
    const { ask } = await openRig();
    for (const name of ["127.0.0.1", "localhost", "[::1]"])
      expect((await ask("GET", "/app/sign-in", { host: `${name}:8420` })).status).toBe(200);
    const named = await openRig({ scheme: "https", host: "notes.example", port: 443 });
    for (const host of ["notes.example", "notes.example:443", "localhost"])
      expect((await named.ask("GET", "/app/sign-in", { host })).status).toBe(200);
    const everywhere = await openRig({ host: "0.0.0.0" });
    expect((await everywhere.ask("GET", "/app/sign-in", { host: "0.0.0.0:8420" })).status).toBe(403);
  });

  test("by a proxy is answered under its name alone, and its cookie is for TLS", async () => {
    const rig = await openRig({ proxy: "https://notes.example" });
    const headers = { host: "notes.example", origin: "https://notes.example" };
    const { cookie } = await rig.signIn(ADMIN_KEY, { headers });
    expect(cookie).toMatch(/^__Secure-mdmirror-8420=/);
    expect((await rig.ask("GET", "/app/keys", { ...headers, cookie })).status).toBe(200);
    const plain = { ...headers, origin: "http://notes.example", cookie };
    expect((await rig.ask("GET", "/app/keys", plain)).status).toBe(403);
    expect((await rig.ask("GET", "/app/keys", { host: "other.example", cookie })).status).toBe(403);
  });

  test.each([
    [{ origin: "http://evil.example" }],
    [{ origin: "null" }],
    [{ origin: `https://${HOST}` }],
    [{ "sec-fetch-site": "cross-site" }],
    [{ "sec-fetch-site": "same-site" }],
  ])("that says %o is refused, to read and to write", async (headers) => {
    const { ask, signIn } = await openRig();
    const { cookie, csrf } = await signIn();
    const own = { host: HOST, cookie, ...headers };
    for (const path of READS) expect((await ask("GET", path, own)).status).toBe(403);
    const form = { origin: ORIGIN, ...own, "content-type": FORM };
    for (const path of FORMS) expect((await ask("POST", path, form, `csrf=${csrf}`)).status).toBe(403);
    expect((await ask("POST", "/app/sign-in", form, `key=${ADMIN_KEY}`)).headers["set-cookie"]).toBeUndefined();
  });

  test("to write that does not say where it comes from is refused", async () => {
    const { ask, signIn } = await openRig();
    const { cookie, csrf } = await signIn();
    for (const path of [...FORMS, "/app/sign-in"])
      expect((await ask("POST", path, { host: HOST, cookie, "content-type": FORM }, `csrf=${csrf}`)).status).toBe(403);
  });

  test("of nobody who is signed in is shown the way in, and does nothing", async () => {
    const { ask } = await openRig();
    for (const cookie of ["", "mdmirror-service-8420=", "mdmirror-service-8420=x", "other=1"]) {
      for (const path of [...READS, "/app/w/wsp_1/files/", "/app/w/wsp_1/files/a.md"]) {
        const { status, headers } = await ask("GET", path, { host: HOST, cookie });
        expect([path, status, headers["location"]]).toEqual([path, 303, "/app/sign-in"]);
      }
      for (const path of FORMS) expect((await ask("POST", path, { ...OWN_FORM, cookie }, "x=1")).status).toBe(401);
    }
  });

  test("with a token that is wrong, missing, or another session's does nothing", async () => {
    const { ask, signIn, service } = await openRig();
    const { cookie } = await signIn();
    const others = (await signIn()).csrf;
    const headers = { ...OWN_FORM, cookie };
    for (const path of FORMS)
      for (const sent of ["", "csrf=", "csrf=x", `csrf=${others}`]) {
        const answer = await ask("POST", path, headers, `${sent}&name=made&state=closed`);
        expect([path, sent, answer.status]).toEqual([path, sent, 403]);
        expect(text(answer)).toContain("nothing was done");
      }
    expect(await service.admin.workspaces()).toHaveLength(1);
  });

  test("by another method, with another body, or to a form by GET does nothing", async () => {
    const { ask, signIn } = await openRig();
    const { cookie, csrf } = await signIn();
    const headers = { host: HOST, origin: ORIGIN, cookie };
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
      expect((await ask(method, "/app/keys", headers)).status).toBe(405);
    const json = { ...headers, "content-type": "application/json" };
    expect((await ask("POST", "/app/workspaces", json, JSON.stringify({ csrf, name: "x" }))).status).toBe(415);
    expect((await ask("GET", `/app/workspaces?csrf=${csrf}&name=x`, headers)).status).toBe(404);
    expect((await ask("POST", "/app/sign-in", OWN_FORM, `key=${"x".repeat(9_000)}`)).status).toBe(413);
  });
});

describe("signing in", () => {
  test("gives a cookie that no script reads and no other site sends, for these pages alone", async () => {
    const { ask } = await openRig();
    const { status, headers: got } = await ask("POST", "/app/sign-in", OWN_FORM, `key=${ADMIN_KEY}`);
    expect([status, got["location"]]).toEqual([303, "/app"]);
    expect(got["set-cookie"]).toMatch(/^mdmirror-service-8420=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/app$/);
    const secure = await (await openRig({ scheme: "https" })).ask(
      ...(["POST", "/app/sign-in", { ...OWN_FORM, origin: `https://${HOST}` }, `key=${ADMIN_KEY}`] as const),
    );
    expect(secure.headers["set-cookie"]).toMatch(/^__Secure-mdmirror-8420=.*; Path=\/app; Secure$/);
  });

  test("with a wrong key shows nothing of it, and is slowed from where it came; the right key is let in", async () => {
    const rig = await openRig();
    const enter = (key: string, from?: string) => rig.ask("POST", "/app/sign-in", OWN_FORM, `key=${key}`, from);
    for (let i = 0; i < 10; i++) {
      const answer = await enter(`mdm_wrong_${i}`);
      expect([answer.status, text(answer).includes("mdm_wrong")]).toEqual([401, false]);
    }
    const slowed = await enter("mdm_wrong_10");
    expect([slowed.status, slowed.headers["retry-after"]]).toEqual([429, "6"]);
    for (const key of [ADMIN_KEY, rig.key]) expect((await enter(key)).status).toBe(303);
    expect((await enter("mdm_wrong_11")).status).toBe(429);
    expect((await enter("mdm_wrong_11", "192.0.2.2")).status).toBe(401);
    rig.clock.now += 6_000;
    expect([(await enter("mdm_wrong_12")).status, (await enter("mdm_wrong_13")).status]).toEqual([401, 429]);
  });

  test("with many wrong keys together is slowed all the same", async () => {
    const rig = await openRig();
    const tries = Array.from({ length: 12 }, (_, n) => rig.ask("POST", "/app/sign-in", OWN_FORM, `key=wrong${n}`));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
  });

  test("from behind a proxy is slowed by the address that the proxy names, and by no other", async () => {
    const rig = await openRig({ proxy: "https://notes.example" });
    const proxied = { host: "notes.example", origin: "https://notes.example", "content-type": FORM };
    const enter = async (client: string, from: string) =>
      (await rig.ask("POST", "/app/sign-in", { ...proxied, "x-forwarded-for": `1.1.1.1, ${client}` }, "key=x", from))
        .status;
    for (let i = 0; i < 10; i++) await enter("198.51.100.1", "127.0.0.1");
    expect([await enter("198.51.100.1", "127.0.0.1"), await enter("198.51.100.2", "127.0.0.1")]).toEqual([429, 401]);
    for (let i = 0; i < 10; i++) await enter(`198.51.100.${i}`, "192.0.2.9");
    expect(await enter("198.51.100.77", "192.0.2.9")).toBe(429);
  });

  test("is over after two hours without a page, after a day, and when the key is", async () => {
    const rig = await openRig();
    const status = async (browser: Browser) => (await browser.get("/app")).status;
    const idle = await rig.signIn();
    rig.clock.now += 2 * 3_600_000 + 1;
    expect(await status(idle)).toBe(303);
    // A page that reloads itself does not keep the session alive.
    const left = await rig.signIn();
    for (let hour = 0; hour < 3; hour++) {
      const headers = { host: HOST, cookie: left.cookie, "x-refresh": "1" };
      expect((await rig.ask("GET", "/app", headers)).status).toBe(hour < 2 ? 200 : 303);
      rig.clock.now += 3_600_001;
    }
    const long = await rig.signIn();
    for (let hour = 0; hour < 24; hour++) {
      expect(await status(long)).toBe(200);
      rig.clock.now += 3_600_000;
    }
    rig.clock.now += 1;
    expect(await status(long)).toBe(303);
    const { key, id } = (await rig.service.admin.createKey({
      workspaceId: rig.workspaceId,
      grants: [{ on: null, level: "read" }],
      expiresAt: rig.clock.now + 1_000,
    })) as { key: string; id: string };
    const [expiring, revoked] = [await rig.signIn(key), await rig.signIn(rig.key)];
    rig.clock.now += 1_000;
    expect([await status(expiring), await status(revoked)]).toEqual([303, 200]);
    expect(id).toMatch(/^key_/);
    for (const one of await rig.service.admin.keys()) await rig.service.admin.removeKey(one.id);
    expect(await status(revoked)).toBe(303);
  });

  test("out ends the session on the server, and takes the cookie back", async () => {
    const { signIn } = await openRig();
    const browser = await signIn();
    const out = await browser.post("/app/sign-out");
    expect(out.headers["set-cookie"]).toBe("mdmirror-service-8420=; HttpOnly; SameSite=Strict; Path=/app; Max-Age=0");
    expect(out.status).toBe(303);
    expect((await browser.get("/app")).status).toBe(303);
  });
});

describe("each answer", () => {
  test("forbids what a page of ours never needs, and is kept by nobody", async () => {
    const { ask, signIn } = await openRig();
    const browser = await signIn();
    const ends = [
      ...(await Promise.all(READS.map((path) => browser.get(path)))),
      await ask("GET", "/app/sign-in", { host: HOST }),
      await ask("GET", "/app", { host: "evil.example" }),
      await browser.get("/app/nothing"),
      await browser.post("/app/workspaces"),
    ];
    for (const { headers } of ends) {
      expect(headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self'");
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect([headers["x-content-type-options"], headers["cache-control"]]).toEqual(["nosniff", "no-store"]);
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
    const asset = await ask("GET", "/app/assets/1-page.js", { host: HOST });
    expect([asset.status, asset.headers["cache-control"]]).toEqual([200, expect.stringContaining("immutable")]);
    expect((await ask("GET", "/app/assets/..%2f..%2fkey", { host: HOST })).status).toBe(404);
  });
});
