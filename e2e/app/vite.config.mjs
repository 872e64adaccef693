import { defineConfig } from "vite";

export default defineConfig({
	build: { outDir: process.env.OUT, sourcemap: "hidden" },
	define: { __RELEASE__: JSON.stringify(process.env.RELEASE) },
});
