/** Starts the server of the local web pages. */

import { Renderer } from "../page/renderer.ts";
import { loadBundle } from "../page/page-bundle.ts";
import { errnoClause, ok, readErrorCode, refusal, type Result } from "../common/trouble.ts";
import { type ConnectionEnds, type PeerUser, findPeerUser } from "../mirror/trust/peer.ts";
import { BoundedMap } from "../common/bounded-map.ts";
import type { ProcessContext } from "../mirror/folder/open-mirror.ts";
import { Origins } from "../page/same-site.ts";
import { Browsers, Tickets } from "../page/sessions.ts";
import { Folders } from "./folders.ts";
import type { LinkDraft, RefusedLink } from "./linking.ts";
import { startHttpServer } from "./http.ts";
import { Jobs, PageSearches, StopScans } from "./jobs.ts";
import { Notices } from "../page/layout.ts";

const NOTICE_DIGITS = 16;
/** LIMIT: number of signed-in browsers, and of unused tickets, so that memory stays bounded. */
const MAX_SESSIONS = 32;
const TICKET_LIFE_MS = 300_000;
/** LIMIT: milliseconds without use before a session ends, because users forget to sign out. */
const IDLE_MS = 12 * 3_600_000;
const SECRET_DIGITS = 64;
/** LIMIT: number of drafts (typed but not saved), because drafts are kept in memory. */
const MAX_DRAFTS = 50;
/** LIMIT: number of folders with a plan and without a link, because plans are kept in memory. */
const MAX_LINKS = 8;

export type UiOptions = ProcessContext & {
  /** Port; 0 for a free port. */
  readonly port: number;
  /** Real paths of the linked folders to show; null for all linked folders of this user. */
  readonly roots: ReadonlySet<string> | null;
  /** Receives internal errors of mdmirror, whose details no page shows. */
  readonly onFault: (error: unknown) => void;
  /** Returns the user who opened a connection. By default, asks the operating system. */
  readonly peerOf?: (ends: ConnectionEnds) => PeerUser;
  /** Milliseconds within which the headers of a request must arrive. */
  readonly arriveMs?: number;
};

const HEADER_DEADLINE_MS = 10_000;

export type RunningUi = {
  readonly url: string;
  /** Returns a sign-in address. Each address signs in one browser once. */
  enterUrl(): string;
  /** Stops the server. Resolves after all jobs have ended. */
  close(): Promise<void>;
};

export async function startUi(options: UiOptions): Promise<Result<RunningUi>> {
  const { env, cwd, clock, random, port, roots, onFault } = options;
  const jobs = new Jobs({ clock, onFault });
  const context = { env, cwd, clock, random, jobs };
  const ui = {
    ...context,
    drafts: new BoundedMap<string, string>(MAX_DRAFTS),
    links: new BoundedMap<string, LinkDraft | RefusedLink>(MAX_LINKS),
    documents: new Renderer(),
    stops: new StopScans({ ...context, onFault }),
    searches: new PageSearches(context),
    folders: new Folders(context, roots),
  };
  const servedAddress = { scheme: "http" as const, host: "127.0.0.1", port, proxy: null };
  const origins = new Origins(servedAddress, { name: "mdmirror", path: "/" });
  const secrets = { now: () => clock.monotonic(), secret: () => random.hex(SECRET_DIGITS) };
  const site = {
    ui,
    origins,
    browsers: new Browsers<null>(secrets, origins, { most: MAX_SESSIONS, idleMs: IDLE_MS }),
    tickets: new Tickets(secrets, { most: MAX_SESSIONS, lifeMs: TICKET_LIFE_MS }),
    notices: new Notices(() => random.hex(NOTICE_DIGITS)),
    bundle: await loadBundle(),
    onFault,
    peerOf: options.peerOf ?? findPeerUser,
    arriveMs: options.arriveMs ?? HEADER_DEADLINE_MS,
  };
  try {
    const httpServer = await startHttpServer(site, port);
    // With port 0, the system chooses the port. The server accepts only requests with that port in
    // `Host`.
    servedAddress.port = httpServer.port;
    const url = `http://127.0.0.1:${servedAddress.port}`;
    return ok({
      url,
      enterUrl: () => `${url}/enter?token=${site.tickets.issue()}`,
      // ORDER: the server closes before the wait for jobs, so that no request can start another
      // job.
      close: async () => {
        await httpServer.close();
        ui.documents.close();
        await jobs.idle();
      },
    });
  } catch (error) {
    const code = readErrorCode(error);
    if (code === null || !/^E[A-Z]+$/.test(code)) throw error;
    const message = `port ${port} of 127.0.0.1 cannot be used: ${errnoClause(error)}`;
    return refusal(message, "give another with --port N, or none for any free one", code);
  }
}
