import { shellWord } from "../../model/shell-word.ts";
import { ok, type Result, trouble } from "../mirror/trouble.ts";
import type { Env, SecretPlace } from "./hook.ts";
import { readOwnText } from "./read-hooks.ts";

/** The form of Standard Webhooks: base64 of 24 to 64 bytes. */
const FORM = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const BYTES = { least: 24, most: 64 } as const;

/** Read anew for each call, and kept nowhere; no message repeats it (I30). */
export function readSecret(place: SecretPlace, env: Env): Result<string> {
  const shown = shownPlace(place);
  const text = place.kind === "env" ? ok(env[place.name] ?? "") : readSecretFile(place.path);
  if (text.kind === "trouble") return text;
  const secret = text.value.trim();
  if (secret === "") return trouble("usage", `${shown} holds no secret`, newSecret(place));
  const bytes = FORM.test(secret) ? Buffer.from(secret.slice("whsec_".length), "base64").length : 0;
  if (bytes >= BYTES.least && bytes <= BYTES.most) return ok(secret);
  return trouble("usage", `${shown} holds no secret of the form whsec_ and base64 of 24 to 64 bytes`, newSecret(place));
}

function shownPlace(place: SecretPlace): string {
  return place.kind === "env" ? `the variable ${place.name}` : place.path;
}

function readSecretFile(path: string): Result<string> {
  const read = readOwnText(path, "reads");
  if (read.kind === "text") return ok(read.text);
  if (read.kind === "absent") return ok("");
  return trouble("usage", `${path} ${read.why}, so the secret in it is refused`, read.next);
}

function newSecret(place: SecretPlace): string {
  if (place.kind === "env") return `set ${place.name} where mdmirror is started`;
  return `put the receiver's secret there, or a new one: (umask 077; printf 'whsec_%s' "$(head -c 32 /dev/urandom | base64)" > ${shellWord(place.path)})`;
}
