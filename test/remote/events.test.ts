import { afterEach, describe, expect, test } from "vitest";
import type { WireRequest } from "../../src/contract/wire.ts";
import type { EventHint, EventStreamState, RemoteEvents } from "../../src/mirror/ports/remote.ts";
import type { StreamEnd, Wire } from "../../src/common/wire.ts";
import { createRemote } from "../../src/mirror/remote/client.ts";
import { closeNothing, NO_LOG } from "../simulator/quiet-ports.ts";
import { answer, KEY, problem } from "./scripted-wire.ts";
import { VirtualClock } from "../clocks.ts";

/**
 * One connection: pieces of the stream, and how it ends. `open` means that it stays open until the
 * client closes it.
 */
type Connection = { readonly pieces?: readonly string[]; readonly end: StreamEnd | "open"; readonly lastsMs?: number };

const CUT: StreamEnd = { kind: "ended", why: "ECONNRESET" };

class NewsBench {
  readonly clock = new VirtualClock();
  readonly sent: WireRequest[] = [];
  readonly at: number[] = [];
  readonly hints: EventHint[] = [];
  readonly states: EventStreamState[] = [];
  readonly news: RemoteEvents;
  readonly #connections: readonly Connection[];
  #isClosed = false;

  constructor(connections: readonly Connection[]) {
    this.#connections = connections;
    const wire: Wire = {
      send: async () => ({ kind: "not-sent", why: "not scripted" }),
      stream: (...args) => this.#stream(...args),
      close: closeNothing,
    };
    const { clock } = this;
    const random = { fraction: () => 0.999, hex: (n: number) => "0".repeat(n) };
    this.news = createRemote({ wire, key: KEY, clock, random, log: NO_LOG, traits: null }).events();
    this.news.start({ onHint: (hint) => this.hints.push(hint), onState: (state) => this.states.push(state) });
  }

  async close(): Promise<void> {
    if (!this.#isClosed) await this.news.close();
    this.#isClosed = true;
  }

  /** Waits until that many connections were tried. */
  async tried(count: number): Promise<void> {
    while (this.sent.length < count) await this.clock.sleep(100);
  }

  readonly #stream: NonNullable<Wire["stream"]> = async (request, { signal }, onBytes) => {
    const script = this.#connections[Math.min(this.sent.length, this.#connections.length - 1)]!;
    this.sent.push(request);
    this.at.push(this.clock.monotonic());
    for (const piece of script.pieces ?? []) if (!signal.aborted) onBytes(Buffer.from(piece));
    if (script.lastsMs !== undefined) await this.clock.sleep(script.lastsMs);
    if (script.end !== "open") return script.end;
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    return { kind: "ended", why: "closed" };
  };
}

const benches: NewsBench[] = [];
function bench(...connections: readonly Connection[]): NewsBench {
  const made = new NewsBench(connections);
  benches.push(made);
  return made;
}
afterEach(async () => {
  for (const one of benches.splice(0)) await one.close();
});

const DOC = "doc_aaaaaaaaaaaaaa";
const event = (type: string, data: unknown, id = "e1") =>
  `id: ${id}\nevent: ${type}\ndata: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

describe("a stream of events", () => {
  test("is requested with the key, and hints are read from pieces of any size", async () => {
    const text = `: hello\n\n${event("file", { id: DOC, change: "edited", path: "/a/b.md", lastChangeId: "chg_bbbbbbbbbbbbbb" })}`;
    const made = bench({ pieces: [...text], end: "open" });
    await made.tried(1);
    expect(made.sent[0]).toMatchObject({
      method: "GET",
      path: "/v1/events",
      headers: { accept: "text/event-stream", authorization: `Bearer ${KEY}` },
    });
    expect(made.sent[0]!.headers).not.toHaveProperty("last-event-id");
    expect(made.states).toEqual([{ kind: "listening" }]);
    expect(made.hints).toEqual([
      { kind: "all" },
      { kind: "file", id: DOC, path: "a/b.md", changeId: "chg_bbbbbbbbbbbbbb", gone: false },
    ]);
  });

  test("continues after the last event, without a scan of everything", async () => {
    const made = bench({ pieces: [event("file", { id: DOC }, "e7")], end: CUT }, { pieces: [":\n\n"], end: "open" });
    await made.tried(2);
    expect(made.sent[1]!.headers["last-event-id"]).toBe("e7");
    expect(made.hints.filter(({ kind }) => kind === "all")).toHaveLength(1);
    expect(made.states.map(({ kind }) => kind)).toEqual(["listening", "broken", "listening"]);
  });

  test("is not listened to before its first byte: a proxy may keep all back", async () => {
    const made = bench({ end: CUT });
    await made.tried(3);
    expect(made.states.map(({ kind }) => kind)).not.toContain("listening");
    expect(made.hints).toEqual([]);
  });

  test.each<readonly [string, string, readonly EventHint[]]>([
    ["a reset", event("reset", {}), [{ kind: "all" }]],
    [
      "a folder",
      event("folder", { id: "dir_aaaaaaaaaaaaaa" }),
      [{ kind: "folder", id: "dir_aaaaaaaaaaaaaa" as never }],
    ],
    ["what is gone", event("file", { id: DOC, change: "gone" }), [file({ gone: true })]],
    ["a path outside of the root", event("file", { id: DOC, path: "/../b.md" }), [file({})]],
    ["a type of the future", event("tag", { id: DOC }), []],
    ["no JSON", event("file", "<html>"), [{ kind: "all" }]],
    ["no id", event("file", { id: "../../x" }), [{ kind: "all" }]],
    ["a list", event("file", "[1]"), [{ kind: "all" }]],
    ["depth", event("folder", `${"[".repeat(5_000)}`), [{ kind: "all" }]],
    ["a prototype's name", event("constructor", {}), []],
  ])("%s", async (_what, text, expected) => {
    const made = bench({ pieces: [text], end: "open" });
    await made.tried(1);
    expect(made.hints.slice(1)).toEqual(expected);
  });

  test.each([
    ["a line without end", Array.from({ length: 64 }, () => `data: ${"x".repeat(2_000)}`)],
    ["an event without end", Array.from({ length: 64 }, () => `data: ${"x".repeat(2_000)}\n`)],
    ["nine megabytes of comments", Array.from({ length: 150 }, () => ":\n".repeat(32_000))],
    ["events without end", Array.from({ length: 150 }, () => event("file", { id: DOC }).repeat(1_300))],
  ])("%s ends it, and it is left alone for minutes", async (_what, pieces) => {
    const made = bench({ pieces, end: "open" }, { end: "open" });
    await made.tried(2);
    expect(made.at[1]! - made.at[0]!).toBeGreaterThan(200_000);
    expect(made.states.at(-1)!.kind).toBe("broken");
  });

  test("an id that no header may have is not sent back", async () => {
    for (const id of ["é", "x".repeat(257), "a b"]) {
      const made = bench({ pieces: [event("reset", {}, id)], end: CUT }, { end: "open" });
      await made.tried(2);
      expect(made.sent[1]!.headers).not.toHaveProperty("last-event-id");
    }
  });
});

function file(more: { readonly gone?: boolean }): EventHint {
  return { kind: "file", id: DOC as never, path: null, changeId: null, gone: false, ...more };
}

describe("the next attempt", () => {
  const MINUTE = 60_000;
  test.each<readonly [string, StreamEnd, EventStreamState["kind"], number, number]>([
    ["no events", problem(404, "not_found") as StreamEnd, "none", 50 * MINUTE, 61 * MINUTE],
    ["not for this key", problem(403, "forbidden") as StreamEnd, "none", 50 * MINUTE, 61 * MINUTE],
    [
      "a web page",
      answer(200, "<html>", { "content-type": "text/html" }) as StreamEnd,
      "none",
      50 * MINUTE,
      61 * MINUTE,
    ],
    ["a redirect", answer(302, "", { location: "https://x" }) as StreamEnd, "none", 50 * MINUTE, 61 * MINUTE],
    ["a refused key", problem(401, "unauthenticated") as StreamEnd, "broken", 5_000, 11_000],
    ["no workspace", problem(404, "workspace_not_found") as StreamEnd, "broken", 5_000, 11_000],
    ["too many", problem(429, "rate_limited", [], { "retry-after": "60" }) as StreamEnd, "broken", 55_000, 61_000],
    ["not now", problem(503, "service_unavailable") as StreamEnd, "broken", 5_000, 11_000],
    [
      "a wait of a day",
      problem(503, "service_unavailable", [], { "retry-after": "86400" }) as StreamEnd,
      "broken",
      200_000,
      301_000,
    ],
    ["a bad gateway", answer(502, "<html>") as StreamEnd, "broken", 5_000, 11_000],
    ["nobody there", { kind: "not-sent", why: "ECONNREFUSED" }, "broken", 1_000, 3_100],
    ["lost", { kind: "lost", why: "deadline of 30000 ms" }, "broken", 1_000, 3_100],
  ])("after %s", async (_what, end, state, least, most) => {
    const made = bench({ end }, { end: "open" });
    await made.tried(2);
    expect(made.states[0]!.kind).toBe(state);
    const waited = made.at[1]! - made.at[0]!;
    expect(waited).toBeGreaterThan(least);
    expect(waited).toBeLessThanOrEqual(most);
    expect(JSON.stringify(made.states)).not.toContain(KEY);
  });

  test("waits longer each time, a minute at most, and starts over after a stream that lasted", async () => {
    const made = bench(
      ...Array.from({ length: 8 }, () => ({ end: CUT })),
      { pieces: [":\n\n"], lastsMs: 120_000, end: CUT },
      { end: "open" },
    );
    await made.tried(10);
    const waits = made.at.slice(1).map((at, n) => at - made.at[n]!);
    expect(waits[0]).toBeLessThan(3_100);
    expect(Math.max(...waits.slice(0, 8))).toBeLessThan(60_200);
    expect(waits[6]).toBeGreaterThan(50_000);
    expect(waits[8]! - 120_000).toBeLessThan(3_200);
  });

  test("closing ends a stream immediately, and nothing is reported after", async () => {
    const made = bench({ pieces: [":\n\n"], end: "open" });
    await made.tried(1);
    const count = made.states.length;
    await made.close();
    expect(made.states).toHaveLength(count);
  });
});
