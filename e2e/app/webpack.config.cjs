const path = require("node:path");
const { DefinePlugin } = require("webpack");

module.exports = {
	mode: "production",
	entry: "./src/main.js",
	output: { path: path.resolve(process.env.OUT), filename: "assets/[name].js" },
	devtool: "hidden-source-map",
	plugins: [new DefinePlugin({ __RELEASE__: JSON.stringify(process.env.RELEASE) })],
};
