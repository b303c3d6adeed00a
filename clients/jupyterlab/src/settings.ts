import type { ISettingRegistry } from "@jupyterlab/settingregistry";

/** The user's settings. `schema/plugin.json` has their descriptions, limits and the same defaults. */
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
