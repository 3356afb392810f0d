import { expect, onTestFinished, test } from "vitest";
import type { EventHint, EventStreamState } from "../../../src/mirror/ports/events.ts";
import { createRemote } from "../../../src/mirror/remote/client.ts";
import { createWire } from "../../../src/mirror/remote/wire.ts";
import { startHttp } from "../../../src/service/http/server.ts";
import { systemClock } from "../../../src/common/system-clock.ts";
import { NO_LOG } from "../../simulator/quiet-ports.ts";
import { make, open } from "./asked.ts";

/** Resolves when `is` holds for what was told. */
class Told {
  readonly hints: EventHint[] = [];
  readonly states: EventStreamState[] = [];
  #wanted: { readonly is: () => boolean; readonly resolve: () => void } | null = null;

  onHint(hint: EventHint): void {
    this.hints.push(hint);
    this.#check();
  }

  onState(state: EventStreamState): void {
    this.states.push(state);
    this.#check();
  }

  until(is: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wanted = { is, resolve };
    this.#check();
    return promise;
  }

  #check(): void {
    if (this.#wanted?.is() === true) this.#wanted.resolve();
  }
}

test("the client hears of a change over HTTP, and of the service's end", async () => {
  const asked = await open();
  const server = await startHttp(asked.opened.service);
  onTestFinished(() => server.close());
  const wire = createWire({ baseUrl: server.url });
  const random = { fraction: () => 0.5, hex: (n: number) => "0".repeat(n) };
  const options = { wire, key: asked.opened.key, clock: systemClock(), random, log: NO_LOG, traits: null };
  const remote = createRemote(options);
  const told = new Told();
  const news = remote.news();
  news.start(told);
  await told.until(() => told.hints.length === 2);
  expect(told.states).toEqual([{ kind: "listening" }]);
  expect(told.hints).toEqual([{ kind: "all" }, { kind: "all" }]);
  const { id, lastChangeId } = await make(asked, "/a.md");
  await told.until(() => told.hints.length === 3);
  expect(told.hints[2]).toEqual({ kind: "file", id, path: "a.md", changeId: lastChangeId, gone: false });
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  for (const name of ["streams", "event_listeners"]) expect(metrics).toContain(`\nmdmirror_service_${name} 1\n`);
  await asked.opened.service.close();
  await told.until(() => told.states.length === 2);
  expect(told.states[1]).toEqual({ kind: "broken", why: "the service ended it" });
  await news.close();
  await remote.close();
});
