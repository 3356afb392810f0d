import { sameExceptTextForm } from "../../model/text-form.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import { newLink } from "../../model/settle.ts";
import { DONE, fetchText, type RemoteText, stale } from "../apply/effect.ts";
import { commit, write } from "../apply/commit.ts";
import { notThere } from "../apply/sent-lately.ts";
import { didNotHappen, notSettledBy, type Settled, unsettled } from "../apply/unsettled.ts";
import { fromService, toService } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";

type Post = Extract<Intent, { kind: "post" }>;

/**
 * Settles a POST whose end is not known: lists the exact path, and adopts the document there if it
 * is what was sent (I08).
 */
export async function settlePost(
  ctx: PassContext,
  intentId: number,
  intent: Post,
  fault: Fault | null,
): Promise<Settled> {
  const { remote, state } = ctx.world;
  const listed = await remote.listFiles({ kind: "path", path: toService(ctx.world, intent.remotePath) });
  if (!listed.complete) return notSettledBy(listed.fault ?? fault);
  // A service that takes several spellings for one name may show another document for this path.
  const found = listed.items.find(({ path }) => path === toService(ctx.world, intent.remotePath));
  if (found === undefined) {
    state.transact(() => {
      write(ctx, notThere(ctx, intent, fault));
      state.closeIntent(intentId);
    });
    return didNotHappen("write", fault);
  }
  const linked = state.link(found.id);
  if (linked !== null) {
    state.closeIntent(intentId);
    return linked.localPath === intent.localPath ? DONE : stale(ANOTHER_THERE);
  }
  const fetched = await fetchText(ctx, found.id, intent.localPath);
  if (fetched.kind === "end") return unsettled(fetched.outcome, fault);
  const sent = state.text(intent.digest);
  if (sent === null || !sameExceptTextForm(sent, fetched.value.text)) {
    state.closeIntent(intentId);
    return stale(ANOTHER_THERE);
  }
  return linkFound(ctx, intentId, intent, fetched.value);
}

const ANOTHER_THERE = "another document is at that path now";

function linkFound(ctx: PassContext, intentId: number, intent: Post, { file, digest }: RemoteText): Settled {
  const { id, lastChangeId: changeId } = file;
  const base = {
    changeId,
    digest,
    localDigest: intent.digest,
    stamp: intent.stamp ?? null,
    stampTrusted: false,
    durable: true,
  };
  const remotePath = fromService(ctx.world, file.path) ?? intent.remotePath;
  ctx.notes.counts.createdRemote++;
  return commit(ctx, {
    link: newLink(id, intent.localPath, remotePath, file.protected, base),
    version: { id, changeId, digest },
    closes: intentId,
    replaces: intent.replaces ?? null,
    event: {
      kind: "create-remote",
      side: "remote",
      id,
      path: intent.localPath,
      detail: "the answer was lost; the document exists",
      after: digest,
    },
  });
}
