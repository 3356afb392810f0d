/** Starts the server of the local pages. */

import { Renderer } from "../page/renderer.ts";
import { loadBundle } from "../page/page-bundle.ts";
import { errorCodeOf, errnoClause, ok, type Result, trouble } from "../common/trouble.ts";
import { type ConnectionEnds, type PeerUser, peerOf } from "../mirror/trust/peer.ts";
import { BoundedMap } from "../common/bounded-map.ts";
import type { Clock } from "../common/clock.ts";
import type { Random } from "../common/random.ts";
import { Origins } from "../page/same-site.ts";
import { Browsers, Tickets } from "../page/sessions.ts";
import { Folders } from "./folders.ts";
import type { LinkDraft, RefusedLink } from "./linking.ts";
import { listen } from "./http.ts";
import { Jobs, Searches, Stops } from "./jobs.ts";
import { Notices } from "../page/notices.ts";

const NOTICE_DIGITS = 16;
/** LIMIT: signed-in browsers, and also unused tickets, so that their memory does not grow. */
const MAX_SESSIONS = 32;
const TICKET_LIFE_MS = 300_000;
/** LIMIT: milliseconds after which an unused session ends. */
const IDLE_MS = 12 * 3_600_000;
const SECRET_DIGITS = 64;
/** LIMIT: unsaved contents of forms that stay in memory. */
const MAX_DRAFTS = 50;
/** LIMIT: planned links of folders that stay in memory. */
const MAX_LINKS = 8;

export type UiOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Port to listen on; 0 for any free port. */
  readonly port: number;
  /** Real paths of the folders to show; null for all. */
  readonly roots: ReadonlySet<string> | null;
  /** Called for a bug. The page itself shows no details of the error. */
  readonly onFault: (error: unknown) => void;
  /** Returns the user at the other end of a connection; default: the system's answer. */
  readonly peerOf?: (ends: ConnectionEnds) => PeerUser;
  /** Milliseconds within which a request's headers must arrive. */
  readonly arriveMs?: number;
};

const ARRIVE_MS = 10_000;

export type RunningUi = {
  readonly url: string;
  /** Returns an address that admits one browser, once. */
  enterUrl(): string;
  /** Stops the server. Resolves after all jobs of pages have ended. */
  close(): Promise<void>;
};

export async function startUi(options: UiOptions): Promise<Result<RunningUi>> {
  const { env, cwd, clock, random, port, roots, onFault } = options;
  const jobs = new Jobs({ clock, onFault });
  const world = { env, cwd, clock, random, jobs };
  const ui = {
    ...world,
    drafts: new BoundedMap<string, string>(MAX_DRAFTS),
    links: new BoundedMap<string, LinkDraft | RefusedLink>(MAX_LINKS),
    documents: new Renderer(),
    stops: new Stops({ ...world, onFault }),
    searches: new Searches(world),
    folders: new Folders(world, roots),
  };
  const served = { scheme: "http" as const, host: "127.0.0.1", port, proxy: null };
  const origins = new Origins(served, { name: "mdmirror", path: "/" });
  const secrets = { now: () => clock.monotonic(), secret: () => random.hex(SECRET_DIGITS) };
  const site = {
    ui,
    origins,
    browsers: new Browsers<null>(secrets, origins, { most: MAX_SESSIONS, idleMs: IDLE_MS }),
    tickets: new Tickets(secrets, { most: MAX_SESSIONS, lifeMs: TICKET_LIFE_MS }),
    notices: new Notices(() => random.hex(NOTICE_DIGITS)),
    bundle: await loadBundle(),
    onFault,
    peerOf: options.peerOf ?? peerOf,
    arriveMs: options.arriveMs ?? ARRIVE_MS,
  };
  try {
    const listening = await listen(site, port);
    // The system chooses a port in place of 0. Only requests that name this port are answered.
    served.port = listening.port;
    const url = `http://127.0.0.1:${served.port}`;
    return ok({
      url,
      enterUrl: () => `${url}/enter?token=${site.tickets.issue()}`,
      // ORDER: the server stops taking requests first, then waits for jobs.
      close: async () => {
        await listening.close();
        ui.documents.close();
        await jobs.idle();
      },
    });
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === null || !/^E[A-Z]+$/.test(code)) throw error;
    const what = `port ${port} of 127.0.0.1 cannot be used: ${errnoClause(error)}`;
    return trouble("usage", what, "give another with --port N, or none for any free one", { code });
  }
}
