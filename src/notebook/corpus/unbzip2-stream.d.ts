/** The package has no types of its own. */
declare module "unbzip2-stream" {
  import type { Duplex } from "node:stream";

  /** A stream that unpacks bzip2, also several streams one after another. Throws where the data are damaged. */
  export default function unbzip2(): Duplex;
}
