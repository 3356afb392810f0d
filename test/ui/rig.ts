import { Agent, request } from "node:http";
import { expect, onTestFinished } from "vitest";
import { systemRandom } from "../../src/common/system-random.ts";
import { type RunningUi, startUi, type UiOptions } from "../../src/ui/start-ui.ts";
import { openRig, type Rig } from "../cli/rig.ts";
import { must } from "../service/fixture.ts";

/** The pages over real HTTP, in process, for the mirrors of a rig. */
export type UiRig = {
  readonly rig: Rig;
  readonly ui: RunningUi;
  /** What the terminal would have said. */
  readonly faults: unknown[];
  /** Moves the clock of the pages on, in milliseconds. */
  pass(ms: number): void;
  ask(path: string, options?: AskOptions): Promise<Answer>;
  /** Comes in as a browser does. @returns the `Cookie` header of its session */
  enter(): Promise<string>;
  /** What a page's forms send: the token, and the folder of that mirror. */
  formOf(page: string, cookie: string, root?: string): Promise<URLSearchParams>;
};

type AskOptions = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams | string;
};

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
};

type OpenOptions = Pick<UiOptions, "peerOf" | "arriveMs"> & {
  /** `w` is linked and synced. */
  readonly linked?: boolean;
};

/** Ended with the test. */
export async function openUi({ linked = true, ...more }: OpenOptions = {}): Promise<UiRig> {
  const rig = await openRig();
  onTestFinished(() => rig.close());
  if (linked) await rig.init();
  const faults: unknown[] = [];
  const env = { XDG_STATE_HOME: rig.stateHome, XDG_RUNTIME_DIR: rig.dir };
  const world = { env, cwd: rig.dir, clock: rig.clock, random: systemRandom() };
  const ui = must(await startUi({ ...world, ...more, port: 0, roots: null, onFault: (error) => faults.push(error) }));
  onTestFinished(() => ui.close());
  // The program looks up the user of each connection, which takes longer than an answer.
  const agent = new Agent({ keepAlive: more.peerOf === undefined, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = (path: string, options: AskOptions = {}) => askAt(ui.url, agent, path, options);
  return {
    rig,
    ui,
    faults,
    pass: (ms) => rig.pass(ms),
    ask,
    async enter() {
      const { headers } = await ask(ui.enterUrl().slice(ui.url.length));
      return headers["set-cookie"]![0]!.split(";")[0]!;
    },
    async formOf(page, cookie, root = rig.root) {
      const { text } = await ask(page, { headers: { cookie } });
      const [, csrf] = /name="csrf-token" content="([^"]+)"/.exec(text)!;
      return new URLSearchParams({ csrf: csrf!, root });
    },
  };
}

/** One request, with any headers: a browser would not let a page choose them. */
function askAt(
  base: string,
  agent: Agent,
  path: string,
  { method = "GET", headers = {}, body }: AskOptions,
): Promise<Answer> {
  const { hostname, port, host } = new URL(base);
  const type = body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" };
  const all = { host, ...type, ...headers };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers: all, setHost: false, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : String(body));
  });
}

/** Returns the tone of the notice that a page shows: `good`, `asks`, `bad` or `quiet`. */
export function toneOf(page: string): string | null {
  return /<div role="status" class="toast (\w+)"/.exec(page)?.[1] ?? null;
}

export type Form = { readonly action: string; readonly body: URLSearchParams };

/**
 * Returns the form of a page whose action holds `word`, with what a browser would send of it; null
 * if the page has none.
 */
export async function formWith(word: string, { ask }: UiRig, cookie: string, page: string): Promise<Form | null> {
  const { text } = await ask(page, { headers: { cookie } });
  const form = new RegExp(`<form method="post" action="([^"]*${word}[^"]*)">(.*?)</form>`, "s").exec(text);
  if (form === null) return null;
  const body = new URLSearchParams();
  for (const [, name, value] of form[2]!.matchAll(/name="([^"]+)" value="([^"]*)"/g)) body.set(name!, value!);
  return { action: form[1]!, body };
}

/** Sends a form. Returns the page that it leads to, once its work is over. */
export async function sendForm({ ask, ui }: UiRig, cookie: string, { action, body }: Form): Promise<string> {
  const answered = await ask(action, { method: "POST", headers: { origin: ui.url, cookie }, body });
  const shown = async () => (await ask(String(answered.headers["location"]), { headers: { cookie } })).text;
  await expect.poll(shown).not.toContain("<progress");
  return shown();
}
