import type { ISettingRegistry } from "@jupyterlab/settingregistry";

/** What the user chose; `schema/plugin.json` holds the meaning, the limits and the same defaults. */
export interface Settings {
  readonly follow: boolean;
  readonly count: number;
  readonly pause: number;
  readonly ghostText: boolean;
  readonly ghostConfidence: number;
  readonly ghostLines: number;
  readonly kernelVariables: boolean;
  readonly indexOnSave: boolean;
  readonly labels: boolean;
  readonly feedback: boolean;
  /** Whether the panel has opened by itself once. */
  readonly welcomed: boolean;
}

export function readSettings(settings: ISettingRegistry.ISettings): Settings {
  return settings.composite as unknown as Settings;
}
