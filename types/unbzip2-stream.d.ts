/** The package has no types. */
declare module "unbzip2-stream" {
  import type { Duplex } from "node:stream";

  /** A stream that unpacks bzip2, also several concatenated bzip2 streams. Throws if the data is damaged. */
  export default function unbzip2(): Duplex;
}
