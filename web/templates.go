package web

import (
	"embed"
	"html/template"
	"sync"
)

//go:embed *.html parts/*.html
var templateFiles embed.FS

// layoutFile is the template around every page.
const layoutFile = "layout.html"

// pages are the parsed pages. Each is parsed when it is first shown, because all of them take long, and much memory.
var pages = parsedPages{parsed: map[string]*template.Template{}}

type parsedPages struct {
	mu     sync.Mutex
	common *template.Template // the layout and all components
	parsed map[string]*template.Template
}

// findPage returns a page in the layout and with all components. It panics on a mistake in a template; a test reads all.
func (p *parsedPages) findPage(name string) *template.Template {
	p.mu.Lock()
	defer p.mu.Unlock()
	page := p.parsed[name]
	if page == nil {
		if p.common == nil {
			p.common = template.Must(template.New(layoutFile).Funcs(functions).ParseFS(templateFiles, layoutFile, "parts/*.html"))
		}
		page = template.Must(template.Must(p.common.Clone()).ParseFS(templateFiles, name+".html"))
		p.parsed[name] = page
	}
	return page
}

// functions are our functions for templates.
var functions = template.FuncMap{
	"asset": AssetPath, "text": showText, "lines": showLines, "plain": plainText, "count": writeCount, "plural": writePlural,
}
