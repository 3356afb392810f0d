import { unwrap } from "../../src/common/trouble.ts";
import { Agent, request } from "node:http";
import { expect, onTestFinished } from "vitest";
import { systemRandom } from "../../src/common/random.ts";
import { type RunningUi, startUi, type UiOptions } from "../../src/ui/start-ui.ts";
import { openRig, type Rig } from "../cli/rig.ts";

/** The local web pages over real HTTP, in the test's process, for the linked folders of a rig. */
export type UiRig = {
  readonly rig: Rig;
  readonly ui: RunningUi;
  /** Internal errors, which the terminal would show. */
  readonly faults: unknown[];
  /** Sends any request, without the headers of a browser. */
  ask(path: string, options?: AskOptions): Promise<Answer>;
  /** Opens the printed address as a new browser. */
  signIn(): Promise<UserBrowser>;
};

export type SignedIn = UiRig & { readonly person: UserBrowser };

type AskOptions = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams | string;
};

type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
};

type OpenOptions = Pick<UiOptions, "peerOf" | "arriveMs"> & {
  /** True by default: `w` is linked and synced. */
  readonly linked?: boolean;
};

/** Opens the pages. They are closed after the test. */
export async function openUi({ linked = true, ...more }: OpenOptions = {}): Promise<UiRig> {
  const rig = await openRig();
  onTestFinished(() => rig.close());
  if (linked) await rig.init();
  const faults: unknown[] = [];
  const env = { XDG_STATE_HOME: rig.stateHome, XDG_RUNTIME_DIR: rig.dir };
  const world = { env, cwd: rig.dir, clock: rig.clock, random: systemRandom() };
  const ui = unwrap(await startUi({ ...world, ...more, port: 0, roots: null, onFault: (error) => faults.push(error) }));
  onTestFinished(() => ui.close());
  // Connections are kept, because the program looks up the user of each new one, which takes longer
  // than an answer.
  const agent = new Agent({ keepAlive: more.peerOf === undefined, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = (path: string, options: AskOptions = {}) => askAt(ui.url, agent, path, options);
  const opened = { rig, ui, faults, ask };
  const signIn = async () => {
    const { headers } = await ask(ui.enterUrl().slice(ui.url.length));
    return new UserBrowser(opened, headers["set-cookie"]![0]!.split(";")[0]!);
  };
  return { ...opened, signIn };
}

/** Opens the pages with a signed-in user. */
export async function openSignedIn(options: OpenOptions = {}): Promise<SignedIn> {
  const opened = await openUi(options);
  return { ...opened, person: await opened.signIn() };
}

type Form = { readonly action: string; readonly body: URLSearchParams };

/** The browser of a user: it sends its session cookie, and forms as the pages contain them. */
export class UserBrowser {
  readonly cookie: string;
  readonly #opened: Omit<UiRig, "signIn">;

  constructor(opened: Omit<UiRig, "signIn">, cookie: string) {
    this.#opened = opened;
    this.cookie = cookie;
  }

  get(path: string): Promise<Answer> {
    return this.#opened.ask(path, { headers: { cookie: this.cookie } });
  }

  async see(path: string): Promise<string> {
    return (await this.get(path)).text;
  }

  /** Waits until a page contains a string. Returns the page. */
  async until(path: string, text: string): Promise<string> {
    await expect.poll(() => this.see(path)).toContain(text);
    return this.see(path);
  }

  /** Returns the fields that each form of a page has: the token and the linked folder. */
  async fieldsOf(page: string): Promise<URLSearchParams> {
    const [, csrf] = /name="csrf" value="([^"]+)"/.exec(await this.see(page))!;
    return new URLSearchParams({ csrf: csrf!, root: this.#opened.rig.root });
  }

  /** Returns the form of a page whose action contains `word`; null if the page has none. */
  async formWith(word: string, page: string): Promise<Form | null> {
    return formIn(await this.see(page), word);
  }

  /** Sends a form, and does not follow a redirect. */
  post({ action, body }: Form): Promise<Answer> {
    const headers = { origin: this.#opened.ui.url, cookie: this.cookie };
    return this.#opened.ask(action, { method: "POST", headers, body });
  }

  /** Sends a form. Returns the page to which it redirects, once the started work is over. */
  async send(form: Form): Promise<string> {
    const { status, headers } = await this.post(form);
    expect(status).toBe(303);
    const page = String(headers["location"]).split("#")[0]!;
    await expect.poll(() => this.see(page)).not.toContain("<progress");
    return this.see(page);
  }
}

/** Sends one request with any headers, which a browser would not allow. */
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

/** Returns the form whose action contains `word`, with the fields that a browser would send. */
export function formIn(page: string, word: string): Form | null {
  const form = new RegExp(`<form method="post" action="([^"]*${word}[^"]*)">(.*?)</form>`, "s").exec(page);
  if (form === null) return null;
  const body = new URLSearchParams();
  for (const [, name, value] of form[2]!.matchAll(/name="([^"]+)" value="([^"]*)"/g)) body.set(name!, value!);
  return { action: form[1]!, body };
}

/** A document that was edited on both sides in ways that do not merge. */
export const CONFLICT_TEXTS = {
  base: "# Plan\n\none\ntwo\nthree\n",
  mine: "# Plan\n\none\nmine\nthree\n",
  theirs: "# Plan\n\none\ntheirs\nthree\n",
  merged: "# Plan\n\none\nmine and theirs\nthree\n",
} as const;

const SAME = "\nsame\n\nsame too\n\nand this\n\n";

/** Two clashes. `merged` has the service's version at the first and the local one at the second. */
export const TWO_CLASHES = {
  base: `one\n${SAME}two\n`,
  mine: `one of mine\n${SAME}two of mine\n`,
  theirs: `one of theirs\n${SAME}two of theirs\n`,
  merged: `one of theirs\n${SAME}two of mine\n`,
} as const;

/** Opens `w` with a conflict of `plan.md`. */
export async function openConflict(
  texts: Readonly<Record<keyof typeof CONFLICT_TEXTS, string>> = CONFLICT_TEXTS,
): Promise<SignedIn> {
  const opened = await openSignedIn({ linked: false });
  const { rig } = opened;
  rig.createRemotely("plan.md", texts.base);
  await rig.init();
  rig.editBoth("plan.md", texts.mine, texts.theirs);
  await rig.run(["sync", "w"]);
  return opened;
}
