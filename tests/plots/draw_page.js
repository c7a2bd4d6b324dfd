// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the script of a page of gpusim report and prints the HTML that a browser would show: node draw_page.js PAGE.html
"use strict";
const fs = require("fs");
const vm = require("vm");
const page = fs.readFileSync(process.argv[2], "utf8");
const elements = {data: {textContent: page.match(/<script type="application\/json" id="data">([^<]*)<\/script>/)[1]}, page: {}};
const sandbox = {document: {getElementById: id => elements[id]}};
vm.runInNewContext(page.match(/<script>([^]*)<\/script>/)[1], sandbox);
if (sandbox.document.title === undefined) throw new Error(elements.page.innerHTML);
process.stdout.write(elements.page.innerHTML);
