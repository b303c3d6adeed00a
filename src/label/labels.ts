/** The eight machine-learning tasks of JupyLabel, in the order of a notebook's life. */
export const LABELS = [
  "setup_notebook",
  "ingest_data",
  "validate_data",
  "process_data",
  "visualize_data",
  "train_model",
  "evaluate_model",
  "transfer_results",
] as const;

export type TaskLabel = (typeof LABELS)[number];
