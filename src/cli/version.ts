export { packageVersion } from "../assets.js";
