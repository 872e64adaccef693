//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bundleEntry is an app that fails in a function, in a callback of a method of a class, in an asynchronous arrow function.
const bundleEntry = `
interface Item { name: string; price?: { amount: number } }
export function findPrice(item: Item): number {
	return item.price!.amount;
}
class Basket<T extends Item> {
	constructor(private readonly items: T[]) {}
	countTotal(): number {
		return this.items.map((item) => findPrice(item) * 2).reduce((sum, price) => sum + price, 0);
	}
}
const checkOut = async (basket: Basket<Item>): Promise<number> => {
	if (parts.length === 0) return findPrice({ name: "none" });
	return basket.countTotal();
};
Object.assign(globalThis, { runShop: () => checkOut(new Basket([{ name: "tea" }])), parts });
`

// In a bundle of 6,000 functions the minifier's names have three letters and no meaning: frames have the names from their source.
func TestLargeBundlesHaveTheirNames(t *testing.T) {
	t.Parallel()
	for name, build := range map[string][]string{
		"esbuild": {"node_modules/.bin/esbuild", "src/main.ts", "--bundle", "--minify", "--sourcemap", "--format=esm", "--outfile=dist/app.js"},
		"vite":    {"node_modules/.bin/vite", "build"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			job := newCIJob(t, startServer(t))
			job.writeLargeApp()
			job.mustRun(build[0], build[1:]...)

			stack := job.mustRun("node", "--input-type=module", "-e",
				`await import("./dist/app.js"); try { await runShop() } catch (e) { console.log(e.stack) }`)
			binary, err := filepath.Abs("../bin/errand")
			require.NoError(t, err)
			job.mustRun(binary, "sourcemaps", "upload", "dist", "--project", job.slug, "--release", "1.0")
			event := job.sendStack(stack)

			frames := event.Exceptions[0].Frames
			require.NotContains(t, stack, "findPrice", "it is minified")
			var names []string
			for _, f := range frames {
				if f.Source != nil {
					require.Equal(t, "src/main.ts", f.Source.Path)
					names = append(names, f.Source.Function)
				}
			}
			require.Equal(t, []string{"findPrice", "<anonymous>", "countTotal", "checkOut", "runShop"}, names, stack)
			require.Equal(t, "src/main in findPrice", event.Culprit)
		})
	}
}

// writeLargeApp writes an app of 60 modules with 100 functions each. All functions are used.
func (s *ciJob) writeLargeApp() {
	s.t.Helper()
	require.NoError(s.t, os.Symlink(s.modulePath(""), filepath.Join(s.dir, "node_modules")))
	var main strings.Builder
	for module := range 60 {
		var text strings.Builder
		var names []string
		for n := range 100 {
			name := fmt.Sprintf("compute%dOf%d", n, module)
			fmt.Fprintf(&text, "export function %s(a: number, b: number): number {\n\tif (a > b) throw new RangeError(`%d: ${a}`);\n"+
				"\treturn [a, b].map((x) => x * %d).length;\n}\n", name, n, n+2)
			names = append(names, name)
		}
		s.writeFile(fmt.Sprintf("src/part%d.ts", module), text.String())
		fmt.Fprintf(&main, "import { %s } from \"./part%d\";\n", strings.Join(names, ", "), module)
		fmt.Fprintf(&main, "const part%d = [%s];\n", module, strings.Join(names, ", "))
	}
	main.WriteString("const parts = [")
	for module := range 60 {
		fmt.Fprintf(&main, "...part%d, ", module)
	}
	s.writeFile("src/main.ts", main.String()+"];\n"+bundleEntry)
	s.writeFile("vite.config.mjs", `export default { build: { sourcemap: true, rollupOptions: {
		input: "src/main.ts", output: { entryFileNames: "app.js" }, preserveEntrySignatures: false } } };`)
}

// namedEvent is an event with the names of its frames.
type namedEvent struct {
	Culprit    string
	Exceptions []struct {
		Frames []struct {
			Function string
			Source   *struct{ Function, Path string }
		}
	}
}

// sendStack sends a stack of V8 as a page would, until the event is mapped in time, and returns the event.
func (s *ciJob) sendStack(stack string) (event namedEvent) {
	s.t.Helper()
	served := strings.NewReplacer("file://"+s.dir+"/dist/", "https://shop.example/", s.dir+"/dist/", "https://shop.example/")
	text, err := json.Marshal(served.Replace(stack))
	require.NoError(s.t, err)
	dsn, err := url.Parse(s.dsn)
	require.NoError(s.t, err)
	body := fmt.Sprintf(`{"platform": "javascript", "release": "1.0",
		"exception": {"type": "TypeError", "value": "no price", "stack": %s}}`, text)
	for range 20 {
		var taken struct{ Data struct{ ID int64 } }
		s.exchangeJSON("POST", s.url+"/v1/ingest", body, 200, &taken, "X-Service-Key: "+dsn.User.Username())
		var read struct{ Data struct{ Event namedEvent } }
		require.Equal(s.t, 200, s.callAPI(adminToken, "GET", fmt.Sprintf("/v1/events/%d", taken.Data.ID), "", &read))
		if event = read.Data.Event; event.Exceptions[0].Frames[0].Source != nil {
			return event
		}
	}
	return event
}
