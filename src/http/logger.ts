/** The part of a logger that the service uses; pino's has it. */
export interface Logger {
  info(values: object, message: string): void;
  error(values: object, message: string): void;
}
