// Runs cells with Python in place of the Jupyter extension, which is not on npm: each with all code cells above it.
const { execFile } = require("node:child_process");
const vscode = require("vscode");

exports.activate = (context) => {
  const controller = vscode.notebooks.createNotebookController(
    "test-kernel",
    "jupyter-notebook",
    "Python of this test",
  );
  controller.supportedLanguages = ["python"];
  controller.executeHandler = (cells, notebook) => {
    for (const cell of cells) {
      const execution = controller.createNotebookCellExecution(cell);
      execution.start(Date.now());
      const code = notebook
        .getCells()
        .filter(({ kind, index }) => kind === vscode.NotebookCellKind.Code && index <= cell.index)
        .map(({ document }) => document.getText())
        .join("\n");
      execFile("python3", ["-c", code], async (error, stdout, stderr) => {
        const item = vscode.NotebookCellOutputItem.text(error ? stderr : stdout);
        await execution.replaceOutput(new vscode.NotebookCellOutput([item]));
        execution.end(error === null, Date.now());
      });
    }
  };
  const prefer = (notebook) => controller.updateNotebookAffinity(notebook, vscode.NotebookControllerAffinity.Preferred);
  vscode.workspace.notebookDocuments.forEach(prefer);
  context.subscriptions.push(controller, vscode.workspace.onDidOpenNotebookDocument(prefer));
};
