/**
 * `npm run soak -- sync [corpora|moves|kills …]`: shows, on real processes, a real disk and real
 * HTTP, what one-shot sync promises, with the deployment that `--profile` names (test/variants/profiles.ts). One line a claim; exit 1 when one does not hold.
 */
import { parseArgs } from "node:util";
import { proveCorpora } from "./sync-corpora.ts";
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
  },
});
useProfile(readProfile(values.profile));
const wanted = (name: string) => positionals.length === 0 || positionals.includes(name);
if (wanted("moves")) await proveMoves();
if (wanted("kills")) await proveKills(Number(values.kills), Number(values.seed));
if (wanted("corpora")) await proveCorpora();
console.log(failed() === 0 ? "all hold" : `${failed()} do not hold`);
process.exit(failed() === 0 ? 0 : 1);
