export { packageVersion } from "../config.js";
