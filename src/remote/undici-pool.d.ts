// The one class that is used, by its file: the package's index loads 90 modules more, which took
// half of the start of a sync.
declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici";
  export = Pool;
}
