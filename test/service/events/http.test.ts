import { expect, onTestFinished, test } from "vitest";
import type { EventHint, EventStreamState } from "../../../src/mirror/ports/remote.ts";
import { createRemote } from "../../../src/mirror/remote/client.ts";
import { createWire } from "../../../src/mirror/remote/wire.ts";
import { startHttp } from "../../../src/service/http/server.ts";
import { systemClock } from "../../../src/common/clock.ts";
import { NO_LOG } from "../../simulator/quiet-ports.ts";
import { folderAt, make, open } from "./fixture.ts";
import { once } from "node:events";
import { createParser } from "eventsource-parser";
import { Agent, DecoratorHandler, type Dispatcher, EventSource, type MessageEvent } from "undici";
import { EVENTS } from "../../../src/contract/resources.ts";

test("the client hears of a change over HTTP, and of the service's end", async () => {
  const asked = await open();
  const server = await startHttp(asked.opened.service);
  onTestFinished(() => server.close());
  const wire = createWire({ baseUrl: server.url });
  const random = { fraction: () => 0.5, hex: (n: number) => "0".repeat(n) };
  const options = { wire, key: asked.opened.key, clock: systemClock(), random, log: NO_LOG, traits: null };
  const remote = createRemote(options);
  const hints: EventHint[] = [];
  const states: EventStreamState[] = [];
  const news = remote.events();
  news.start({ onHint: (hint) => void hints.push(hint), onState: (state) => void states.push(state) });
  await expect.poll(() => hints).toEqual([{ kind: "all" }, { kind: "all" }]);
  expect(states).toEqual([{ kind: "listening" }]);
  const { id, lastChangeId } = await make(asked, "/a.md");
  const change = { kind: "file", id, path: "a.md", changeId: lastChangeId, gone: false };
  await expect.poll(() => hints.slice(2)).toEqual([change]);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  for (const name of ["streams", "event_listeners"]) expect(metrics).toContain(`\nmdmirror_service_${name} 1\n`);
  await asked.opened.service.close();
  await expect.poll(() => states.slice(1)).toEqual([{ kind: "broken", why: "the service ended it" }]);
  await news.close();
  await remote.close();
});

/**
 * Two independent parsers read the service's stream: the `EventSource` of undici, and
 * `eventsource-parser`, which gets the same bytes one at a time.
 */

type Read = { readonly type: string; readonly id: string; readonly data: unknown };

test("two parsers read the same types, ids and data of events", async () => {
  const asked = await open();
  const server = await startHttp(asked.opened.service);
  onTestFinished(() => server.close());
  const { source, byEventSource, byParser } = readTwice(`${server.url}${EVENTS}`, asked.opened.key);
  await once(source, "open");
  const file = await make(asked, "/fläche/\u{1f600}e\u0301.md");
  await asked.call("PATCH", `/v1/files/${file.id}`, { name: "id-data-event.md" });
  await make(asked, "/fläche/b.md");
  await asked.call("DELETE", `/v1/folders/${(await folderAt(asked, "/fläche")).id}?recursive=true`);
  await make(asked, "/last.md");
  await asked.settled();
  const ended = once(source, "error");
  await asked.opened.service.close();
  await ended;

  expect(byParser).toEqual(byEventSource);
  expect(byParser.map(({ type, data }) => [type, ...partsOf(data, "change", "path")].join(" "))).toEqual([
    "reset",
    "folder created /fläche",
    "file created /fläche/\u{1f600}e\u0301.md",
    "file moved /fläche/id-data-event.md",
    "file created /fläche/b.md",
    "file gone",
    "file gone",
    "folder gone",
    "file created /last.md",
  ]);
  expect(byParser.every(({ id }) => id.startsWith("evt_"))).toBe(true);
});

function partsOf(data: unknown, ...names: readonly string[]): unknown[] {
  const members = data as Readonly<Record<string, unknown>>;
  return names.flatMap((name) => members[name] ?? []);
}

function readTwice(url: string, key: string) {
  const byEventSource: Read[] = [];
  const byParser: Read[] = [];
  let id = "";
  const parser = createParser({
    onEvent: (event) => {
      id = event.id ?? id;
      byParser.push({ type: event.event ?? "message", id, data: JSON.parse(event.data) });
    },
    onError: ({ type, message }) => void byParser.push({ type, id, data: message }),
  });
  const decoder = new TextDecoder();
  const dispatcher = new Agent().compose((dispatch) => (options, handler) => {
    const headers = { ...(options.headers as Readonly<Record<string, string>>), "x-api-key": key };
    const copying: Dispatcher.DispatchHandler = Object.assign(new DecoratorHandler(handler), {
      onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
        for (const byte of chunk) parser.feed(decoder.decode(Uint8Array.of(byte), { stream: true }));
        handler.onResponseData?.(controller, chunk);
      },
    });
    return dispatch({ ...options, headers }, copying);
  });
  const source = new EventSource(url, { node: { dispatcher } });
  onTestFinished(() => source.close());
  for (const type of ["file", "folder", "reset"]) {
    source.addEventListener(type, (event) => {
      const { lastEventId, data } = event as MessageEvent<string>;
      byEventSource.push({ type, id: lastEventId, data: JSON.parse(data) });
    });
  }
  return { source, byEventSource, byParser };
}
