/**
 * `npm run soak -- sync [corpora|moves|kills …] [--profile NAME] [--corpus NAME] [--kills N]
 * [--seed N]`: shows, on real processes, a real disk and real HTTP, what one-shot sync promises.
 * One line a claim; exit 1 when one does not hold. `--profile`: with that deployment of
 * test/variants/profiles.ts; the moves run over single traits as well, where it is `deployed`.
 * `--corpus rust-book`: that one alone, which leaves the long one out.
 */
import { parseArgs } from "node:util";
import { corporaNamed, proveCorpora } from "./sync-corpora.ts";
import { readProfile } from "../../test/variants/profiles.ts";
import { failed, useProfile } from "./sync-fixture.ts";
import { proveKills } from "./sync-kills.ts";
import { proveMoves } from "./sync-moves.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    profile: { type: "string", default: "deployed" },
    corpus: { type: "string" },
  },
});
const profile = readProfile(values.profile);
const corpora = corporaNamed(values.corpus);
useProfile(profile);
const wanted = (name: string) => positionals.length === 0 || positionals.includes(name);
if (wanted("moves")) await proveMoves(profile);
if (wanted("kills")) await proveKills(Number(values.kills), Number(values.seed));
if (wanted("corpora")) await proveCorpora(corpora);
console.log(failed() === 0 ? "all hold" : `${failed()} do not hold`);
process.exit(failed() === 0 ? 0 : 1);
