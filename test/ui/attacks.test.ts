import { describe, expect, test } from "vitest";
import { type ConnectionEnds, isOwnPeer, type PeerUser, peerOf } from "../../src/mirror/trust/peer.ts";
import { openConnection, raw } from "../service/raw-http.ts";
import { openUi, type UiRig } from "./rig.ts";

/** What others on this machine, and pages of theirs, may try. */

function portOf({ ui }: Pick<UiRig, "ui">): number {
  return Number(new URL(ui.url).port);
}

describe("another user of this machine", () => {
  test("is not heard, with the session of this one too; root is", async () => {
    const others = { peer: null as PeerUser | null };
    const opened = await openUi({ peerOf: (ends: ConnectionEnds) => others.peer ?? peerOf(ends) });
    const cookie = await opened.enter();
    const ask = () => opened.ask("/", { headers: { cookie } });
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
    const seen = peerOf(ends);
    if (seen === "unknown") return context.skip("this system does not report the user of a connection");
    expect(seen).toBe(process.geteuid?.());
    await new Promise((done) => {
      socket.once("close", done);
      socket.destroy();
    });
    expect(peerOf(ends)).toBe("gone");
  });

  test("counts as none where the system says nothing, or no user ids are", () => {
    expect([isOwnPeer("unknown", 1_000), isOwnPeer("gone", 1_000), isOwnPeer(7, null)]).toEqual([true, false, true]);
    expect([isOwnPeer(1_000, 1_000), isOwnPeer(1_001, 1_000), isOwnPeer(1_001, 0)]).toEqual([true, false, false]);
  });

  test("is judged by the session where the system is wrong about connections of this process", async () => {
    const opened = await openUi({ linked: false, peerOf: () => "gone" });
    const cookie = await opened.enter();
    expect((await opened.ask("/", { headers: { cookie } })).status).toBe(200);
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
    const opened = await openUi({ linked: false });
    const port = portOf(opened);
    const cookie = await opened.enter();
    for (const [name, more] of HOSTS) {
      const head = `GET / HTTP/1.1\r\nHost: ${name}:${port}${more}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`;
      expect([name, (await raw(port, head)).slice(0, 12)]).toEqual([name, "HTTP/1.1 403"]);
    }
    for (const host of ["127.0.0.1", "127.0.0.1:1"])
      for (const path of ["/", "/assets/x", "/nothing", "/events/", opened.ui.enterUrl().slice(opened.ui.url.length)])
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
  test("reaches no page, no event and no action, in any way that a browser asks", async () => {
    const { ask, enter, formOf, ui } = await openUi();
    const cookie = await enter();
    const body = await formOf("/m/w", cookie);
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
      for (const path of ["/", "/m/w/search?q=x", "/events/m/w", "/m/w/sync", "/sign-out"])
        expect([path, (await ask(path, { headers: { ...way, cookie } })).status]).toEqual([path, 403]);
      for (const path of ["/m/w/sync", "/m/w/reviews", "/m/w/doc/x", "/sign-out"]) {
        const { status } = await ask(path, { method: "POST", headers: { ...way, cookie }, body });
        expect([path, status]).toEqual([path, 403]);
      }
    }
  });
});

describe("a session that is ended", () => {
  test("opens nothing any more, nor does its token, and its open pages end", async () => {
    const opened = await openUi();
    const { ask, enter, formOf, ui } = opened;
    const [mine, other] = [await enter(), await enter()];
    const body = await formOf("/m/w", mine);
    const events = openConnection(portOf(opened));
    const head = `GET /events/m/w HTTP/1.1\r\nHost: 127.0.0.1:${portOf(opened)}\r\nCookie: ${mine}\r\n\r\n`;
    events.socket.write(head);
    await events.until(/\r\n/);
    const headers = { origin: ui.url };
    const wrong = await ask("/sign-out", { method: "POST", headers: { ...headers, cookie: other }, body });
    expect(wrong.status).toBe(403);
    const out = await ask("/sign-out", { method: "POST", headers: { ...headers, cookie: mine }, body });
    expect([out.status, out.text.includes("is signed out")]).toEqual([200, true]);
    expect(out.headers["set-cookie"]![0]).toMatch(/^mdmirror-\d+=; .*Max-Age=0$/);
    expect((await ask("/", { headers: { cookie: mine } })).status).toBe(401);
    expect((await ask("/m/w/sync", { method: "POST", headers: { ...headers, cookie: mine }, body })).status).toBe(401);
    expect((await ask("/m/w/sync", { method: "POST", headers: { ...headers, cookie: other }, body })).status).toBe(403);
    events.socket.end();
    await events.until(/event: news/);
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
    expect((await opened.ask("/", { headers: { cookie: await opened.enter() } })).status).toBe(200);
  });

  test("pages that get events are limited in number, and leave connections for others", async () => {
    const opened = await openUi({ linked: false });
    const port = portOf(opened);
    const cookie = await opened.enter();
    const head = `GET /events/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`;
    const firsts = Array.from({ length: 110 }, () => {
      const { socket, until } = openConnection(port);
      socket.write(head);
      return until(/\r\n/);
    });
    const codes = (await Promise.all(firsts)).map((first) => /^HTTP\/1\.1 (\d+)/.exec(first)?.[1]);
    expect([codes.filter((code) => code === "200").length, codes.filter((code) => code === "503").length]).toEqual([
      96, 14,
    ]);
    expect((await opened.ask("/", { headers: { cookie } })).status).toBe(200);
  });
});
