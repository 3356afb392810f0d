import { describe, expect, test } from "vitest";
import { openUi } from "./rig.ts";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

describe("a request", () => {
  test("for each way to name loopback is answered", async () => {
    const { ask, enter, ui } = await openUi({ linked: false });
    const cookie = await enter();
    const { port } = new URL(ui.url);
    for (const host of ["127.0.0.1", "localhost", "[::1]"])
      expect((await ask("/", { headers: { host: `${host}:${port}`, cookie } })).status).toBe(200);
  });

  test("to write that does not say where it comes from is refused", async () => {
    const { ask, enter, formOf, ui } = await openUi();
    const cookie = await enter();
    const body = await formOf("/m/w", cookie);
    expect((await ask("/m/w/sync", { method: "POST", headers: { cookie }, body })).status).toBe(403);
    const typed = { origin: ui.url, "sec-fetch-site": "none", cookie };
    expect((await ask("/m/w/sync", { method: "POST", headers: typed, body })).status).toBe(403);
    const headers = { origin: ui.url, "sec-fetch-site": "same-origin", cookie };
    expect((await ask("/m/w/sync", { method: "POST", headers, body })).status).toBe(303);
  });

  test("without a session is shown nothing, on any page and for any action", async () => {
    const { ask, ui, rig } = await openUi();
    for (const path of ["/", "/m/w", "/events/", "/events/m/w"]) {
      const { status, text } = await ask(path, { headers: { cookie: "mdmirror-1=x" } });
      expect([path, status]).toEqual([path, 401]);
      expect(text).not.toContain(rig.root);
    }
    const headers = { origin: ui.url };
    expect((await ask("/m/w/sync", { method: "POST", headers, body: "root=x" })).status).toBe(401);
  });

  test("with a body that is too long, or none that a form sends, changes nothing", async () => {
    const { ask, enter, formOf, ui } = await openUi();
    const headers = { origin: ui.url, cookie: await enter() };
    const form = await formOf("/m/w", headers.cookie);
    form.set("text", "x".repeat(2 * 1024 * 1024));
    expect((await ask("/m/w/sync", { method: "POST", headers, body: form })).status).toBe(413);
    const json = { ...headers, "content-type": "application/json" };
    expect((await ask("/m/w/sync", { method: "POST", headers: json, body: "{}" })).status).toBe(415);
  });
});

describe("the address that is printed", () => {
  test("lets one browser in, once, and leaves no secret in its address", async () => {
    const { ask, ui } = await openUi({ linked: false });
    const path = ui.enterUrl().slice(ui.url.length);
    const first = await ask(path);
    expect([first.status, first.headers["location"], first.headers["referrer-policy"]]).toEqual([
      303,
      "/",
      "no-referrer",
    ]);
    const [cookie] = first.headers["set-cookie"]!;
    expect(cookie).toMatch(/^mdmirror-\d+=[0-9a-f]{64}; HttpOnly; SameSite=Strict; Path=\/$/);
    const second = await ask(path);
    expect([second.status, second.headers["set-cookie"]]).toEqual([403, undefined]);
    expect(second.text).toContain("was used already");
  });

  test("is good for five minutes", async () => {
    const { ask, ui, pass } = await openUi({ linked: false });
    const [early, late] = [ui.enterUrl(), ui.enterUrl()].map((url) => url.slice(ui.url.length));
    pass(299_000);
    expect((await ask(early!)).status).toBe(303);
    pass(2_000);
    expect((await ask(late!)).status).toBe(403);
  });

  test("has the token that was printed", async () => {
    const { ask } = await openUi({ linked: false });
    for (const path of ["/enter", "/enter?token=", "/enter?token=x"])
      expect([path, (await ask(path)).status]).toEqual([path, 403]);
  });

  test("is not spent by a browser that looks ahead", async () => {
    const { ask, ui } = await openUi({ linked: false });
    const path = ui.enterUrl().slice(ui.url.length);
    expect((await ask(path, { headers: { "sec-purpose": "prefetch" } })).status).toBe(403);
    expect((await ask(path)).status).toBe(303);
  });
});

describe("a session", () => {
  test("ends after twelve hours without a page", async () => {
    const { ask, enter, pass } = await openUi({ linked: false });
    const cookie = await enter();
    pass(11 * 3_600_000);
    expect((await ask("/", { headers: { cookie } })).status).toBe(200);
    pass(13 * 3_600_000);
    expect((await ask("/", { headers: { cookie } })).status).toBe(401);
  });

  test("cannot be chosen: a cookie that is sent twice counts as none", async () => {
    const { ask, enter } = await openUi({ linked: false });
    const cookie = await enter();
    expect((await ask("/", { headers: { cookie: `${cookie}; ${cookie}` } })).status).toBe(401);
  });

  test("without its own token in the form does nothing", async () => {
    const { ask, enter, formOf, ui } = await openUi();
    const [mine, other] = [await enter(), await enter()];
    const form = await formOf("/m/w", mine);
    const headers = { origin: ui.url, cookie: mine };
    for (const token of [null, "0".repeat(64), (await formOf("/m/w", other)).get("csrf")!]) {
      form.delete("csrf");
      if (token !== null) form.set("csrf", token);
      const { status, text } = await ask("/m/w/sync", { method: "POST", headers, body: form });
      expect([token, status, text]).toEqual([token, 403, expect.stringContaining("nothing was done")]);
    }
  });

  test("may send its token in a header, as scripts do", async () => {
    const { ask, enter, formOf, ui } = await openUi();
    const cookie = await enter();
    const form = await formOf("/m/w", cookie);
    const headers = { origin: ui.url, cookie, "x-csrf-token": form.get("csrf")! };
    form.delete("csrf");
    expect((await ask("/m/w/sync", { method: "POST", headers, body: form })).status).toBe(303);
  });
});

describe("each answer", () => {
  test("forbids what a page of ours never needs, and is kept by nobody", async () => {
    const { ask, enter, ui } = await openUi();
    const cookie = await enter();
    const ends = [
      await ask("/", { headers: { cookie } }),
      await ask("/m/w", { headers: { cookie } }),
      await ask("/m/missing", { headers: { cookie } }),
      await ask("/nothing", { headers: { cookie } }),
      await ask("/", {}),
      await ask("/", { headers: { host: "evil.example" } }),
      await ask("/m/w/sync", { method: "POST", headers: { origin: ui.url, cookie } }),
      await ask("/enter?token=x"),
    ];
    for (const { headers } of ends) {
      expect(headers["content-security-policy"]).toBe(POLICY);
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["cache-control"]).toBe("no-store");
      expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  test("of a script or a style is kept, since its name has a digest of its content", async () => {
    const { ask, enter } = await openUi({ linked: false });
    const cookie = await enter();
    const { text } = await ask("/", { headers: { cookie } });
    const assets = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1]!);
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const path of assets) {
      const { status, headers } = await ask(path);
      expect([status, headers["cache-control"]]).toEqual([200, expect.stringContaining("immutable")]);
    }
    expect((await ask("/assets/..%2f..%2fpackage.json")).status).toBe(404);
  });

  test("contains nothing that runs or styles within the page", async () => {
    const { ask, enter } = await openUi();
    const { text } = await ask("/m/w", { headers: { cookie: await enter() } });
    expect(text.match(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/g)).toBeNull();
  });
});
