// Starts `ripdsl lsp` and connects it with the editor.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const command = vscode.workspace.getConfiguration("ripdsl").get("path");
  client = new LanguageClient("ripdsl", "ripdsl", { command, args: ["lsp"] }, { documentSelector: [{ language: "ripdsl" }] });
  return client.start().catch(() => {
    vscode.window.showErrorMessage(`"${command}" does not start. The setting ripdsl.path says where the program is.`);
  });
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
