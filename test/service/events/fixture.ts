import { onTestFinished } from "vitest";
import { type GrantOn, makeKey, type Opened, openService } from "../fixture.ts";
import { Listener } from "./listener.ts";

/** Requests and listeners for tests of events. */

/** The members of answers that these tests read. */
type Thing = {
  readonly id: string;
  readonly lastChangeId: string;
  readonly file: { readonly lastChangeId: string };
  readonly data: readonly Thing[];
};

export type EventsFixture = {
  readonly opened: Opened;
  /** Resolves when all earlier writes were sent as events. */
  readonly settled: () => Promise<void>;
  readonly call: (method: string, path: string, body?: object) => Promise<Thing>;
};

export async function open(
  options: Parameters<typeof openService>[0] = {},
  waiting: () => Promise<void> = async () => undefined,
): Promise<EventsFixture> {
  const opened = await openService(options);
  onTestFinished(() => opened.service.close());
  const settled = async () => {
    await waiting();
    opened.service.streams.wake();
    await opened.service.streams.settled();
  };
  const headers = { authorization: `Bearer ${opened.key}` };
  const call: EventsFixture["call"] = async (method, path, body) => {
    const text = body === undefined ? null : JSON.stringify(body);
    const answer = await opened.service.handle({ method, path, headers, body: text });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return (answer.body === "" ? {} : JSON.parse(answer.body)) as Thing;
  };
  return { opened, settled, call };
}

export function make({ call }: EventsFixture, path: string): Promise<Thing> {
  return call("POST", "/v1/files", { path, content: "# Text\n" });
}

export async function folderAt({ call }: EventsFixture, path: string): Promise<Thing> {
  return (await call("GET", `/v1/folders?path=${path}`)).data[0]!;
}

export function keyWith({ opened }: EventsFixture, ...grants: readonly GrantOn[]) {
  return makeKey(opened, ...grants);
}

/** Returns a listener whose first events are over. */
export async function listening(asked: EventsFixture, key = asked.opened.key): Promise<Listener> {
  const listener = await join(asked, key);
  await listener.heard();
  return listener;
}

/** Adds a listener when all earlier writes can be read. */
export async function join(
  { opened, settled }: EventsFixture,
  key = opened.key,
  lastId: string | null = null,
): Promise<Listener> {
  await settled();
  return Listener.join(opened.service, key, lastId, settled);
}
