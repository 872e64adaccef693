// What webpack's own command does, which is a package of its own. The page is written as it is deployed.
const fs = require("node:fs");
const path = require("node:path");

require("webpack")(require("./webpack.config.cjs"), (error, stats) => {
	if (error || stats.hasErrors()) {
		console.error(error || stats.toString());
		process.exit(1);
	}
	const page = fs.readFileSync("index.html", "utf8").replace("/src/main.js", "/assets/main.js");
	fs.writeFileSync(path.join(process.env.OUT, "index.html"), page);
});
