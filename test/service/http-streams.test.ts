import { once } from "node:events";
import { describe, expect, it } from "vitest";
import type { AnswerStream } from "../../src/service/http/stream.ts";
import type { HttpService } from "../../src/service/http/server-state.ts";
import { openService, serveHttp } from "./fixture.ts";
import { get, openConnection } from "./raw-http.ts";

/** Endless answers, and answers that no client reads. */

describe("a stream", () => {
  /**
   * Serves a service whose `/v1/events` sends what the test writes. `ended` resolves when the
   * stream has ended.
   */
  async function streaming() {
    const sinks: AnswerStream[] = [];
    const opened = await openService();
    const ended = Promise.withResolvers<void>();
    const service: HttpService = {
      ...opened.service,
      handle: opened.service.handle,
      streams: {
        open: async (request) => {
          if (request.headers["x-api-key"] !== opened.key) return opened.service.handle(request);
          const stream = (sink: AnswerStream) => {
            sinks.push(sink);
            return ended.resolve;
          };
          return { status: 200, headers: { "content-type": "text/event-stream" }, stream };
        },
      },
    };
    const served = await serveHttp(service);
    const listener = openConnection(served.port);
    listener.socket.write(get("/v1/events?x=1", `x-api-key: ${opened.key}\r\n`));
    await listener.until(/\r\n\r\n/);
    return { ...served, key: opened.key, listener, sink: sinks[0]!, ended: ended.promise };
  }

  it("is sent part by part, ends with its listener, and is refused like anything else", async () => {
    const { listener, sink, ended, server, port } = await streaming();
    expect((await fetch(`${server.url}/v1/events`)).status).toBe(401);
    sink.send("data: one\n\n");
    expect(await listener.until(/one/)).toMatch(/^HTTP\/1.1 200 OK\r\ncontent-type: text\/event-stream\r\n/);
    sink.send("data: two\n\n");
    await listener.until(/two/);
    expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain("\nmdmirror_service_streams 1\n");
    listener.socket.destroy();
    await ended;
    sink.send("to nobody");
  });

  it.each([401, 429, 503])("that is refused by %i takes its connection with it", async (status) => {
    const { service } = await openService();
    const open = async () => ({ status, headers: {}, body: "no" });
    const { port } = await serveHttp({ handle: service.handle, streams: { open } });
    const { socket, until } = openConnection(port);
    const over = once(socket, "close");
    socket.write(get("/v1/events", ""));
    expect(await until(/\r\n\r\nno$/)).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*\r\nconnection: close\r\n`));
    await over;
  });

  it("that is not read is cut", async () => {
    const { listener, sink, ended } = await streaming();
    listener.socket.pause();
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    for (let parts = 0; !isOver; parts++) {
      expect(parts).toBeLessThan(1_000);
      sink.send("x".repeat(100_000));
      await new Promise((done) => setImmediate(done));
    }
  });

  it("gets no more events once the service has ended it", async () => {
    const { listener, sink, server } = await streaming();
    const closed = server.close();
    sink.send("data: late\n\n");
    await closed;
    expect(listener.received.text).not.toContain("late");
  });
});

describe("an answer that is not read", () => {
  const LARGE = "x".repeat(20_000_000);

  it("is cut after its time, and its memory is free", async () => {
    const handle: HttpService["handle"] = async () => ({ status: 200, headers: {}, body: LARGE });
    // A deadline that is over immediately, whatever the length of the answer.
    const deadlines = { answer: Number.NEGATIVE_INFINITY };
    const { port, server } = await serveHttp({ handle }, { deadlines });
    const { socket } = openConnection(port);
    socket.pause();
    socket.write(get("/v1/files", ""));
    let received = "";
    while (!received.includes('route="GET /v1/files",code="200"} 1')) {
      received = await (await fetch(`${server.url}/metrics`)).text();
    }
    expect(received).toContain("clients_cut_total 1\n");
    socket.resume();
    await once(socket, "close");
  });
});
