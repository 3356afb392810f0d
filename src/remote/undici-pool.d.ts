// The one class that is used, by its file: the package's index loads 90 modules more, which took
// half of the start of a sync.
declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici";
  export = Pool;
}

// The parser of its EventSource, which bounds what one event may hold. The class around it allows
// no header of a caller's own, so none with a key.
declare module "undici/lib/web/eventsource/eventsource-stream.js" {
  import { Transform } from "node:stream";
  export class EventSourceStream extends Transform {
    constructor(options: {
      readonly maxEventSize: number;
      readonly push: (event: {
        readonly type: string;
        readonly options: { readonly data: string; readonly lastEventId?: string };
      }) => boolean;
    });
  }
}
