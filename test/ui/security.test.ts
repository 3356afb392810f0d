import { describe, expect, test } from "vitest";
import { type ConnectionEnds, isOwnPeer, type PeerUser, findPeerUser } from "../../src/mirror/trust/peer.ts";
import { openConnection, raw } from "../service/raw-http.ts";
import { openSignedIn, openUi, type UiRig } from "./rig.ts";

/** Attacks by pages of other sites and by other users of this machine. */

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

function portOf({ ui }: Pick<UiRig, "ui">): number {
  return Number(new URL(ui.url).port);
}

describe("a request", () => {
  test("for each way to name loopback is answered", async () => {
    const { ask, ui, person } = await openSignedIn({ linked: false });
    const { cookie } = person;
    const { port } = new URL(ui.url);
    for (const host of ["127.0.0.1", "localhost", "[::1]"])
      expect((await ask("/", { headers: { host: `${host}:${port}`, cookie } })).status).toBe(200);
  });

  test("to write that does not say where it comes from is refused", async () => {
    const { ask, ui, person } = await openSignedIn();
    const { cookie } = person;
    const body = await person.fieldsOf("/m/w");
    expect((await ask("/m/w/sync", { method: "POST", headers: { cookie }, body })).status).toBe(403);
    const typed = { origin: ui.url, "sec-fetch-site": "none", cookie };
    expect((await ask("/m/w/sync", { method: "POST", headers: typed, body })).status).toBe(403);
    const headers = { origin: ui.url, "sec-fetch-site": "same-origin", cookie };
    expect((await ask("/m/w/sync", { method: "POST", headers, body })).status).toBe(303);
  });

  test("without a session is shown nothing, on any page and for any action", async () => {
    const { ask, ui, rig } = await openUi();
    for (const path of ["/", "/m/w"]) {
      const { status, text } = await ask(path, { headers: { cookie: "mdmirror-1=x" } });
      expect([path, status]).toEqual([path, 401]);
      expect(text).not.toContain(rig.root);
    }
    const headers = { origin: ui.url };
    expect((await ask("/m/w/sync", { method: "POST", headers, body: "root=x" })).status).toBe(401);
  });

  test("with a body that is too long, or none that a form sends, changes nothing", async () => {
    const { ask, ui, person } = await openSignedIn();
    const body = await person.fieldsOf("/m/w");
    body.set("text", "x".repeat(2 * 1024 * 1024));
    expect((await person.post({ action: "/m/w/sync", body })).status).toBe(413);
    const json = { origin: ui.url, cookie: person.cookie, "content-type": "application/json" };
    expect((await ask("/m/w/sync", { method: "POST", headers: json, body: "{}" })).status).toBe(415);
  });
});

describe("the address that is printed", () => {
  test("lets one browser in, once, and leaves no secret in its address", async () => {
    const { ask, ui } = await openUi({ linked: false });
    const path = ui.enterUrl().slice(ui.url.length);
    const first = await ask(path);
    expect(first.headers["location"]).toBe("/");
    expect(first.headers["referrer-policy"]).toBe("no-referrer");
    expect(first.status).toBe(303);
    const [cookie] = first.headers["set-cookie"]!;
    expect(cookie).toMatch(/^mdmirror-\d+=[0-9a-f]{64}; HttpOnly; SameSite=Strict; Path=\/$/);
    const second = await ask(path);
    expect([second.status, second.headers["set-cookie"]]).toEqual([403, undefined]);
    expect(second.text).toContain("was used already");
  });

  test("is good for five minutes", async () => {
    const { ask, ui, rig } = await openUi({ linked: false });
    const [early, late] = [ui.enterUrl(), ui.enterUrl()].map((url) => url.slice(ui.url.length));
    rig.pass(299_000);
    expect((await ask(early!)).status).toBe(303);
    rig.pass(2_000);
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
    const { ask, rig, person } = await openSignedIn({ linked: false });
    const { cookie } = person;
    rig.pass(11 * 3_600_000);
    expect((await ask("/", { headers: { cookie } })).status).toBe(200);
    rig.pass(13 * 3_600_000);
    expect((await ask("/", { headers: { cookie } })).status).toBe(401);
  });

  test("cannot be chosen: a cookie that is sent twice counts as none", async () => {
    const { ask, person } = await openSignedIn({ linked: false });
    const { cookie } = person;
    expect((await ask("/", { headers: { cookie: `${cookie}; ${cookie}` } })).status).toBe(401);
  });

  test("without its own token in the form does nothing", async () => {
    const { signIn, person } = await openSignedIn();
    const body = await person.fieldsOf("/m/w");
    const other = await signIn();
    for (const token of [null, "0".repeat(64), (await other.fieldsOf("/m/w")).get("csrf")!]) {
      body.delete("csrf");
      if (token !== null) body.set("csrf", token);
      const { status, text } = await person.post({ action: "/m/w/sync", body });
      expect([token, status, text]).toEqual([token, 403, expect.stringContaining("nothing was done")]);
    }
  });
});

describe("each answer", () => {
  test("forbids what a page of ours never needs, and is kept by nobody", async () => {
    const { ask, person } = await openSignedIn();
    const ends = [
      ...(await Promise.all(["/", "/m/w", "/m/missing", "/nothing"].map((path) => person.get(path)))),
      await ask("/", {}),
      await ask("/", { headers: { host: "evil.example" } }),
      await person.post({ action: "/m/w/sync", body: new URLSearchParams() }),
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
    const { ask, person } = await openSignedIn({ linked: false });
    const text = await person.see("/");
    const assets = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1]!);
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const path of assets) {
      const { status, headers } = await ask(path);
      expect([status, headers["cache-control"]]).toEqual([200, expect.stringContaining("immutable")]);
    }
    expect((await ask("/assets/..%2f..%2fpackage.json")).status).toBe(404);
  });

  test("contains nothing that runs or styles within the page", async () => {
    const { person } = await openSignedIn();
    expect((await person.see("/m/w")).match(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/g)).toBeNull();
  });
});

describe("another user of this machine", () => {
  test("is not heard, with the session of this one too; root is", async () => {
    const others = { peer: null as PeerUser | null };
    const opened = await openUi({ peerOf: (ends: ConnectionEnds) => others.peer ?? findPeerUser(ends) });
    const person = await opened.signIn();
    const ask = () => person.get("/");
    expect((await ask()).status).toBe(200);
    others.peer = 54_321;
    await expect(ask()).rejects.toThrow();
    others.peer = "gone";
    await expect(ask()).rejects.toThrow();
    for (const peer of [0, "unknown"] as const) {
      others.peer = peer;
      expect((await ask()).status).toBe(200);
    }
  });

  test("is known from the system while a connection is open, and not after it is closed", async (context) => {
    const opened = await openUi({ linked: false });
    const { socket } = openConnection(portOf(opened));
    await new Promise((done) => socket.once("connect", done));
    const { localAddress, localPort, remoteAddress, remotePort } = socket;
    const ends: ConnectionEnds = {
      remoteAddress: localAddress,
      remotePort: localPort,
      localAddress: remoteAddress,
      localPort: remotePort,
    };
    const seen = findPeerUser(ends);
    if (seen === "unknown") return context.skip("this system does not report the user of a connection");
    expect(seen).toBe(process.geteuid?.());
    await new Promise((done) => {
      socket.once("close", done);
      socket.destroy();
    });
    expect(findPeerUser(ends)).toBe("gone");
  });

  test("counts as none where the system says nothing, or no user ids are", () => {
    expect([isOwnPeer("unknown", 1_000), isOwnPeer("gone", 1_000), isOwnPeer(7, null)]).toEqual([true, false, true]);
    expect([isOwnPeer(1_000, 1_000), isOwnPeer(1_001, 1_000), isOwnPeer(1_001, 0)]).toEqual([true, false, false]);
  });

  test("is judged by the session where the system is wrong about connections of this process", async () => {
    const { person } = await openSignedIn({ linked: false, peerOf: () => "gone" });
    expect((await person.get("/")).status).toBe(200);
  });
});

describe("a Host that a name of this machine was made of", () => {
  const HOSTS = [
    ["127.0.0.1.nip.io", ""],
    ["127.0.0.1.", ""],
    ["LOCALHOST", ""],
    ["evil.example", ""],
    ["127.1", ""],
    ["localhost.", ""],
    ["0.0.0.0", ""],
    ["[::ffff:127.0.0.1]", ""],
    ["2130706433", ""],
    ["user@127.0.0.1", ""],
    ["127.0.0.1", "\r\nHost: evil.example"],
    ["127.0.0.1", "\r\nhost: 127.0.0.1"],
  ];

  test("is refused, and so are two of them", async () => {
    const opened = await openSignedIn({ linked: false });
    const port = portOf(opened);
    const { cookie } = opened.person;
    for (const [name, more] of HOSTS) {
      const head = `GET / HTTP/1.1\r\nHost: ${name}:${port}${more}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`;
      expect([name, (await raw(port, head)).slice(0, 12)]).toEqual([name, "HTTP/1.1 403"]);
    }
    for (const host of ["127.0.0.1", "127.0.0.1:1"])
      for (const path of ["/", "/assets/x", "/nothing", opened.ui.enterUrl().slice(opened.ui.url.length)])
        expect((await opened.ask(path, { headers: { host, cookie } })).status).toBe(403);
  });

  test("and none at all is refused, by each version", async () => {
    const opened = await openUi({ linked: false });
    for (const version of ["1.0", "1.1"]) {
      const head = `GET / HTTP/${version}\r\nConnection: close\r\n\r\n`;
      expect(await raw(portOf(opened), head)).toMatch(/^HTTP\/1\.1 40[03] /);
    }
  });
});

describe("a page of another site", () => {
  test("reaches no page and no action, in any way that a browser asks", async () => {
    const { ask, ui, person } = await openSignedIn();
    const { cookie } = person;
    const body = await person.fieldsOf("/m/w");
    const ways = [
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
      { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" },
      { "sec-fetch-site": "cross-site", origin: "null" },
      { origin: "null" },
      { origin: ui.url.replace("127.0.0.1", "localhost") },
      { origin: "https://127.0.0.1" },
      { "sec-fetch-site": "nonsense" },
      { origin: `${ui.url}.evil.example` },
    ];
    for (const way of ways) {
      for (const path of ["/", "/m/w/search?q=x", "/m/w/sync", "/sign-out"])
        expect([path, (await ask(path, { headers: { ...way, cookie } })).status]).toEqual([path, 403]);
      for (const path of ["/m/w/sync", "/m/w/reviews", "/m/w/doc/x", "/sign-out"]) {
        const { status } = await ask(path, { method: "POST", headers: { ...way, cookie }, body });
        expect([path, status]).toEqual([path, 403]);
      }
    }
  });
});

describe("a session that is ended", () => {
  test("opens nothing any more, nor does its token", async () => {
    const opened = await openSignedIn();
    const { person: mine } = opened;
    const other = await opened.signIn();
    const body = await mine.fieldsOf("/m/w");
    expect((await other.post({ action: "/sign-out", body })).status).toBe(403);
    const out = await mine.post({ action: "/sign-out", body });
    expect([out.status, out.text.includes("is signed out")]).toEqual([200, true]);
    expect(out.headers["set-cookie"]![0]).toMatch(/^mdmirror-\d+=; .*Max-Age=0$/);
    expect((await mine.get("/")).status).toBe(401);
    expect((await mine.post({ action: "/m/w/sync", body })).status).toBe(401);
    expect((await other.post({ action: "/m/w/sync", body })).status).toBe(403);
  });
});

describe("what takes room or time", () => {
  test("is bounded: headers, addresses, bodies and connections", async () => {
    const opened = await openUi({ linked: false });
    const port = portOf(opened);
    const start = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
    expect(await raw(port, `${start}X: ${"x".repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 |^$/);
    const many = Array.from({ length: 3_000 }, (_, n) => `a${n}: b\r\n`).join("");
    expect(await raw(port, `${start}${many}\r\n`)).toMatch(/^HTTP\/1\.1 431 |^$/);
    const post = `POST /m/w/sync HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${opened.ui.url}\r\n`;
    const form = "Content-Type: application/x-www-form-urlencoded\r\n";
    expect(await raw(port, `${post}${form}Content-Length: 999999999\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /);
    expect(opened.faults).toEqual([]);
  });

  test("a request that never arrives is cut off, by its headers and by its body", async () => {
    const opened = await openUi({ linked: false, arriveMs: 50 });
    const port = portOf(opened);
    const slow = [
      "GET / HTTP/1.1\r\nHost: 127",
      `POST /sign-out HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${opened.ui.url}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 10\r\n\r\na=`,
    ];
    for (const head of slow) expect(await raw(port, head)).toMatch(/^HTTP\/1\.1 408 |^$/);
    expect((await (await opened.signIn()).get("/")).status).toBe(200);
  });
});
