package web

import (
	"embed"
	"html/template"
	"strings"
	"sync"
)

//go:embed *.html parts/*.html
var templateFiles embed.FS

// templates returns the pages by the names of their files, each in the layout and with all components. Commands that serve no
// pages do not wait for it.
var templates = sync.OnceValue(parseTemplates)

// layoutFile is the template around every page.
const layoutFile = "layout.html"

// parseTemplates reads every page of the folder: a new one needs no line here.
func parseTemplates() map[string]*template.Template {
	common := template.Must(template.New(layoutFile).Funcs(functions).ParseFS(templateFiles, layoutFile, "parts/*.html"))
	entries, err := templateFiles.ReadDir(".")
	if err != nil {
		panic(err) // the program was built without them
	}
	parsed := map[string]*template.Template{}
	for _, entry := range entries {
		if name, isPage := strings.CutSuffix(entry.Name(), ".html"); isPage && entry.Name() != layoutFile {
			parsed[name] = template.Must(template.Must(common.Clone()).ParseFS(templateFiles, entry.Name()))
		}
	}
	return parsed
}

// functions are our functions for templates.
var functions = template.FuncMap{
	"asset": AssetPath, "text": showText, "lines": showLines, "plain": plainText, "count": writeCount, "plural": writePlural,
}
