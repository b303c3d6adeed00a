import { describe, expect, it } from "vitest";
import { ipynb, startService } from "./service.js";

const SHOW = "def show(d):\n    plt.plot(d)\n    plt.title('x')\n    plt.show()";

describe("POST /v1/labels of a notebook", () => {
  it("carries the labels of functions over to their calls; a cell alone has its own", async () => {
    const service = await startService();
    const { status, body } = await service.call("POST", "/v1/labels", { notebook: ipynb([SHOW, "show(t)"]) });
    const alone = await service.call("POST", "/v1/labels", { code: "show(t)" });
    expect(status).toBe(200);
    expect(body.cells.map(({ index }: { index: number }) => index)).toEqual([0, 1]);
    const [definition, call] = body.cells;
    expect(call.labels).toContainEqual({ label: "visualize_data", probability: call.probabilities.visualize_data });
    // The first cell only defines the function.
    expect(call.probabilities.visualize_data).toBe(definition.probabilities.visualize_data);
    expect(alone.body.probabilities.visualize_data).toBeLessThan(call.probabilities.visualize_data);
  });

  it("does not carry into another request", async () => {
    const service = await startService();
    const call = (cells: string[]) => service.call("POST", "/v1/labels", { notebook: ipynb(cells) });
    const first = await call(["show(t)"]);
    await call([SHOW]);
    expect((await call(["show(t)"])).body).toEqual(first.body);
  });
});
